// Every statement that the compiler's own examples can lead to is one that Postgres vouches for under the project's
// worker role: nothing in a rule, a default or a field type lies outside what a proof allows.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ActiveRelease } from "../http/contracts.ts";
import { createTestCell, type TestCell } from "../http/testing/test-cell.ts";
import { wholeBlueprint } from "../http/testing/whole-blueprint.ts";
import { canStatement } from "../modules/can/can-statement.ts";
import {
  assembleCreate,
  assembleDelete,
  assembleList,
  assembleRead,
  assembleRestore,
  assembleTransition,
  assembleUpdate,
} from "./assemble.ts";
import { createCursorCodec } from "./cursor.ts";
import { type Asker, type EntityView, entityView, forProject } from "./entity-view.ts";
import { isFilterable, parseList } from "./parse-list.ts";
import { readabilityOf } from "./readable-fields.ts";

const examples = new URL("../../../../packages/compiler/src/testdata/", import.meta.url);
const blueprints = readdirSync(examples)
  .map((name) => [name, new URL(`${name}/blueprint.yaml`, examples)] as const)
  .filter(([, file]) => existsSync(file))
  // The tests' database has no extension for vectors.
  .map(([name, file]) => [name, readFileSync(file, "utf8").replaceAll(/^.*\bvector\(.*\n/gm, "")] as const);
const cursors = createCursorCodec("a secret of the tests alone");
let cell: TestCell;

beforeAll(async () => {
  cell = await createTestCell();
});
afterAll(() => cell?.close());

test("there are examples", () => {
  expect(blueprints.length).toBeGreaterThan(3);
});

function* recordStatements(release: ActiveRelease, view: EntityView, asker: Asker): Iterable<string> {
  const { name, fields, softDelete, stateMachine } = view.entity;
  const writable = fields
    .filter((field) => field.writer !== "service" && !field.hidden && field.sequence === null)
    .map((field) => field.name);
  yield assembleRead(release, name, asker).text;
  yield assembleDelete(release, name, asker).text;
  for (const given of [[], writable]) yield assembleCreate(release, name, asker, given).text;
  for (const given of [[], writable, ...writable.map((field) => [field])]) {
    yield assembleUpdate(release, name, asker, given).text;
  }
  if (softDelete !== null) yield assembleRestore(release, name, asker).text;
  for (const edge of stateMachine?.edges ?? []) {
    for (const given of [[], edge.require]) yield assembleTransition(release, name, asker, edge.name, given).text;
  }
  const operations = Object.keys(view.entity.access) as (keyof typeof view.entity.access)[];
  yield canStatement(
    operations.filter((operation) => operation !== "create").map((operation) => ({ view, operation, ids: [] })),
    asker,
  ).text;
}

function* listStatements(release: ActiveRelease, view: EntityView, asker: Asker): Iterable<string> {
  const context = { release, principal: asker, cursors };
  const open = view.shown.filter((field) => isFilterable(field) && readabilityOf(view, field, asker.roles) !== "never");
  const sorts = open
    .filter((field) => readabilityOf(view, field, asker.roles) === "always")
    .flatMap((field) => [`sort=${field.name}`, `sort=-${field.name}`]);
  if (view.entity.softDelete !== null) {
    yield assembleList(release, view.entity.name, asker, { ...parseList("", view, context), deleted: true }).text;
  }
  for (const query of ["", ...sorts]) {
    const parsed = parseList(query, view, context);
    yield assembleList(release, view.entity.name, asker, parsed).text;
    for (const value of ["1", null]) {
      const after = parsed.sort.map((_, i) => (i === 0 ? value : "1"));
      yield assembleList(release, view.entity.name, asker, { ...parsed, after }).text;
    }
  }
  for (const field of open) {
    const filters = new Map([[field.name, "1"]]);
    yield assembleList(release, view.entity.name, asker, { ...parseList("", view, context), filters }).text;
  }
}

test.each([...blueprints, ["the whole language", wholeBlueprint] as const])(
  "all statements of %s are proven",
  async (_, blueprint) => {
    const project = await cell.addProject(blueprint);
    const { release } = project;
    const declared = release.bundle.roles.map((role) => role.name);
    const askers: readonly Asker[] = [
      { roles: ["public"], unscoped: false },
      { roles: ["owner", "public", "user"], unscoped: false },
      { roles: ["admin", "owner", "public", "user"], unscoped: false },
      { roles: ["admin", "public"], unscoped: true },
      { roles: declared, unscoped: false },
    ];
    const texts = new Set<string>();
    for (const { name } of release.bundle.entities) {
      const view = entityView(release, name);
      for (const asker of askers) {
        for (const text of recordStatements(release, view, asker)) texts.add(text);
        for (const text of listStatements(release, view, asker)) texts.add(text);
      }
    }
    expect(texts.size).toBeGreaterThan(20);
    const scope = cell.tenants.forProject(project);
    for (const open of texts) {
      const text = forProject(open, release);
      await scope.prove(text).catch((error: Error) => expect.fail(`${error.message}\n${text}`));
    }
  },
  120_000,
);
