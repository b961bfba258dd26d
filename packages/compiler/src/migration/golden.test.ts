// Plans between blueprints, as people see them. Reviewed as diffs.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { checkBlueprint, type Model, renamesOf } from "@plinth/blueprint";
import { goldenDirectory } from "@plinth/testkit";
import { describe, expect, test } from "vitest";
import { compileModel } from "../compile.ts";
import { planMigration } from "./migration.ts";
import { planSql } from "./schema-sql.ts";

const testdata = path.join(import.meta.dirname, "testdata");
const inputs = ["before.yaml", "blueprint.yaml"];

describe("migrations", () => {
  test.each(readdirSync(testdata))("%s", async (name) => {
    const directory = path.join(testdata, name);
    await goldenDirectory(directory, () => ({ "migration.sql": migrationOf(directory) }), { inputs });
  });
});

function migrationOf(directory: string): string {
  const [before, after] = [modelIn(directory, "before.yaml"), modelIn(directory, "blueprint.yaml")];
  const bundle = compileModel(after);
  const { plan, refused } = planMigration({
    before: compileModel(before).tables,
    after: bundle.tables,
    renames: renamesOf(before, after),
    setAside: [],
    tag: "r7",
  });
  const refusals = refused.map(({ path: where, reason }) => `-- refused: ${where}: ${reason}\n`).join("");
  return `${refusals}${planSql(plan, bundle.project)}`;
}

function modelIn(directory: string, file: string): Model {
  const { model, diagnostics } = checkBlueprint(readFileSync(path.join(directory, file), "utf8"));
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  if (model === null) throw new Error(`${file} has no model`);
  return model;
}
