// Fields and entities with unusual names: their records are written, read and audited like any other. The names are all
// words of our own statements and tables, all of Postgres's keywords, functions and types, and the names that every
// JavaScript object has.
import { checkBlueprint } from "@plinth/blueprint";
import { allowedFunctions } from "@plinth/postgres";
import { shareOf } from "@plinth/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canHandlers } from "../modules/can/routes.ts";
import { createModuleRoutes } from "../modules/module-routes.ts";
import { everyStatement } from "../query/testing/every-statement.ts";
import { bundleOf, createTestCell, type TestCell, type TestProject } from "./testing/test-cell.ts";
import { wholeBlueprint } from "./testing/whole-blueprint.ts";

const FIELDS_EACH = 40;
/** More would make the blueprint too long. */
const PROBES_EACH = 12;
const FILTERS_EACH = 10;
const ENTITIES_EACH = 60;
/** A usual run tries every sixteenth word; a long one tries them all. */
const SHARE = 16;

let cell: TestCell;
/** Our own words, and those that SQL itself reserves. */
let words: readonly string[];
/** Postgres's other keywords, its types, functions and views, and JavaScript's names. */
let foreign: readonly string[];

beforeAll(async () => {
  cell = await createTestCell({ modules: createModuleRoutes(canHandlers) });
  [words, foreign] = await collectWords();
}, 60_000);
afterAll(() => cell?.close());

