// Conditions of a statement, as values: those that always or never hold shape the statement, and only the others stand in it. In:
// predicates of a bundle, with their holes filled. Out: their sum and their product, with the SQL of each.
import type { Predicate, SqlTemplate } from "@plinth/bundle";

export interface Condition {
  readonly kind: "always" | "never" | "sql";
  /** As it stands in a statement; `true` or `false` where it says nothing about the row. */
  readonly sql: string;
}

export const ALWAYS: Condition = { kind: "always", sql: "true" };
export const NEVER: Condition = { kind: "never", sql: "false" };

/** A condition that the database has to judge. */
export function judged(sql: string): Condition {
  return { kind: "sql", sql };
}

/** A predicate of the bundle with its holes filled. */
export function conditionOf(predicate: Predicate, fill: (template: SqlTemplate) => string): Condition {
  if (predicate.kind === "sql") return judged(fill(predicate.sql));
  return predicate.kind === "always" ? ALWAYS : NEVER;
}

/** Holds where one of them does. */
export function anyOf(conditions: readonly Condition[]): Condition {
  if (conditions.some(({ kind }) => kind === "always")) return ALWAYS;
  const left = conditions.filter(({ kind }) => kind === "sql");
  return left.length === 0 ? NEVER : judged(`(${left.map(({ sql }) => sql).join(" or ")})`);
}

/** Holds where all of them do. */
export function allOf(conditions: readonly Condition[]): Condition {
  if (conditions.some(({ kind }) => kind === "never")) return NEVER;
  const [first, ...more] = conditions.filter(({ kind }) => kind === "sql");
  if (first === undefined) return ALWAYS;
  return more.length === 0 ? first : judged(`(${[first, ...more].map(({ sql }) => sql).join(" and ")})`);
}
