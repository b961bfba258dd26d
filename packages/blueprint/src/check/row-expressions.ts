// In: expressions of an entity over one of its rows: named checks and computed fields. Out: typed trees, with every problem
// reported at its place. They see the row's own fields alone: no relations, nobody signed in, no clock.
import {
  type CheckedExpression,
  checkExpression,
  checkValue,
  type Expression,
  type Schema,
  type Scope,
  someNode,
} from "@plinth/expression";
import type { EntityOptions, TextDeclaration } from "../entity-declaration.ts";
import { recordSchema } from "../expression-schema.ts";
import type { Field, NamedCheck } from "../model.ts";
import type { Report } from "../report.ts";
import type { EntityDraft } from "./entities.ts";
import { checkWord } from "./entity-names.ts";

const CHECKS_MAX = 100;

interface RowContext {
  readonly entity: string;
  readonly fields: readonly Field[];
  /** Fields whose declaration is wrong: an expression that names them is not blamed. */
  readonly broken: ReadonlySet<string>;
  readonly report: Report;
}

export function checkNamedChecks(declared: EntityOptions["checks"], context: RowContext): readonly NamedCheck[] {
  const { report } = context;
  const over = declared[CHECKS_MAX];
  if (over !== undefined) report.add("too_many", over.name.range, `An entity has at most ${CHECKS_MAX} checks.`);
  const scope = rowScope(context);
  return declared.slice(0, CHECKS_MAX).flatMap(({ name, condition }): NamedCheck[] => {
    if (!checkWord(name, "check", report)) return [];
    const expression = told(checkExpression(condition.text, scope), condition, context);
    return expression === null ? [] : [{ name: name.text, condition: expression }];
  });
}

/** Computed fields with their expressions; they see stored fields, not each other. */
export function checkComputed(declared: EntityDraft["fields"], context: RowContext): ReadonlyMap<string, Field> {
  const scope = rowScope(context);
  const found = new Map<string, Field>();
  for (const { field, declared: one } of declared) {
    const text = one.type?.expression ?? null;
    if (field.type.kind !== "computed" || text === null) continue;
    const expression = told(checkValue(text.text, scope, null), text, context);
    if (expression === null) continue;
    const { kind } = expression.type;
    if (kind === "list" || kind === "opaque" || kind === "null") {
      context.report.add("type_mismatch", text.range, `A computed field can't be of the type ${kind}.`);
    } else found.set(field.name, { ...field, type: { kind: "computed", expression } });
  }
  return found;
}

/** Reports what is wrong with an expression over a row; null where anything is. */
function told(checked: CheckedExpression, text: TextDeclaration, context: RowContext): Expression | null {
  const { fields, broken, report } = context;
  for (const { code, message, hint, start, end } of checked.problems) {
    const name = text.text.slice(start, end);
    if (broken.has(name) || broken.has(`${name}_id`)) continue;
    const computed = fields.some((field) => field.name === name && field.type.kind === "computed");
    const better = "A computed field can't be used here: write out what it is made of.";
    report.add(code, text.rangeAt(start, end), message, computed ? better : hint);
  }
  if (checked.expression === null || someNode(checked.expression, (node) => node.kind === "field")) {
    return checked.expression;
  }
  const hint = "It is about fields of one record: `ends_at > starts_at`.";
  report.add("constant_check", text.range, "It reads no field, so it is the same for every record.", hint);
  return null;
}

function rowScope({ entity, fields }: RowContext): Scope {
  const schema: Schema = {
    records: new Map([[entity, recordSchema({ name: entity, fields, relations: [] })]]),
    roles: [],
    organizationRoles: [],
    rules: new Map(),
    grants: () => new Map(),
  };
  return { schema, record: entity, operation: "read", rowOnly: true };
}
