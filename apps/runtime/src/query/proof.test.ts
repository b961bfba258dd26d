// Postgres proves every statement of the compiler's own examples under the project's worker role: nothing in a rule, a
// default or a field type is outside of what a proof allows.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { ruleFunctions, ruleMethods } from "@plinth/blueprint/grammar";
import { shareOf } from "@plinth/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestCell, type TestCell } from "../http/testing/test-cell.ts";
import { wholeBlueprint } from "../http/testing/whole-blueprint.ts";
import { forProject } from "./entity-view.ts";
import { everyStatement } from "./testing/every-statement.ts";

const examples = new URL("../../../../packages/compiler/src/testdata/", import.meta.url);
const blueprints = readdirSync(examples)
  .map((name) => [name, new URL(`${name}/blueprint.yaml`, examples)] as const)
  .filter(([, file]) => existsSync(file))
  // The tests' database has no extension for vectors.
  .map(([name, file]) => [name, readFileSync(file, "utf8").replaceAll(/^.*\bvector\(.*\n/gm, "")] as const);
let cell: TestCell;

beforeAll(async () => {
  cell = await createTestCell();
});
afterAll(() => cell?.close());

test("there are examples", () => {
  expect(blueprints.length).toBeGreaterThan(3);
});

test.each(Object.keys({ ...ruleFunctions, ...ruleMethods }))("an example calls %s", (name) => {
  expect(blueprints.some(([, text]) => text.includes(`${name}(`))).toBe(true);
});

test.each([...blueprints, ["the whole language", wholeBlueprint] as const])(
  "all statements of %s are proven",
  async (_, blueprint) => {
    const project = await cell.addProject(blueprint);
    const texts = [...everyStatement(project.release)];
    expect(texts.length).toBeGreaterThan(20);
    const scope = cell.tenants.forProject(project);
    for (const open of shareOf(texts, 16)) {
      const text = forProject(open, project.release);
      await scope.prove(text).catch((error: Error) => expect.fail(`${error.message}\n${text}`));
    }
  },
  120_000,
);