async function collectWords(): Promise<readonly [readonly string[], readonly string[]]> {
  const whole = await cell.addProject(wholeBlueprint);
  const texts = [...everyStatement(whole.release)].join("\n");
  const { bundle } = whole.release;
  const ours = [
    ...texts.matchAll(/[A-Za-z_][A-Za-z0-9_]*/g),
    ...JSON.stringify(bundle.entities).matchAll(/(?<=\{)[a-z_]+/g),
  ].map(([word]) => word);
  // A current alias, and the same word without its distinguishing parts.
  const bare = ours.map((word) => word.replace(/^_+/, "").replace(/_\d+$/, ""));
  const columns = bundle.tables.flatMap((table) => [table.name, ...table.columns.map((column) => column.name)]);
  const { rows } = await cell.pool.query<{ word: string }>(
    "select word from pg_get_keywords() where catcode in ('R', 'T')",
  );
  const others = await cell.pool.query<{ word: string }>(
    `select word from pg_get_keywords() union select typname from pg_type where typnamespace = 'pg_catalog'::regnamespace
     union select relname from pg_class where relnamespace = 'pg_catalog'::regnamespace and relkind in ('r', 'v')`,
  );
  const { components } = bundleOf(wholeBlueprint).openapi as { components: Record<string, object> };
  const documented = Object.values(components)
    .flatMap((each) => Object.keys(each))
    .map((name) => name.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase());
  const objects = [Object, Array, Function, Promise, Map, String].flatMap((each) =>
    Object.getOwnPropertyNames(each.prototype),
  );
  const former =
    "x r u j s v w a b c d e f g h i k l m n o p q t y z cur new_row upd ins aud chk del num found doomed go";
  const own = [...ours, ...bare, ...columns, ...documented, ...former.split(" "), "verdict", "page", "seen", "batch"];
  const first = new Set([...own, ...rows.map((row) => row.word)]);
  const second = new Set([...others.rows.map((row) => row.word), ...allowedFunctions, ...objects, "__proto__"]);
  return [[...first].sort(), [...second].filter((word) => !first.has(word)).sort()];
}

const accepts = (blueprint: string): boolean =>
  checkBlueprint(blueprint).diagnostics.every((diagnostic) => diagnostic.severity !== "error");

const head = "project: names\nmodules: [auth, users, roles, audit_logs]\nentities:\n";

function fieldsBlueprint(chunks: readonly (readonly string[])[]): string {
  const entities = chunks.map((names, i) => {
    const rule = names.map((name) => `record.${name} != "hidden"`).join(" && ");
    const changed = names.map((name) => `old.${name} != "locked" && new.${name} != "refused"`).join(" && ");
    const fields = names.map((name) => `      ${name}: string?\n`).join("");
    return `  probe_${i}:
    soft_delete: true
    fields:
${fields}      zz_stage: enum[one, two] = one
      zz_tags: refs(label_tag)
      zz_up_id: ref(probe_${i})? on_delete(cascade)
      zz_number: sequence(N-)
      zz_twin: computed(record.${names[0]} + "!")
    transitions:
      zz_stage:
        initial: one
        advance: { from: one, to: two, require: [${names[0]}] }
    permissions:
      admin: { all: true }
      user:
        create: true
        read: '${rule}'
        update: '${changed}'
        delete: '${rule}'
        restore: '${rule}'
        "transition:advance": { allow: '${changed}', set: { ${names.at(-1)}: input.${names[0]} } }
`;
  });
  const tag = "  label_tag:\n    fields: { caption: string }\n    permissions: { user: { all: true } }\n";
  return `${head}${tag}${entities.join("")}`;
}

function entitiesBlueprint(names: readonly string[]): string {
  const entities = names.map(
    (name) => `  ${name}:
    plural: ${name}
    soft_delete: true
    fields: { title: string, zz_up_id: "ref(${name})? on_delete(cascade)", zz_others: refs(${name}) as(zz_inverse), zz_number: sequence(N-) }
    permissions: { user: { all: 'record.title != "hidden"' } }
`,
  );
  return `${head}${entities.join("")}`;
}

function chunked<Item>(all: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}

type Row = Record<string, unknown>;

async function ok(status: number, ...request: Parameters<TestCell["send"]>): Promise<Row> {
  const reply = await cell.send(...request);
  expect(reply.status, `${request[1]} ${request[2]}: ${reply.text.slice(0, 500)}`).toBe(status);
  return reply.json?.data;
}

async function audited(project: TestProject, id: unknown): Promise<readonly Row[]> {
  const sql = "select operation, entity, changes from {schema}.audit_log where record_id = $1 order by id";
  return cell.rows(project, sql, [id]);
}

describe("as fields", () => {
  test("every word that the language accepts works in every operation", { timeout: 240_000 }, async () => {
    const all = [...words, ...foreign];
    expect(all).toEqual(expect.arrayContaining(["x", "u", "cur", "select", "text", "found", "pg_class", "length"]));
    const some = shareOf(all, SHARE);
    const fields = some.filter((word) => accepts(fieldsBlueprint([[word]])));
    expect(fields.length).toBeGreaterThan(some.length / 2);
    for (const chunks of chunked(chunked(fields, FIELDS_EACH), PROBES_EACH)) {
      const project = await cell.addProject(fieldsBlueprint(chunks));
      await cell.addUser("fred", project, ["owner", "user"]);
      const tag = await ok(201, "fred", "POST", "/api/label_tags", { caption: "t" });
      for (const [i, names] of chunks.entries()) await walkThrough(project, `probe_${i}`, names, tag.id as string);
    }
  });
});

async function walkThrough(project: TestProject, entity: string, names: readonly string[], tag: string): Promise<void> {
  const path = `/api/${entity}s`;
  const [first, last] = [names[0]!, names.at(-1)!];
  const values = (mark: string): Row => Object.fromEntries(names.map((name) => [name, `${mark} ${name}`]));
  const parent = await ok(201, "fred", "POST", path, values("parent"));
  const sent = { ...values("made"), zz_tags: [tag], zz_up_id: parent.id };
  const made = await ok(201, "fred", "POST", path, sent);
  const shown = { ...sent, zz_stage: "one", zz_number: "N-2", zz_twin: `made ${first}!`, version: 1, deleted_at: null };
  expect(made).toEqual({ ...shown, id: made.id, created_by: made.created_by, ...timesOf(made) });
  expect(await ok(200, "fred", "GET", `${path}/${made.id}`)).toEqual(made);
  for (const some of chunked(names, FILTERS_EACH)) {
    const filters = some.map((name) => `${name}=${encodeURIComponent(`made ${name}`)}`);
    const query = [...filters, `sort=-${some.slice(0, 3).join(",")}`].join("&");
    expect(await ok(200, "fred", "GET", `${path}?${query}`), query).toEqual([made]);
  }
  const changed = await ok(200, "fred", "PATCH", `${path}/${made.id}`, { ...values("changed"), zz_tags: [] });
  expect(changed).toMatchObject({ ...values("changed"), zz_tags: [], version: 2 });
  const moved = await ok(200, "fred", "POST", `/v1/resources/${entity}s/${made.id}/transitions/advance`, {
    [first]: "moved",
  });
  expect(moved).toMatchObject({ ...values("changed"), [first]: "moved", [last]: "moved", zz_stage: "two" });
  await ok(204, "fred", "DELETE", `${path}/${parent.id}`);
  await ok(404, "fred", "GET", `${path}/${made.id}`);
  await ok(200, "fred", "POST", `${path}/${parent.id}/restore`);
  expect(await ok(200, "fred", "GET", `${path}/${made.id}`)).toMatchObject({ ...moved, ...timesOf({}), version: 5 });
  const can = await ok(200, "fred", "POST", "/v1/can", [{ resource: entity, op: "update", id: made.id }]);
  expect(can).toMatchObject([{ allowed: true }]);

  const log = await audited(project, made.id);
  expect(log.map(({ operation }) => operation)).toEqual([
    "create",
    "update",
    "transition:advance",
    "delete",
    "restore",
  ]);
  expect(log.every((row) => row.entity === entity)).toBe(true);
  expect(log[0]?.changes).toMatchObject({ ...sent, zz_stage: "one", zz_number: "N-2" });
  const pairs = Object.fromEntries(names.map((name) => [name, [`made ${name}`, `changed ${name}`]]));
  expect(log[1]?.changes).toEqual({ ...pairs, zz_tags: [[tag], []] });
  const byEdge = { [last]: [`changed ${last}`, "moved"], [first]: [`changed ${first}`, "moved"] };
  expect(log[2]?.changes).toEqual({ ...byEdge, zz_stage: ["one", "two"] });
  expect(log[3]?.changes).toMatchObject({ ...values("changed"), [first]: "moved", [last]: "moved" });
}

/** Removes the times, which every change updates. */
function timesOf(row: Row): Row {
  const any = expect.anything();
  return { created_at: row.created_at ?? any, updated_at: row.updated_at ?? any };
}

describe("as entities", () => {
  test("every word that the language accepts works in every operation", { timeout: 240_000 }, async () => {
    expect(words).toEqual(expect.arrayContaining(["cur", "select", "page", "problem"]));
    const some = shareOf(words, SHARE);
    const names = some.filter((word) => accepts(entitiesBlueprint([word])));
    expect(names.length).toBeGreaterThan(some.length / 4);
    for (const [i, chunk] of chunked(names, ENTITIES_EACH).entries()) {
      const project = await cell.addProject(entitiesBlueprint(chunk));
      await cell.addUser(`emma${i}`, project, ["owner", "user"]);
      for (const name of chunk) await walkEntity(project, `emma${i}`, name);
    }
  });
});

async function walkEntity(project: TestProject, who: string, name: string): Promise<void> {
  const path = `/v1/resources/${name}`;
  const parent = await ok(201, who, "POST", path, { title: "parent" });
  const made = await ok(201, who, "POST", path, { title: "made", zz_up_id: parent.id, zz_others: [parent.id] });
  expect(await ok(200, who, "GET", `${path}/${made.id}`)).toEqual(made);
  expect(await ok(200, who, "GET", `${path}?title=made&sort=title`)).toEqual([made]);
  await ok(200, who, "PATCH", `${path}/${made.id}`, { title: "changed" });
  await ok(204, who, "DELETE", `${path}/${parent.id}`);
  await ok(200, who, "POST", `${path}/${parent.id}/restore`);
  expect(await ok(200, who, "GET", `${path}/${made.id}`)).toMatchObject({ title: "changed", version: 4 });
  const log = await audited(project, made.id);
  expect(log.map(({ operation, entity }) => [operation, entity])).toEqual(
    ["create", "update", "delete", "restore"].map((operation) => [operation, name]),
  );
  expect(log[1]?.changes).toEqual({ title: ["made", "changed"] });
}
