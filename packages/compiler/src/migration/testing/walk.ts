// Migrates a schema with rows on a real Postgres, and compares the result with a new schema. In: tables, rows, the
// writes of both releases. Out: the new schema. Only tests import this.
import type { MigrationStep, SetAside, Table } from "@plinth/bundle";
import { createTestDatabase } from "@plinth/testkit";
import pg from "pg";
import { expect } from "vitest";
import { apply, inspect, makeRoles, makeSchema, type Names, type PlanOptions, plan } from "./sample-tables.ts";

export interface Walked {
  readonly names: Names;
  readonly steps: readonly MigrationStep[];
  /** The number of rows that backfills wrote. */
  readonly written: number;
  /** In SQL, `$` means the schema. */
  query(sql: string): Promise<readonly unknown[]>;
}

export interface WalkOptions extends PlanOptions {
  readonly rows?: string;
  /** The writes of the old release after each step before the switch; `#` is a new number. */
  readonly meanwhile?: string;
  /** The writes of the new release after each step after the switch. */
  readonly afterwards?: string;
}

export interface Walker {
  readonly client: pg.Client;
  /** In a new schema. */
  make(tables: readonly Table[]): Promise<Names>;
  walk(before: readonly Table[], after: readonly Table[], options?: WalkOptions): Promise<Walked>;
  /** Continues from the end of another walk. */
  advance(
    from: Pick<Walked, "names" | "query">,
    before: readonly Table[],
    after: readonly Table[],
    options?: WalkOptions,
  ): Promise<Walked>;
  close(): Promise<void>;
}

export async function openWalker(): Promise<Walker> {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const roles = await makeRoles(client, Math.random().toString(36).slice(2, 8));
  let schemas = 0;

  async function make(tables: readonly Table[]): Promise<Names> {
    const names = await makeSchema(client, roles, `s${++schemas}`);
    await apply(client, plan(null, tables).plan, names);
    return names;
  }

  async function walk(before: readonly Table[], after: readonly Table[], options: WalkOptions = {}): Promise<Walked> {
    const names = await make(before);
    const query = async (sql: string): Promise<readonly unknown[]> =>
      (await client.query({ text: sql.replaceAll("$", names.schema), rowMode: "array" })).rows;
    if (options.rows !== undefined) await query(options.rows);
    return advance({ names, query }, before, after, options);
  }

  async function advance(
    { names, query }: Pick<Walked, "names" | "query">,
    before: readonly Table[],
    after: readonly Table[],
    options: WalkOptions = {},
  ): Promise<Walked> {
    const planned = plan(before, after, options);
    expect(planned.refused).toEqual([]);
    let number = 0;
    const write = (sql: string | undefined) => async (): Promise<void> => {
      if (sql === undefined) return;
      await client.query(`set role ${names.worker}`);
      await query(sql.replaceAll("#", String(++number)));
      await client.query("reset role");
    };
    const written = await apply(client, planned.plan, names, {
      before: write(options.meanwhile),
      after: write(options.afterwards),
    });
    expect(await inspect(client, names)).toEqual(await inspect(client, await make(after)));
    expect(plan(after, after).plan.steps).toEqual([]);
    return { names, steps: planned.plan.steps, written, query };
  }

  const close = async (): Promise<void> => {
    await client.end();
    await database.drop();
  };
  return { client, make, walk, advance, close };
}

export const id = (n: number): string => `'00000000-0000-7000-8000-${String(n).padStart(12, "0")}'`;

export function asideOf(steps: readonly MigrationStep[]): readonly SetAside[] {
  return steps.flatMap((step) => (step.kind === "set_aside" ? [step.what] : []));
}
