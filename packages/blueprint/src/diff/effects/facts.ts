// Conditions that no rule can say: an approval was given, an event has come, a step has failed. Each is a value that is
// only compared with itself.
import { type Expression, joined } from "@plinth/expression";

const bool = { kind: "bool" } as const;

export function fact(kind: string, of: string): Expression {
  return { kind: "value", type: bool, root: kind, path: [of] };
}

export function exactly(value: boolean): Expression {
  return { kind: "literal", type: bool, value };
}

/** `passed`, unless one of the conditions isn't true: a step that is skipped demands nothing. */
export function unless(conditions: readonly Expression[], passed: Expression): Expression {
  if (conditions.length === 0) return passed;
  const condition = joined("&&", conditions);
  const nothing: Expression = { kind: "literal", type: { kind: "null" }, value: null };
  const isKnown: Expression = { kind: "operation", type: bool, operator: "!=", args: [condition, nothing] };
  const args = [joined("&&", [isKnown, condition]), passed, exactly(true)];
  return { kind: "operation", type: bool, operator: "?:", args };
}
