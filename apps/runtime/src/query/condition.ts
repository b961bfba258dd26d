// Conditions of a statement as values. A condition that always or never holds shapes the statement; only the others
// appear in it. In: predicates of a bundle, with their holes filled. Out: their disjunction and their conjunction, with
// the SQL of each.
import type { Predicate, SqlTemplate } from "@plinth/bundle";

export interface Condition {
  readonly kind: "always" | "never" | "sql";
  /** The SQL in the statement; `true` or `false` if it doesn't depend on the row. */
  readonly sql: string;
}

export const ALWAYS: Condition = { kind: "always", sql: "true" };
export const NEVER: Condition = { kind: "never", sql: "false" };

/** A condition that the database must evaluate. */
export function judged(sql: string): Condition {
  return { kind: "sql", sql };
}

/** A predicate of the bundle with its holes filled. */
export function conditionOf(predicate: Predicate, fill: (template: SqlTemplate) => string): Condition {
  if (predicate.kind === "sql") return judged(fill(predicate.sql));
  return predicate.kind === "always" ? ALWAYS : NEVER;
}

/** Holds if one of them does. */
export function anyOf(conditions: readonly Condition[]): Condition {
  if (conditions.some(({ kind }) => kind === "always")) return ALWAYS;
  const left = conditions.filter(({ kind }) => kind === "sql");
  return left.length === 0 ? NEVER : judged(`(${left.map(({ sql }) => sql).join(" or ")})`);
}

/** Holds if all of them do. */
export function allOf(conditions: readonly Condition[]): Condition {
  if (conditions.some(({ kind }) => kind === "never")) return NEVER;
  const [first, ...more] = conditions.filter(({ kind }) => kind === "sql");
  if (first === undefined) return ALWAYS;
  return more.length === 0 ? first : judged(`(${[first, ...more].map(({ sql }) => sql).join(" and ")})`);
}
