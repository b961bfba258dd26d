import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { checkBlueprint, type Model, renamesOf } from "@plinth/blueprint";
import { goldenDirectory } from "@plinth/testkit";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { compileModel } from "./compile.ts";
import { planMigration } from "./migration/migration.ts";
import { planSql, schemaSql } from "./migration/schema-sql.ts";

const testdata = path.join(import.meta.dirname, "testdata");
const cases = readdirSync(testdata);
const inputs = ["blueprint.yaml", "before.yaml"];
/** Two of three lines of these documents repeat in every case, so only these cases keep the whole document. */
const withDocument: readonly string[] = ["every-type", "market-square", "parcel-desk"];

describe("goldens", () => {
  test("exist", () => expect(cases.length).toBeGreaterThanOrEqual(14));

  test.each(cases)("%s", async (name) => {
    const directory = path.join(testdata, name);
    await goldenDirectory(directory, () => produce(directory), { inputs });
  });
});

describe("the output for others", () => {
  test.each(cases)("%s: the document is valid OpenAPI 3.1", async (name) => {
    const document = JSON.parse(json(compileModel(modelIn(path.join(testdata, name), "blueprint.yaml")).openapi));
    const validator = new Validator();
    expect(await validator.validate(document)).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  test("the validator finds a mistake", async () => {
    const document = JSON.parse(readFileSync(path.join(testdata, "market-square", "openapi.json"), "utf8"));
    delete document.info.title;
    expect((await new Validator().validate(document)).valid).toBe(false);
  });

  test("the declarations are valid TypeScript", () => {
    const files = cases.map((name) => path.join(testdata, name, "sdk.d.ts"));
    const tsc = path.join(import.meta.dirname, "../../../node_modules/typescript/bin/tsc");
    const options = ["--noEmit", "--strict", "--skipLibCheck", "false", "--types", "", "--ignoreConfig"];
    execFileSync(process.execPath, [tsc, ...options, ...files], { encoding: "utf8" });
  });
});

function produce(directory: string): Record<string, string> {
  const after = modelIn(directory, "blueprint.yaml");
  const bundle = compileModel(after);
  // The two largest members have separate files, so that a change appears once.
  const { openapi, sdkTypes, ...rest } = bundle;
  const files = {
    "bundle.json": json(rest),
    "schema.sql": schemaSql(bundle),
    ...(withDocument.includes(path.basename(directory)) ? { "openapi.json": json(openapi) } : {}),
    "sdk.d.ts": sdkTypes,
  };
  if (!readdirSync(directory).includes("before.yaml")) return files;
  const before = modelIn(directory, "before.yaml");
  const { plan, refused } = planMigration({
    before: compileModel(before).tables,
    after: bundle.tables,
    renames: renamesOf(before, after),
    setAside: [],
    tag: "golden",
  });
  const refusals = refused.map((refusal) => `-- refused: ${refusal.path}: ${refusal.reason}\n`).join("");
  return { ...files, "migration.sql": `${refusals}${planSql(plan, bundle.project)}` };
}

function modelIn(directory: string, file: string): Model {
  const { model, diagnostics } = checkBlueprint(readFileSync(path.join(directory, file), "utf8"));
  expect(diagnostics.filter((diagnostic) => diagnostic.severity === "error")).toEqual([]);
  if (model === null) throw new Error(`${file} has no model`);
  return model;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
