// In: conditions. Out: their conjunction.
import { type Expression, joined } from "@plinth/expression";

const always: Expression = { kind: "literal", type: { kind: "bool" }, value: true };

/** All of them in one flat list, without those that are always true. */
export function allOf(conditions: readonly Expression[]): Expression {
  const open = conditions.filter((one) => !(one.kind === "literal" && one.value === true));
  const [first] = open;
  return first === undefined ? always : open.length === 1 ? first : joined("&&", open);
}
