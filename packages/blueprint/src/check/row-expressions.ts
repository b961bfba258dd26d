// In: expressions of an entity over one of its rows: named checks and computed fields. Out: typed trees, with every problem
// reported at its place. They see the row's own fields alone: no relations, nobody signed in, no clock.
import {
  checkExpression,
  type Expression,
  parseExpression,
  type Schema,
  type Scope,
  type Type,
} from "@plinth/expression";
import type { EntityOptions, TextDeclaration } from "../entity-declaration.ts";
import { recordSchema } from "../expression-schema.ts";
import type { Field, NamedCheck } from "../model.ts";
import type { Report } from "../report.ts";
import type { EntityDraft } from "./entities.ts";
import { checkWord } from "./entity-names.ts";

const CHECKS_MAX = 100;

export function checkNamedChecks(
  entity: string,
  declared: EntityOptions["checks"],
  fields: readonly Field[],
  broken: ReadonlySet<string>,
  report: Report,
): readonly NamedCheck[] {
  const over = declared[CHECKS_MAX];
  if (over !== undefined) report.add("too_many", over.name.range, `An entity has at most ${CHECKS_MAX} checks.`);
  const scope = rowScope(entity, fields);
  return declared.flatMap(({ name, condition }): NamedCheck[] => {
    if (!checkWord(name, "check", report)) return [];
    const { expression, problems } = checkExpression(condition.text, scope);
    for (const problem of problems) {
      if (isOfBroken(condition.text.slice(problem.start, problem.end), broken)) continue;
      report.add(problem.code, condition.rangeAt(problem.start, problem.end), problem.message, problem.hint);
    }
    if (expression === null) return [];
    if (readsRow(expression)) return [{ name: name.text, condition: expression }];
    const hint = "It compares fields of one record: `ends_at > starts_at`.";
    report.add(
      "constant_check",
      condition.range,
      "The check reads no field, so it is the same for every record.",
      hint,
    );
    return [];
  });
}

/** Computed fields with their expressions; they see stored fields, not each other. */
export function checkComputed(
  entity: string,
  declared: EntityDraft["fields"],
  fields: readonly Field[],
  broken: Set<string> | ReadonlySet<string>,
  report: Report,
): ReadonlyMap<string, Field> {
  const found = new Map<string, Field>();
  if (!declared.some(({ field }) => field.type.kind === "computed")) return found;
  const computed = new Set(
    declared.filter(({ field }) => field.type.kind === "computed").map(({ field }) => field.name),
  );
  const scope = rowScope(entity, fields);
  for (const { field, declared: one } of declared) {
    const text = one.type?.expression ?? null;
    if (field.type.kind !== "computed" || text === null) continue;
    const expression = computedValue(text, scope, { computed, broken, report });
    if (expression !== null) found.set(field.name, { ...field, type: { kind: "computed", expression } });
  }
  return found;
}

interface ValueContext {
  readonly computed: ReadonlySet<string>;
  readonly broken: ReadonlySet<string>;
  readonly report: Report;
}

function computedValue(
  text: TextDeclaration,
  scope: Scope,
  { computed, broken, report }: ValueContext,
): Expression | null {
  const parsed = parseExpression(text.text);
  // An expression of any type is checked as one side of a comparison: what it is compared with leaves its type alone.
  const [before, behind] = ["(", ") == null"];
  const checked = parsed.syntax === null ? null : checkExpression(`${before}${text.text}${behind}`, scope);
  for (const problem of checked?.problems ?? parsed.problems) {
    const shift = checked === null ? 0 : before.length;
    const start = Math.max(0, Math.min(problem.start - shift, text.text.length));
    const end = Math.max(start, Math.min(problem.end - shift, text.text.length));
    const name = text.text.slice(start, end);
    if (isOfBroken(name, broken)) continue;
    const hint = computed.has(name)
      ? "A computed field can't use another one: write out what it is made of."
      : problem.hint;
    report.add(problem.code, text.rangeAt(start, end), problem.message, hint);
  }
  const comparison = checked?.expression ?? null;
  const value = comparison?.kind === "operation" ? (comparison.args[0] ?? null) : null;
  if (value === null) return null;
  if (!readsRow(value)) {
    report.add("constant_check", text.range, "The expression reads no field, so it is the same for every record.");
    return null;
  }
  if (isPlain(value.type)) return value;
  report.add("type_mismatch", text.range, `A computed field can't be of the type ${value.type.kind}.`);
  return null;
}

function isPlain({ kind }: Type): boolean {
  return kind !== "list" && kind !== "opaque" && kind !== "null";
}

function isOfBroken(name: string, broken: ReadonlySet<string>): boolean {
  return broken.has(name) || broken.has(`${name}_id`);
}

function readsRow(expression: Expression): boolean {
  switch (expression.kind) {
    case "field":
      return true;
    case "list":
      return expression.items.some(readsRow);
    case "operation":
      return expression.args.some(readsRow);
    default:
      return false;
  }
}

function rowScope(name: string, fields: readonly Field[]): Scope {
  const schema: Schema = {
    records: new Map([[name, recordSchema({ name, fields, relations: [] })]]),
    roles: [],
    organizationRoles: [],
    rules: new Map(),
    grants: () => new Map(),
  };
  return { schema, record: name, operation: "read", rowOnly: true };
}
