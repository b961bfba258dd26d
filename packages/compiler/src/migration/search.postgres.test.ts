// Search during a change: each release finds all records at any time, and nobody waits for the index.
import { checkBlueprint, type Model, renamesOf } from "@plinth/blueprint";
import type { MigrationPlan, SetAside } from "@plinth/bundle";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compileModel } from "../compile.ts";
import { planMigration } from "./migration.ts";
import { apply, inspect, type Names, plan, searched, table } from "./testing/sample-tables.ts";
import { openWalker, type Walker } from "./testing/walk.ts";

let walker: Walker;
beforeAll(async () => {
  walker = await openWalker();
});
afterAll(() => walker?.close());

function modelOf(entities: string, language = "english"): Model {
  const text = `project: library\nmodules: [auth, users]\nsearch: { language: ${language} }\nentities:\n${entities}`;
  const { model, diagnostics } = checkBlueprint(text);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  return model;
}

const entity = (name: string, fields: string): string =>
  `  ${name}:\n    fields: { ${fields} }\n    permissions: { admin: { all: true } }\n`;

function change(before: Model, after: Model, setAside: readonly SetAside[] = []): MigrationPlan {
  const planned = planMigration({
    before: compileModel(before).tables,
    after: compileModel(after).tables,
    renames: renamesOf(before, after),
    setAside,
    tag: "t1",
  });
  expect(planned.refused).toEqual([]);
  return planned.plan;
}

async function query(names: Names, sql: string): Promise<readonly unknown[]> {
  const { rows } = await walker.client.query({
    text: sql.replaceAll("$.", `${names.schema}.`),
    rowMode: "array",
  });
  return rows.flat();
}

const write = (names: Names, at: string, number: number, column: string, text: string): Promise<readonly unknown[]> =>
  query(
    names,
    `insert into $.${at} (id, ${column}) values ('00000000-0000-7000-8000-${String(number).padStart(12, "0")}', '${text}')`,
  );

const find = (names: Names, at: string, column: string, words: string, by = "_search"): Promise<readonly unknown[]> =>
  query(names, `select ${column} from $.${at} where ${by} @@ '${words}' order by 1`);

const note = (fields: string, language?: string): Model => modelOf(entity("note", fields), language);

describe("a field that becomes searchable", () => {
  test("finds existing records and those that the old release writes, without a long lock", async () => {
    const [before, after] = [note("text: string"), note("text: string searchable")];
    const names = await walker.make(compileModel(before).tables);
    for (const number of [1, 2, 3]) await write(names, "notes", number, "text", `running ${number}`);
    const steps = change(before, after);
    expect(steps.steps.map(({ id, phase, lock, class: kind }) => [id, phase, lock, kind])).toEqual([
      ["001-add-search-notes", "before", "access exclusive", "safe"],
      ["002-keep-search-notes", "before", "share row exclusive", "safe"],
      ["003-fill-search-notes", "before", "row exclusive", "backfill"],
      ["004-index-notes--text--gin", "before", "share update exclusive", "online"],
    ]);
    let number = 10;
    await apply(walker.client, steps, names, {
      before: async () => {
        await write(names, "notes", ++number, "text", `running ${number}`);
        await query(names, `update $.notes set text = 'walking' where text = 'running ${number - 1}'`);
      },
    });
    const all = await query(names, "select text from $.notes order by 1");
    expect(all).toHaveLength(7);
    expect(await find(names, "notes", "text", "run | walk")).toEqual(all);
    expect(await find(names, "notes", "text", "running")).toEqual(all.filter((text) => text !== "walking"));
    expect(await inspect(walker.client, names)).toEqual(
      await inspect(walker.client, await walker.make(compileModel(after).tables)),
    );
  });
});

test("with another language, the old release searches the old words until the switch, and the new one the new words", async () => {
  const [before, after] = [note("text: string searchable", "french"), note("text: string searchable", "german")];
  const names = await walker.make(compileModel(before).tables);
  await write(names, "notes", 1, "text", "utilisées Frauen");
  const steps = change(before, after);
  await apply(walker.client, steps, names, {
    before: async () => {
      expect(await find(names, "notes", "text", "utilis")).toHaveLength(1);
      expect(await find(names, "notes", "text", "frau")).toHaveLength(0);
    },
    after: async () => {
      expect(await find(names, "notes", "text", "frau")).toHaveLength(1);
    },
  });
  expect(await find(names, "notes", "text", "frau")).toHaveLength(1);
  await query(names, "update $.notes set text = 'Zeitungen'");
  expect(await find(names, "notes", "text", "zeitung")).toEqual(["Zeitungen"]);
});

test("a rename writes no record, and records written after the switch are found", async () => {
  const before = note("text: string searchable");
  const after = modelOf(
    `  paper:\n    was: note\n    fields: { body: string searchable was(text) }\n    permissions: { admin: { all: true } }\n`,
  );
  const names = await walker.make(compileModel(before).tables);
  await write(names, "notes", 1, "text", "running");
  const steps = change(before, after);
  expect(steps.steps.filter(({ rewrites, scans }) => rewrites || scans)).toEqual([]);
  await query(names, "update $.notes set text = 'walking'");
  await apply(walker.client, steps, names);
  await write(names, "papers", 2, "body", "walks");
  await query(names, "update $.papers set body = 'walked' where body = 'walking'");
  expect(await find(names, "papers", "body", "walk")).toEqual(["walked", "walks"]);
});

test("a restored table is searchable again, and leaves nothing behind in between", async () => {
  const other = entity("other", "name: string");
  const whole = modelOf(`${entity("note", "text: string searchable")}${other}`);
  const less = modelOf(other);
  const names = await walker.make(compileModel(whole).tables);
  await write(names, "notes", 1, "text", "running");
  const away = change(whole, less);
  await apply(walker.client, away, names);
  const functions = `select proname from pg_proc where pronamespace = '${names.schema}'::regnamespace`;
  expect(await query(names, functions)).toEqual([]);
  const aside = away.steps.flatMap((step) => (step.kind === "set_aside" ? [step.what] : []));
  await apply(walker.client, change(less, whole, aside), names);
  expect(await find(names, "notes", "text", "run")).toEqual(["running"]);
  await query(names, "update $.notes set text = 'walking'");
  expect(await find(names, "notes", "text", "walk")).toEqual(["walking"]);
});

test("an index over an expression from format 1 or 2 works until the switch", async () => {
  const text = { name: "text", sqlType: "text", nullable: true, default: null, identity: false };
  const words = `(to_tsvector('simple', coalesce("text", '')))`;
  const old = { name: "notes__text__gin", method: "gin", keys: [words], where: null } as const;
  const before = table("notes", { columns: [text], indexes: [old] });
  const after = table("notes", { columns: [text], search: searched("notes", ["text"]) });
  const names = await walker.make([before]);
  await write(names, "notes", 1, "text", "running");
  const { plan: steps } = plan([before], [after]);
  const keysOf = `select pg_get_indexdef(indexrelid, 1, false) from pg_index where indrelid = '${names.schema}."notes"'::regclass and indexrelid = '${names.schema}."notes__text__gin"'::regclass`;
  await apply(walker.client, steps, names, {
    before: async () =>
      expect(await query(names, keysOf)).toEqual(["to_tsvector('simple'::regconfig, COALESCE(text, ''::text))"]),
  });
  expect(await query(names, keysOf)).toEqual(["_search"]);
  expect(await find(names, "notes", "text", "running")).toEqual(["running"]);
});
