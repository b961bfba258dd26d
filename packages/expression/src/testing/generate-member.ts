// Test-only. In: a field of the type object, and a kind. Out: a member of the object of this kind; null if there is
// none.
import type { FieldSchema } from "../schema.ts";
import type { Expression } from "../tree.ts";
import type { Draw } from "./generate-values.ts";

export function memberOf(
  object: Expression,
  members: NonNullable<FieldSchema["members"]>,
  kind: string,
  draw: Draw,
): Expression | null {
  const ways = waysIn(members).filter(([, { type }]) => type.kind === kind);
  if (ways.length === 0) return null;
  const [path, { type }] = draw.pick(ways);
  const names = path.map((name): Expression => ({ kind: "literal", type: { kind: "text" }, value: name }));
  return { kind: "operation", type, operator: ".", args: [object, ...names] };
}

function waysIn(members: NonNullable<FieldSchema["members"]>): (readonly [readonly string[], FieldSchema])[] {
  return [...members].flatMap(([name, field]) => [
    [[name], field] as const,
    ...waysIn(field.members ?? new Map()).map(([path, inner]) => [[name, ...path], inner] as const),
  ]);
}
