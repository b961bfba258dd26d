// In: expressions of an entity over one of its rows: named checks and computed fields. Out: typed trees, with every problem
// reported at its place. They see the row's own fields alone, and rules by their names: no relations, nobody signed in, no clock.
import {
  type CheckedExpression,
  checkExpression,
  checkValue,
  type Expression,
  type FieldSchema,
  type Schema,
  type Scope,
  someNode,
} from "@plinth/expression";
import type { EntityOptions, TextDeclaration } from "../../declarations/entity-declaration.ts";
import type { Field, NamedCheck } from "../../model/model.ts";
import { recordSchema } from "../../rules/expression-schema.ts";
import type { Report } from "../../text/report.ts";
import type { EntityDraft } from "./entity-draft.ts";
import { checkWord } from "./entity-names.ts";

const CHECKS_MAX = 100;

export interface NamedRules {
  /** Name > text. */
  readonly rules: ReadonlyMap<string, string>;
  /** Names of rules that are used; what is checked here is added. */
  readonly rulesUsed: Set<string>;
}

export interface RowContext extends NamedRules {
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
  if (declared.length === 0) return [];
  const scope = rowScope(context);
  return declared.slice(0, CHECKS_MAX).flatMap(({ name, condition }): NamedCheck[] => {
    if (!checkWord(name, "check", report)) return [];
    const expression = told(checkExpression(condition.text, scope), condition, context);
    return expression === null ? [] : [{ name: name.text, condition: expression }];
  });
}

/** A condition over a row that is no check. */
export function checkRowCondition(condition: TextDeclaration, context: RowContext): Expression | null {
  return told(checkExpression(condition.text, rowScope(context)), condition, context);
}

interface CheckedComputed {
  readonly found: ReadonlyMap<string, Field>;
  /** Names of those whose expression is wrong. */
  readonly broken: ReadonlySet<string>;
}

/** Computed fields with their expressions, in which others are written out. */
export function checkComputed(declared: EntityDraft["fields"], context: RowContext): CheckedComputed {
  const texts = new Map(
    declared.flatMap(({ field, declared: one }): [string, TextDeclaration][] => {
      const text = one.type?.expression ?? null;
      return field.type.kind === "computed" && text !== null ? [[field.name, text]] : [];
    }),
  );
  if (texts.size === 0) return { found: new Map(), broken: new Set() };
  const broken = new Set<string>();
  const made = new Map<string, Expression>();
  const open = new Set<string>();
  const scope = rowScope(context, (name) => make(name));

  /** Each is checked when it is first asked for, by another or at last by itself. */
  function make(name: string): Expression | "circle" | "broken" {
    const done = made.get(name);
    const text = texts.get(name);
    if (done !== undefined) return done;
    if (text === undefined || broken.has(name)) return "broken";
    if (open.has(name)) return "circle";
    open.add(name);
    const checked = checkValue(text.text, scope, null);
    const expression = told(checked, text, { ...context, broken: new Set([...context.broken, ...broken]) });
    open.delete(name);
    if (expression === null || !isValue(expression, text, context)) broken.add(name);
    else made.set(name, expression);
    return made.get(name) ?? "broken";
  }

  for (const name of texts.keys()) make(name);
  const found = declared.flatMap(({ field }): [string, Field][] => {
    const expression = made.get(field.name);
    return expression === undefined ? [] : [[field.name, { ...field, type: { kind: "computed", expression } }]];
  });
  return { found: new Map(found), broken };
}

function isValue({ type: { kind } }: Expression, { range }: TextDeclaration, { report }: RowContext): boolean {
  if (kind !== "list" && kind !== "opaque" && kind !== "null") return true;
  report.add("type_mismatch", range, `A computed field can't be of the type ${kind}.`);
  return false;
}

/** Reports what is wrong with an expression over a row; null where anything is. */
function told(checked: CheckedExpression, text: TextDeclaration, context: RowContext): Expression | null {
  const { broken, report } = context;
  for (const name of checked.rulesUsed) context.rulesUsed.add(name);
  for (const { code, message, hint, start, end } of checked.problems) {
    const name = text.text.slice(start, end);
    if (broken.has(name) || broken.has(`${name}_id`)) continue;
    report.add(code, text.rangeAt(start, end), message, hint);
  }
  if (checked.expression === null || someNode(checked.expression, (node) => node.kind === "field")) {
    return checked.expression;
  }
  const hint = "It is about fields of one record: `ends_at > starts_at`.";
  report.add("constant_check", text.range, "It reads no field, so it is the same for every record.", hint);
  return null;
}

type Made = NonNullable<FieldSchema["computed"]>;

/** `make` gives computed fields whose expressions are not known yet. */
function rowScope({ entity, fields, rules }: RowContext, make?: (name: string) => ReturnType<Made>): Scope {
  const record = recordSchema({ name: entity, fields, relations: [] });
  const known = [...record.fields].map(([name, field]): [string, FieldSchema] =>
    make === undefined || field.computed === undefined
      ? [name, field]
      : [name, { ...field, computed: () => make(name) }],
  );
  const schema: Schema = {
    records: new Map([[entity, { ...record, fields: new Map(known) }]]),
    roles: [],
    organizationRoles: [],
    rules,
    grants: () => new Map(),
  };
  return { schema, record: entity, operation: "read", reach: "row" };
}
