// The shape of models has a version, because models are stored. A change of the shape without a new version fails here.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { goldenDirectory } from "@plinth/testkit";
import { expect, it } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import { MODEL_VERSION, modelUpgrades, readStoredModel } from "./stored-model.ts";

/** Versions that are stored in control databases. Add the newest here when it is released. */
const RELEASED: readonly number[] = [];

const samples = path.join(import.meta.dirname, "../../../compiler/src/testdata");
const texts = readdirSync(samples).map((name) => readFileSync(path.join(samples, name, "blueprint.yaml"), "utf8"));
const shapes = path.join(import.meta.dirname, "../testdata/model-shapes");

/** Their members have names that an author has chosen. */
const data = ["seed", "values", "profile", "input"];

/**
 * Each member of each object, with the kinds of its values. An object is named by its `kind`, or by the member that
 * contains it.
 */
function shapeOf(value: unknown, name: string, seen: Map<string, Set<string>>): void {
  if (Array.isArray(value)) {
    for (const item of value) shapeOf(item, name, seen);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  const members = value as Readonly<Record<string, unknown>>;
  const called = typeof members.kind === "string" ? `${name}(${members.kind})` : name;
  for (const [member, held] of Object.entries(members)) {
    const at = `${called}.${member}`;
    const kind = Array.isArray(held) ? "array" : held === null ? "null" : typeof held;
    seen.set(at, (seen.get(at) ?? new Set()).add(kind));
    if (!data.includes(member)) shapeOf(held, member, seen);
  }
}

it("there is one upgrade step for each earlier version", () => {
  expect(modelUpgrades).toHaveLength(MODEL_VERSION - 1);
});

it("a model survives JSON unchanged, and a newer version is not read", () => {
  for (const text of texts) {
    const { model } = checkBlueprint(text);
    expect(readStoredModel(JSON.parse(JSON.stringify(model)), MODEL_VERSION)).toEqual(model);
  }
  expect(readStoredModel({}, MODEL_VERSION + 1)).toBeNull();
});

it("a model has the shape of its version, and another shape needs another version", async () => {
  const seen = new Map<string, Set<string>>();
  for (const text of texts) shapeOf(checkBlueprint(text).model, "model", seen);
  const lines = [...seen].map(([at, kinds]) => `${at}: ${[...kinds].sort().join(", ")}\n`).sort();
  const file = `version-${MODEL_VERSION}.txt`;
  if (RELEASED.includes(MODEL_VERSION)) {
    const hint = `Version ${MODEL_VERSION} is released: raise MODEL_VERSION and add an upgrade step (see CONTRIBUTING.md).`;
    expect(readFileSync(path.join(shapes, file), "utf8"), hint).toBe(lines.join(""));
    return;
  }
  const released = readdirSync(shapes).filter((name) => name !== file);
  await goldenDirectory(shapes, () => ({ [file]: lines.join("") }), { inputs: released });
});
