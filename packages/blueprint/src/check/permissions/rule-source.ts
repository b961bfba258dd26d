// Checks rules. In: rules of the blueprint. Out: typed trees, with all problems reported at their positions. It
// remembers the position of each node. It never decides who can do what.
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
  /** The names of rules that are used; this check adds to them. */
  readonly rulesUsed: Set<string>;
  /** Names in the record with a wrong declaration: rules that use them get no further problems. */
  readonly isBroken: (record: string, name: string, message: string) => boolean;
}

export interface RuleScope {
  readonly record: string;
  readonly operation: RuleOperation;
  /** The row for bare names, if it is not the default of the operation. */
  readonly bare?: "old";
}

/** True if one of the rules is true and none of `deny`; null if one of them is wrong. */
export function checkRules(
  allow: readonly RuleDeclaration[],
  deny: readonly RuleDeclaration[],
  scope: RuleScope,
  context: RuleContext,
): Expression | null {
  const checked = checkRule(allow.map(sourceOf), scopeIn(scope, context), deny.map(sourceOf));
  return reported(checked, [...allow, ...deny], scope, context);
}

/** A value of this type: literals and bare words take the type. */
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
