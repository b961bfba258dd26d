// Checks expressions over one row, such as named checks. In: the expressions. Out: typed trees, with all problems
// reported. They can use the row's own fields and named rules: no relations, no user, no clock.
import {
  type CheckedExpression,
  checkExpression,
  type Expression,
  partsOf,
  type Schema,
  type Scope,
  someNode,
} from "@plinth/expression";
import type { EntityOptions, TextDeclaration } from "../../declarations/entity-declaration.ts";
import type { Field, NamedCheck } from "../../model/model.ts";
import { recordSchema } from "../../rules/expression-schema.ts";
import type { Report } from "../../text/report.ts";
import { checkWord } from "./entity-names.ts";

const CHECKS_MAX = 100;

export interface NamedRules {
  /** Name > text. */
  readonly rules: ReadonlyMap<string, string>;
  /** The names of rules that are used; this check adds to them. */
  readonly rulesUsed: Set<string>;
}

export interface RowContext extends NamedRules {
  readonly entity: string;
  readonly fields: readonly Field[];
  /** Fields with a wrong declaration: expressions that use them get no further problems. */
  readonly broken: ReadonlySet<string>;
  readonly report: Report;
}

export function checkNamedChecks(declared: EntityOptions["checks"], context: RowContext): readonly NamedCheck[] {
  const { report } = context;
  const over = declared[CHECKS_MAX];
  if (over !== undefined) report.add("too_many", over.name.range, `An entity can have at most ${CHECKS_MAX} checks.`);
  if (declared.length === 0) return [];
  const scope = rowScope(context);
  return declared.slice(0, CHECKS_MAX).flatMap(({ name, condition }): NamedCheck[] => {
    if (!checkWord(name, "check", report)) return [];
    const expression = toldOfRow(checkExpression(condition.text, scope), condition, context);
    return expression === null ? [] : [{ name: name.text, condition: expression }];
  });
}

/** A condition over a row that is not a check. */
export function checkRowCondition(condition: TextDeclaration, context: RowContext): Expression | null {
  return toldOfRow(checkExpression(condition.text, rowScope(context)), condition, context);
}

interface Reporting {
  readonly rulesUsed: Set<string>;
  readonly report: Report;
  /** Whether a word names a field with a wrong declaration, which is reported already. */
  readonly isBroken: (word: string, message: string) => boolean;
}

/** Reports problems of an expression over a row; null if there are any. */
export function reportedExpression(
  checked: CheckedExpression,
  text: TextDeclaration,
  { rulesUsed, report, isBroken }: Reporting,
): Expression | null {
  for (const name of checked.rulesUsed) rulesUsed.add(name);
  for (const { code, message, hint, start, end } of checked.problems) {
    if (!isBroken(text.text.slice(start, end), message)) report.add(code, text.rangeAt(start, end), message, hint);
  }
  const readsRecord = ({ kind }: Expression): boolean => kind === "field" || kind === "each";
  if (checked.expression === null || someNode(checked.expression, readsRecord)) return checked.expression;
  const hint = "Compare fields of the record: `ends_at > starts_at`.";
  report.add(
    "constant_check",
    text.range,
    "This expression reads no field, so its value is the same for every record.",
    hint,
  );
  return null;
}

function toldOfRow(checked: CheckedExpression, text: TextDeclaration, context: RowContext): Expression | null {
  const isBroken = (name: string): boolean => context.broken.has(name) || context.broken.has(`${name}_id`);
  const condition = reportedExpression(checked, text, { ...context, isBroken });
  if (condition === null || writtenOutDeep(condition) <= WRITTEN_OUT_MAX) return condition;
  const message = `Calculations with times and floats can be nested at most ${WRITTEN_OUT_MAX} deep here.`;
  context.report.add("expression_too_large", text.range, message);
  return null;
}

/** A constraint writes out each value of such a calculation three times or more. */
const WRITTEN_OUT_MAX = 5;

function writtenOutDeep(expression: Expression): number {
  const below = Math.max(0, ...partsOf(expression).map(writtenOutDeep));
  if (expression.kind !== "operation" || expression.type.kind === "bool") return below;
  const isPlain = [expression, ...expression.args].every(({ type: { kind } }) => kind === "int" || kind === "decimal");
  return isPlain ? below : below + 1;
}

function rowScope({ entity, fields, rules }: RowContext): Scope {
  const schema: Schema = {
    records: new Map([[entity, recordSchema({ name: entity, fields, relations: [] })]]),
    roles: [],
    organizationRoles: [],
    rules,
    grants: () => new Map(),
  };
  return { schema, record: entity, operation: "read", reach: "row" };
}
