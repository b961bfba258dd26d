// What the parts of a plan are made of. In: slugs, summaries, SQL. Out: steps without their numbers; refusals; paired items.
// It never knows what is changed.
import type { MigrationStep } from "@plinth/bundle";
import * as ddl from "./ddl.ts";

/** A step before its place in the plan is known. */
export type Step = Omit<MigrationStep, "id"> & { readonly slug: string };

export interface Refusal {
  /** `listings`, `listings.price`, or `listings.a+b` for a rule over two fields. */
  readonly path: string;
  /** One sentence for the author. */
  readonly reason: string;
}

export interface Change {
  readonly steps: readonly Step[];
  readonly refused: readonly Refusal[];
}

export function safe(slug: string, summary: string, sql: string): Step {
  return { slug, summary, risk: "safe", sql, transactional: true, cleanup: null };
}

export function online(slug: string, summary: string, sql: string, cleanup: string): Step {
  return { slug, summary, risk: "online", sql, transactional: false, cleanup };
}

/** Reads the whole table, but blocks neither readers nor writers. */
export function validate(table: string, column: string, constraint: string): Step {
  const summary = `Check the records of ${table} that stand already.`;
  const sql = ddl.validateConstraint(table, constraint);
  return { ...safe(`validate-${table}-${column}`, summary, sql), risk: "online" };
}

export interface Pairs<T> {
  readonly removed: readonly T[];
  readonly kept: readonly (readonly [T, T])[];
  readonly added: readonly T[];
}

export function pair<T extends { readonly name: string }>(before: readonly T[], after: readonly T[]): Pairs<T> {
  const old = new Map(before.map((item) => [item.name, item]));
  const names = new Set(after.map((item) => item.name));
  return {
    removed: before.filter((item) => !names.has(item.name)),
    kept: after.flatMap((item) => {
      const was = old.get(item.name);
      return was === undefined ? [] : [[was, item] as const];
    }),
    added: after.filter((item) => !old.has(item.name)),
  };
}
