import * as ddl from "../ddl.ts";
import { concurrent, type Refusal, type Step, statement } from "../migration-step.ts";

export interface Change {
  readonly steps: readonly Step[];
  readonly refused: readonly Refusal[];
}

const undo = "Deploy the version before.";

export function safe(table: string, slug: string, summary: string, sql: string): Step {
  return statement({ slug, summary, phase: "before", table, undo, lock: "access exclusive" }, sql);
}

export function online(table: string, slug: string, summary: string, sql: string, cleanup: string): Step {
  return concurrent({ slug, summary, phase: "before", table, undo, scans: true }, sql, cleanup);
}

/** Reads the whole table, but blocks neither readers nor writers. */
export function validate(table: string, column: string, constraint: string): Step {
  const summary = `Check the records of ${table} that stand already.`;
  const sql = ddl.validateConstraint(table, constraint);
  return statement(
    {
      slug: `validate-${table}-${column}`,
      summary,
      phase: "before",
      table,
      undo,
      class: "online",
      lock: "share update exclusive",
      scans: true,
    },
    sql,
  );
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
