// Checks `fill`. In: the declared expressions. Out: typed expressions, with all problems reported. They can use the
// record and the records that it refers to. There is no user and no request.
import { checkValue, type Expression, type Schema, someNode } from "@plinth/expression";
import type { EntityDeclaration } from "../declarations/declarations.ts";
import type { FieldDeclaration, TextDeclaration } from "../declarations/entity-declaration.ts";
import type { Field } from "../model/model.ts";
import { typeInRules } from "../rules/expression-schema.ts";
import type { Report } from "../text/report.ts";
import type { CheckedEntity } from "./entities/entity-draft.ts";

/** Entity > field > its expression. */
export type Fills = ReadonlyMap<string, ReadonlyMap<string, Expression>>;

interface FillContext {
  readonly entities: readonly CheckedEntity[];
  readonly schema: Schema;
  /** The names of rules that are used; this check adds to them. */
  readonly rulesUsed: Set<string>;
  readonly report: Report;
}

export function checkFills(declared: readonly EntityDeclaration[], context: FillContext): Fills {
  const filling = new Map(declared.map((one) => [one.name.text, one.fields.filter(({ fill }) => fill !== null)]));
  const fills = new Map(
    context.entities.map(({ entity, brokenFields }): [string, ReadonlyMap<string, Expression>] => {
      const found = (filling.get(entity.name) ?? []).flatMap((one): [string, Expression][] => {
        const field = entity.fields.find(({ name }) => name === one.name.text);
        if (field === undefined || one.fill === null) return [];
        const expected = typeInRules(field.type);
        const scope = { schema: context.schema, record: entity.name, operation: "read", reach: "references" } as const;
        const checked = checkValue(one.fill.text, scope, expected);
        const expression = reportedExpression(checked, one.fill, field, brokenFields, context);
        return expression === null ? [] : [[field.name, expression]];
      });
      return [entity.name, new Map(found)];
    }),
  );
  return refuseCircles(fills, filling, context);
}

function reportedExpression(
  checked: ReturnType<typeof checkValue>,
  text: TextDeclaration,
  { name: field, type }: Field,
  broken: ReadonlySet<string>,
  { rulesUsed, report }: FillContext,
): Expression | null {
  for (const name of checked.rulesUsed) rulesUsed.add(name);
  for (const { code, message, hint, start, end } of checked.problems) {
    const name = text.text.slice(start, end);
    if (broken.has(name) || broken.has(`${name}_id`)) continue;
    const isGone = code === "unknown_name" && message.includes("has no field");
    const value = isGone && type.kind === "enum" && type.values.includes(name);
    const said = value
      ? `\`${name}\` is a value of \`${field}\`. In an expression with fields, write such values in quotes: \`"${name}"\`.`
      : isGone && hint?.startsWith("Did you mean") !== true
        ? "After this has been deployed, `fill` has no further effect: remove it. Until then, keep the fields that it reads."
        : hint;
    report.add(code, text.rangeAt(start, end), message, said);
  }
  return checked.expression;
}

/** A field that is filled from itself, directly or through others, has no value to start with. */
function refuseCircles(
  fills: Fills,
  filling: ReadonlyMap<string, readonly FieldDeclaration[]>,
  { schema, report }: FillContext,
): Fills {
  const reads = new Map<string, readonly string[]>();
  for (const [entity, fields] of fills)
    for (const [field, expression] of fields) reads.set(`${entity}.${field}`, fieldsRead(expression, entity, schema));
  return new Map(
    [...fills].map(([entity, fields]) => {
      const sound = [...fields].filter(([field]) => {
        if (!leadsTo(`${entity}.${field}`, reads)) return true;
        const text = filling.get(entity)?.find(({ name }) => name.text === field)?.fill;
        if (text != null)
          report.add(
            "rule_circle",
            text.range,
            `\`${field}\` can't be filled from itself.`,
            "Use other fields to fill it.",
          );
        return false;
      });
      return [entity, new Map(sound)];
    }),
  );
}

/** `entity.field` of each step of each path. */
function fieldsRead(expression: Expression, entity: string, schema: Schema): readonly string[] {
  const found = new Set<string>();
  someNode(expression, (node) => {
    let at: string | null | undefined = entity;
    for (const name of node.kind === "field" ? node.path : []) {
      if (at == null) break;
      found.add(`${at}.${name}`);
      at = schema.records.get(at)?.fields.get(name)?.refersTo;
    }
    return false;
  });
  return [...found];
}

function leadsTo(start: string, reads: ReadonlyMap<string, readonly string[]>): boolean {
  const seen = new Set<string>();
  const open = [...(reads.get(start) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === start) return true;
    if (seen.size === seen.add(next).size) continue;
    open.push(...(reads.get(next) ?? []));
  }
  return false;
}
