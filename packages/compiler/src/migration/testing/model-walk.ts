// Migrates a project with rows from one blueprint to the next on a real Postgres. In: models, rows, the writes of the
// old release. Out: the new schema, and the refusals. Only tests import this.
import { checkBlueprint, type Model } from "@plinth/blueprint";
import type { SetAside } from "@plinth/bundle";
import { expect } from "vitest";
import { compileModel } from "../../compile.ts";
import { type Proposed, proposeChange } from "../../propose.ts";
import { apply, inspect, type Names } from "./sample-tables.ts";
import type { Walker } from "./walk.ts";

/** Entity > its lines of fields, and options. */
export type Written = Readonly<Record<string, { fields: readonly string[]; options?: readonly string[] }>>;

export function modelOf(entities: Written): Model {
  const lines = Object.entries(entities).flatMap(([name, { fields, options = [] }]) => [
    `  ${name}:`,
    ...options.map((option) => `    ${option}`),
    "    fields:",
    ...fields.map((field) => `      ${field}`),
    "    permissions:",
    "      admin: { all: true }",
  ]);
  const text = ["project: walked", "modules: [auth, users, organizations]", "entities:", ...lines, ""].join("\n");
  const { model, diagnostics } = checkBlueprint(text);
  if (model === null) throw new Error(diagnostics.map((each) => `${each.message}`).join("\n"));
  return model;
}

export interface ChangeOptions {
  readonly setAside?: readonly SetAside[];
  readonly tag?: string;
}

export function propose(before: Model, after: Model, { setAside = [], tag = "t1" }: ChangeOptions = {}): Proposed {
  const live = { model: before, bundle: compileModel(before) };
  return proposeChange({ before: live, after, setAside, tag, author: "person" });
}

export interface ModelWalk {
  started(before: Model, rows: string): Promise<Names>;
  /** `$` means the schema. Out: rows of cells. */
  run(names: Names, sql: string): Promise<readonly unknown[][]>;
  /** Performs the change, and compares the result with a new schema. Out: what the plan has set aside. */
  go(names: Names, before: Model, after: Model, options?: GoOptions): Promise<readonly SetAside[]>;
}

export interface GoOptions extends ChangeOptions {
  /** The writes of the old release after each step before the switch; `#` is a new number. */
  readonly meanwhile?: string;
}

export function createModelWalk(walker: Walker): ModelWalk {
  const run = async (names: Names, sql: string): Promise<readonly unknown[][]> =>
    (await walker.client.query({ text: sql.replaceAll("$", names.schema), rowMode: "array" })).rows as unknown[][];

  async function started(before: Model, rows: string): Promise<Names> {
    const names = await walker.make(compileModel(before).tables);
    await run(names, rows);
    return names;
  }

  async function go(names: Names, before: Model, after: Model, options: GoOptions = {}): Promise<readonly SetAside[]> {
    const { plan, refused } = propose(before, after, options);
    expect(refused).toEqual([]);
    let count = 0;
    const write = async (): Promise<void> => {
      await walker.client.query(`set role ${names.worker}`);
      for (const one of options.meanwhile?.split(";") ?? []) await run(names, one.replaceAll("#", String(++count)));
      await walker.client.query("reset role");
    };
    await apply(walker.client, plan, names, { before: write });
    const fresh = await walker.make(compileModel(after).tables);
    expect(await inspect(walker.client, names)).toEqual(await inspect(walker.client, fresh));
    return plan.steps.flatMap((step) => (step.kind === "set_aside" ? [step.what] : []));
  }

  return { started, run, go };
}

export const id = (at: number): string => `'00000000-0000-7000-8000-${String(at).padStart(12, "0")}'`;
