// Diagnostics of rules: the problems of `@plinth/expression`, with examples.
import type { ProblemCode } from "@plinth/expression";
import { type DiagnosticKind, error, listing, publicRule, readRule, warning } from "./kind.ts";

const ambiguous = (rule: string): string =>
  `${listing("status: enum[draft, active]\nactive: enum[draft, active]")}    permissions:\n      public:\n        read: ${rule}\n`;

export const expressionDiagnostics: Readonly<Record<ProblemCode, DiagnosticKind>> = {
  expression_syntax: error("A rule with a syntax error", readRule("status = active"), readRule("status == active")),
  expression_too_large: error(
    "A rule that is too large",
    readRule(Array.from({ length: 300 }, () => "price > 1").join(" && ")),
    readRule("published"),
  ),
  expression_not_supported: error(
    "A rule that can't be translated to SQL",
    readRule("type(price) == int"),
    readRule("price > 5"),
  ),
  unknown_name: error("A name that does not exist", readRule("publishd"), readRule("published")),
  ambiguous_name: warning(
    "A word that is both a field and an enum value",
    ambiguous("status == active"),
    ambiguous('status == "active"'),
  ),
  unknown_enum_value: error(
    "A value that is not in the enum",
    readRule("status == actve"),
    readRule("status == active"),
  ),
  unknown_role_name: error(
    "A role that does not exist",
    readRule("'\"admn\" in current_user.roles'"),
    readRule("'\"admin\" in current_user.roles'"),
  ),
  type_mismatch: error("Values that can't be compared", readRule("price == published"), readRule("price == 1")),
  not_a_condition: error("A rule that is not true or false", readRule("price"), readRule("price > 0")),
  row_not_available: error(
    "A row that this operation does not have",
    readRule("old.published"),
    publicRule("update", "old.published"),
  ),
  name_not_available: error(
    "A name that can't be used here",
    `${listing("starts_at: datetime")}    checks:\n      soon: starts_at > now\n`,
    `${listing("starts_at: datetime")}    checks:\n      soon: starts_at > created_at\n`,
  ),
  unknown_function: error(
    "A function that does not exist",
    readRule("length(status) > 3"),
    readRule("size(status) > 3"),
  ),
  wrong_arguments: error("A function with wrong arguments", readRule("can(read)"), readRule("price > 1")),
  invalid_pattern: error(
    "A pattern that is not valid",
    readRule(`'seller.name.matches("(a")'`),
    readRule(`'seller.name.matches("(a)")'`),
  ),
  rule_circle: error(
    "A rule that uses itself",
    `${readRule("mine")}rules:\n  mine: yours\n  yours: mine\n`,
    `${readRule("mine")}rules:\n  mine: yours\n  yours: published\n`,
  ),
};
