// Compares limits. In: a field before and after. Out: whether its limits allow less than before, or more.

import type { Field, Limits } from "../model/model.ts";
import type { Part } from "./make-change.ts";

export function limitsChange(before: Field, after: Field): Part | null {
  const [was, is] = [before.limits, after.limits];
  if (was.min === is.min && was.max === is.max && was.pattern === is.pattern) return null;
  // The limits of another type count something else.
  const comparable = before.type.kind === after.type.kind;
  if (!comparable && is.min === null && is.max === null && is.pattern === null) return null;
  const narrower = !comparable ? is.max !== null || is.min !== null || is.pattern !== null : narrows(was, is);
  const text = `is now limited by ${boundsText(is)}, instead of ${boundsText(was)}`;
  return { text, classes: narrower ? ["breaking", "data_dependent", "online"] : ["safe"] };
}

function narrows(was: Limits, is: Limits): boolean {
  const higher = is.min !== null && (was.min === null || !(order(is.min, was.min) <= 0));
  const lower = is.max !== null && (was.max === null || !(order(is.max, was.max) >= 0));
  return higher || lower || (is.pattern !== null && is.pattern !== was.pattern);
}

/** Numbers are compared by value, dates and times by their text; NaN if there is no order, which counts as narrower. */
function order(a: string, b: string): number {
  if (a === b) return 0;
  const numbers = [Number(a), Number(b)] as const;
  if (numbers.every((one) => !Number.isNaN(one))) return numbers[0] - numbers[1] || Number.NaN;
  const moment = /^\d[\d:.TZ-]*$/;
  if (moment.test(a) && moment.test(b)) return a < b ? -1 : a > b ? 1 : 0;
  return Number.NaN;
}

function boundsText({ min, max, pattern }: Limits): string {
  const bounds = [
    ...(min === null ? [] : [`min ${min}`]),
    ...(max === null ? [] : [`max ${max}`]),
    ...(pattern === null ? [] : [`the pattern \`${pattern}\``]),
  ];
  return bounds.length === 0 ? "nothing" : bounds.join(" and ");
}
