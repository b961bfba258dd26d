// Finds overlapping seed rows. In: an entity's exclusions, then its rows one by one. Out: why the database would refuse
// the row, or null. Accepted rows don't overlap each other, so a new row is compared with only two of them.
import { type Expression, evaluate, type Type, type Value } from "@plinth/expression";
import type { Exclusion, Field } from "../../model/model.ts";
import { typeInRules } from "../../rules/expression-schema.ts";

type Values = Readonly<Record<string, Value>>;

/** Null at either end means that it is open. */
interface Span {
  readonly from: Value;
  readonly to: Value;
}

const nobody = { id: null, email: null, roles: [] };

export function createOverlaps(
  exclusions: readonly Exclusion[],
  fields: ReadonlyMap<string, Field>,
): (values: Values) => string | null {
  const accepted = exclusions.map((exclusion) => ({ exclusion, groups: new Map<string, Span[]>() }));
  return (values) => {
    for (const { exclusion, groups } of accepted) {
      const refused = refusedBy(exclusion, values, fields, groups);
      if (refused !== null) return refused;
    }
    return null;
  };
}

function refusedBy(
  { name, same, from, to, where }: Exclusion,
  values: Values,
  fields: ReadonlyMap<string, Field>,
  groups: Map<string, Span[]>,
): string | null {
  const field = fields.get(from);
  if (field === undefined) return null;
  const type = typeInRules(field.type);
  const span: Span = { from: values[from] ?? null, to: values[to] ?? null };
  if (span.from !== null && span.to !== null && isLess(span.to, span.from, type))
    return `\`${to}\` must not be before \`${from}\`.`;
  const shared = same.map((one) => values[one] ?? null);
  if (shared.includes(null) || !begins(span.from, span.to, type)) return null;
  if (where !== null && evaluate(where, { rows: { record: { values } }, user: nobody }) !== true) return null;
  const key = JSON.stringify(shared);
  const spans = groups.get(key) ?? [];
  groups.set(key, spans);
  const at = placeOf(span, spans, type);
  const neighbors = [spans[at - 1], spans[at]].filter((one) => one !== undefined);
  if (neighbors.some((one) => begins(one.from, span.to, type) && begins(span.from, one.to, type)))
    return `it overlaps the row \`${name}\` above.`;
  spans.splice(at, 0, span);
  return null;
}

/** After all spans that start before it, or at the same point. */
function placeOf({ from }: Span, spans: readonly Span[], type: Type): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = spans[middle]?.from ?? null;
    const isBehind = from === null ? other !== null : other !== null && isLess(from, other, type);
    if (isBehind) high = middle;
    else low = middle + 1;
  }
  return low;
}

function begins(from: Value, to: Value, type: Type): boolean {
  return from === null || to === null || isLess(from, to, type);
}

function isLess(one: Value, other: Value, type: Type): boolean {
  const literal = (value: Value): Expression => ({ kind: "literal", type, value: value as string | number });
  const args = [literal(one), literal(other)];
  return (
    evaluate({ kind: "operation", type: { kind: "bool" }, operator: "<", args }, { rows: {}, user: nobody }) === true
  );
}
