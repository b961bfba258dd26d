// Compares the inputs of an action. In: two fields. Out: whether every value of one is also a value of the other.
import type { Field } from "../../model/model.ts";
import { same } from "../make-change.ts";

export function isWithin(field: Field | undefined, range: Field | undefined): boolean {
  if (field === undefined || range === undefined || (field.optional && !range.optional)) return false;
  return isTypeWithin(field.type, range.type) && isLimited(field.limits, range.limits);
}

function isTypeWithin(type: Field["type"], range: Field["type"]): boolean {
  const isEnum = type.kind === "enum" && range.kind === "enum";
  return isEnum ? type.values.every((one) => range.values.includes(one)) : same(type, range);
}

function isLimited(own: Field["limits"], range: Field["limits"]): boolean {
  return (
    isBound(own.min, range.min, (a, b) => a >= b) &&
    isBound(own.max, range.max, (a, b) => a <= b) &&
    (range.pattern === null || own.pattern === range.pattern)
  );
}

/** Limits of times and dates are no numbers: they are only compared for equality. */
function isBound(own: string | null, range: string | null, fits: (a: number, b: number) => boolean): boolean {
  if (range === null || own === range) return true;
  return own !== null && fits(Number(own), Number(range));
}
