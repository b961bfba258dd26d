// Every code in the catalogue is thrown somewhere, so the documents promise nothing that never happens.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { faultCatalogue } from "./fault-catalogue.ts";

const repository = join(import.meta.dirname, "../../..");
const catalogues = ["packages/service/src/fault-catalogue.ts", "packages/compiler/src/openapi-shared.ts"];

test("every code is thrown somewhere", () => {
  const files = globSync("{apps,packages}/*/src/**/*.ts", { cwd: repository }).filter(
    (file) => !/\.test\.ts$|\/testing\//.test(file) && !catalogues.includes(file),
  );
  expect(files.length).toBeGreaterThan(500);
  const code = files.map((file) => readFileSync(join(repository, file), "utf8")).join("\n");
  const thrown = new Set([...code.matchAll(/"([a-z_]+)"/g)].map(([, word]) => word));
  expect(Object.keys(faultCatalogue).filter((one) => !thrown.has(one))).toEqual([]);
});
