// The compiler's output matches its format: a member that the decoder doesn't know is an undeclared change of the
// format.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { checkBlueprint } from "@plinth/blueprint";
import { FORMAT_VERSION } from "@plinth/bundle";
import { expect, it } from "vitest";
import { compileModel } from "./compile.ts";
import { planMigration } from "./migration/migration.ts";

const testdata = path.join(import.meta.dirname, "testdata");
const shapeFile = path.join(
  import.meta.dirname,
  `../../bundle/src/upgrades/testdata/format-${FORMAT_VERSION}/shape.json`,
);

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
}

const { bundle: bundleShape, step: stepShape } = JSON.parse(readFileSync(shapeFile, "utf8")) as {
  readonly bundle: Shape;
  readonly step: Shape;
};

/** Members of a value that no branch of its shape names. A shape without members allows any. */
function undeclared(shape: Shape, value: unknown, at: string): readonly string[] {
  const branches = shape.anyOf ?? shape.oneOf;
  if (branches !== undefined) {
    const found = branches.map((branch) => undeclared(branch, value, at));
    return found.reduce((fewest, each) => (each.length < fewest.length ? each : fewest));
  }
  const { items, properties, additionalProperties: others } = shape;
  if (Array.isArray(value))
    return items === undefined ? [] : value.flatMap((item) => undeclared(items, item, `${at}[]`));
  if (typeof value !== "object" || value === null) return [];
  if (properties === undefined) {
    return Object.values(value).flatMap((member) => undeclared(others ?? {}, member, `${at}.*`));
  }
  if (Object.keys(properties).length === 0) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const known = properties[name];
    return known === undefined ? [`${at}.${name}`] : undeclared(known, member, `${at}.${name}`);
  });
}

it.each(readdirSync(testdata))("%s has no member that the format doesn't define", (name) => {
  const { model } = checkBlueprint(readFileSync(path.join(testdata, name, "blueprint.yaml"), "utf8"));
  if (model === null) throw new Error("no model");
  const bundle = compileModel(model);
  const renames = { tables: {}, columns: {} };
  const { plan } = planMigration({ before: null, after: bundle.tables, renames, setAside: [], tag: "golden" });
  const found = [
    ...undeclared(bundleShape, bundle, "bundle"),
    ...plan.steps.flatMap((step) => undeclared(stepShape, step, "step")),
  ];
  const hint = `Declare it in packages/bundle/src/decode.ts, in a new format if ${FORMAT_VERSION} is released: see CONTRIBUTING.md`;
  expect([...new Set(found)], hint).toEqual([]);
});
