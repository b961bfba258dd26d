// Every statement that the compiler's own examples can lead to is one that Postgres vouches for under the project's
// worker role: nothing in a rule, a default or a field type lies outside what a proof allows.
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestCell, type TestCell } from "../http/testing/test-cell.ts";
import { assembleCreate, assembleDelete, assembleList, assembleRead, assembleUpdate } from "./assemble.ts";
import { createCursorCodec } from "./cursor.ts";
import { type Asker, entityView } from "./entity-view.ts";
import { parseList } from "./parse-list.ts";

const examples = new URL("../../../../packages/compiler/src/testdata/", import.meta.url);
const names = readdirSync(examples);
let cell: TestCell;

beforeAll(async () => {
  cell = await createTestCell();
});
afterAll(() => cell?.close());

test("there are examples", () => {
  expect(names.length).toBeGreaterThan(3);
});

test.each(names)(
  "all statements of %s are proven",
  async (name) => {
    const project = await cell.addProject(readFileSync(new URL(`${name}/blueprint.yaml`, examples), "utf8"));
    const { release } = project;
    const cursors = createCursorCodec("a secret of the tests alone");
    const askers: readonly Asker[] = [
      { roles: ["public"], unscoped: false },
      { roles: ["owner", "public", "user"], unscoped: false },
      { roles: ["admin", "owner", "public", "user"], unscoped: false },
      { roles: ["admin", "public"], unscoped: true },
    ];
    const texts = new Set<string>();
    for (const { name: entity, fields } of release.bundle.entities) {
      const writable = fields.filter((field) => field.writer !== "service").map((field) => field.name);
      const sorts = fields
        .filter((field) => field.filterable)
        .flatMap((field) => [`sort=${field.name}`, `sort=-${field.name}`]);
      for (const asker of askers) {
        texts.add(assembleRead(release, entity, asker).text);
        for (const given of [[], writable]) texts.add(assembleCreate(release, entity, asker, given).text);
        texts.add(assembleDelete(release, entity, asker).text);
        for (const given of [[], writable, ...writable.map((field) => [field])]) {
          texts.add(assembleUpdate(release, entity, asker, given).text);
        }
        for (const query of ["", ...sorts]) {
          const parsed = parseList(query, entityView(release, entity), { release, principal: asker, cursors });
          texts.add(assembleList(release, entity, asker, parsed).text);
          for (const value of ["1", null]) {
            const after = parsed.sort.map((_, i) => (i === 0 ? value : "1"));
            texts.add(assembleList(release, entity, asker, { ...parsed, after }).text);
          }
        }
      }
    }
    const scope = cell.tenants.forProject(project);
    for (const text of texts) await scope.prove(text).catch((error: Error) => expect.fail(`${error.message}\n${text}`));
  },
  120_000,
);
