// Writes checks as SQL, and compares two of them. In: a check as data, and its table's columns. Out: a boolean
// expression over quoted column names, or the answer. It never looks at a database.
import type { Check, Column } from "@plinth/bundle";
import { quoteIdentifier as q, quoteText } from "./sql-text.ts";

type Rule = Check["rule"];

/** Values are sorted, so that the same set is the same text. */
export function checkExpression(check: Check, columns: readonly Column[]): string {
  const [name] = check.columns;
  const { rule } = check;
  if (name === undefined) throw new Error(`the check ${check.name} uses no column`);
  const column = q(name);
  switch (rule.kind) {
    case "sql":
      return rule.sql;
    case "one_of":
      return `${column} in (${valueList(rule.values)})`;
    case "subset_of":
      return rule.values.length === 0 ? `${column} = '{}'` : `${column} <@ array[${valueList(rule.values)}]::text[]`;
    case "length":
      return bounds(lengthOf(column, columns.find((one) => one.name === name)?.sqlType ?? "text"), rule);
    case "range": {
      const [min, max] = [rule.min, rule.max].map((bound) => (bound === null ? null : quoteText(bound)));
      return bounds(column, { min: min ?? null, max: max ?? null });
    }
  }
}

function valueList(values: readonly string[]): string {
  return [...values].sort().map(quoteText).join(", ");
}

/** Code points of a text, members of a list. In a jsonb column, a value that is not a list has no length and passes. */
function lengthOf(column: string, sqlType: string): string {
  if (sqlType.endsWith("[]")) return `cardinality(${column})`;
  if (sqlType === "jsonb") return `jsonb_array_length(case jsonb_typeof(${column}) when 'array' then ${column} end)`;
  return `char_length(${column})`;
}

function bounds(value: string, { min, max }: { min: number | string | null; max: number | string | null }): string {
  const parts = [...(min === null ? [] : [`${value} >= ${min}`]), ...(max === null ? [] : [`${value} <= ${max}`])];
  return parts.length === 0 ? "true" : parts.join(" and ");
}

function sameRule(a: Rule, b: Rule): boolean {
  return ruleKey(a) === ruleKey(b);
}

export function ruleKey(rule: Rule): string {
  switch (rule.kind) {
    case "one_of":
    case "subset_of":
      return JSON.stringify([rule.kind, [...rule.values].sort()]);
    case "length":
    case "range":
      return JSON.stringify([rule.kind, rule.min, rule.max]);
    case "sql":
      return JSON.stringify([rule.kind, rule.sql]);
  }
}

/** True if each value that satisfies `a` certainly satisfies `b`. */
export function implies(a: Rule, b: Rule): boolean {
  if ((a.kind === "one_of" && b.kind === "one_of") || (a.kind === "subset_of" && b.kind === "subset_of")) {
    const values = new Set(b.values);
    return a.values.every((value) => values.has(value));
  }
  if (a.kind === "length" && b.kind === "length") return within(a, b, (x, y) => x <= y);
  if (a.kind === "range" && b.kind === "range") return within(a, b, surelyAtMost);
  return sameRule(a, b);
}

interface Bounds<T> {
  readonly min: T | null;
  readonly max: T | null;
}

function within<T>(inner: Bounds<T>, outer: Bounds<T>, atMost: (a: T, b: T) => boolean): boolean {
  const min = outer.min === null || (inner.min !== null && atMost(outer.min, inner.min));
  const max = outer.max === null || (inner.max !== null && atMost(inner.max, outer.max));
  return min && max;
}

/**
 * Whether one limit is certainly at most the other: numbers by value, dates and times of the same length by their text.
 */
function surelyAtMost(a: string, b: string): boolean {
  if (a === b) return true;
  const numbers = [a, b].map((text) => (/^-?\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : Number.NaN));
  if (!numbers.some(Number.isNaN)) return numbers[0]! <= numbers[1]!;
  const isTime = (text: string): boolean => /^\d\d(\d\d-\d\d|:\d\d)[\d:.TZ-]*$/.test(text);
  return isTime(a) && isTime(b) && a.length === b.length && a < b;
}
