// In: rules as the blueprint has them. Out: typed trees, with every problem reported at its place in the text.
// Remembers for each node where it was written; never decides who may do what.
import {
  type CheckedExpression,
  checkRule,
  checkValue,
  type Expression,
  type Problem,
  type RuleOperation,
  type Schema,
  type Scope,
  someNode,
  type Type,
} from "@plinth/expression";
import type { RuleDeclaration } from "../../declarations/declarations.ts";
import type { ModuleName } from "../../model/model.ts";
import type { PlaceTable } from "../../text/places.ts";
import type { Report } from "../../text/report.ts";
import { rangeWithin } from "../../text/syntax.ts";
import { requireModule } from "../modules.ts";

export interface RuleContext {
  readonly schema: Schema;
  readonly source: string;
  readonly report: Report;
  readonly places: PlaceTable;
  readonly modules: ReadonlySet<ModuleName>;
  /** Names of rules that some rule uses; what is checked is added. */
  readonly rulesUsed: Set<string>;
  /** Names of the record that are declared wrongly: a rule that uses them is not blamed. */
  readonly isBroken: (record: string, name: string, message: string) => boolean;
}

export interface RuleScope {
  readonly record: string;
  readonly operation: RuleOperation;
  /** The row that bare names are read from, where it is not the operation's own. */
  readonly bare?: "old";
}

/** What holds where any of the rules does and none of `deny`; null where one of them is wrong. */
export function checkRules(
  allow: readonly RuleDeclaration[],
  deny: readonly RuleDeclaration[],
  scope: RuleScope,
  context: RuleContext,
): Expression | null {
  const checked = checkRule(allow.map(sourceOf), scopeIn(scope, context), deny.map(sourceOf));
  return reported(checked, [...allow, ...deny], scope, context);
}

/** A value of that type: literals and bare words take it. */
export function checkValueRule(
  rule: RuleDeclaration,
  type: Type,
  scope: RuleScope,
  context: RuleContext,
): Expression | null {
  return reported(checkValue(String(rule.source), scopeIn(scope, context), type), [rule], scope, context);
}

function sourceOf(rule: RuleDeclaration): RuleDeclaration["source"] {
  return rule.source;
}

function scopeIn(scope: RuleScope, { schema }: RuleContext): Scope {
  return { schema, ...scope };
}

function reported(
  checked: CheckedExpression,
  declared: readonly RuleDeclaration[],
  { record }: RuleScope,
  context: RuleContext,
): Expression | null {
  const { report, source, places, isBroken, rulesUsed } = context;
  const problems: readonly (Problem & { readonly item?: number })[] = checked.problems;
  for (const { item, start, end, code, message, hint } of problems) {
    const rule = declared[item ?? 0];
    if (rule === undefined) continue;
    if (code === "unknown_name" && isBroken(record, String(rule.source).slice(start, end), message)) continue;
    report.add(code, rangeWithin(rule.scalar, source, start, end), message, hint);
  }
  places.add(
    checked.places,
    declared.map((rule) => rule.scalar),
  );
  for (const name of checked.rulesUsed) rulesUsed.add(name);
  const [first] = declared;
  if (first !== undefined && checked.expression !== null && someNode(checked.expression, asksForOrganization))
    requireModule("organizations", context.modules, "A rule over organizations", first.scalar.range, report);
  return checked.expression;
}

function asksForOrganization(node: Expression): boolean {
  return node.kind === "member" || (node.kind === "context" && node.name === "current_org");
}
