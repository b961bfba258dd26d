// Diagnostics of rules: the problems of `@plinth/expression`, with examples.
import type { ProblemCode } from "@plinth/expression";
import { type DiagnosticKind, error, listing, publicRule, readRule, warning } from "./kind.ts";

const ambiguous = (rule: string): string =>
  `${listing("status: enum[draft, active]\nactive: enum[draft, active]")}    permissions:\n      public:\n        read: ${rule}\n`;

export const expressionDiagnostics: Readonly<Record<ProblemCode, DiagnosticKind>> = {
  expression_syntax: error("A rule that can't be read", readRule("status = active"), readRule("status == active")),
  expression_too_large: error(
    "A rule that is too large",
    readRule(Array.from({ length: 300 }, () => "price > 1").join(" && ")),
    readRule("published"),
  ),
  expression_not_supported: error(
    "A rule with something that can't be lowered to SQL",
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
    "A value that the enum does not have",
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
    "A name that can't stand here",
    `${listing("starts_at: datetime")}    checks:\n      soon: starts_at > now\n`,
    `${listing("starts_at: datetime")}    checks:\n      soon: starts_at > created_at\n`,
  ),
  unknown_function: error(
    "A function that does not exist",
    readRule("length(status) > 3"),
    readRule("size(status) > 3"),
  ),
  wrong_arguments: error("A function that is called in another way", readRule("can(read)"), readRule("price > 1")),
  invalid_pattern: error(
    "A pattern that can't be",
    readRule(`'seller.name.matches("(a")'`),
    readRule(`'seller.name.matches("(a)")'`),
  ),
  rule_circle: error(
    "A rule that leads back to itself",
    `${readRule("mine")}rules:\n  mine: yours\n  yours: mine\n`,
    `${readRule("mine")}rules:\n  mine: yours\n  yours: published\n`,
  ),
};
