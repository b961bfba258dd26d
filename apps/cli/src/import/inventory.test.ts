// The sums of the inventory match, and only items that the model has count as expressed.
import { checkBlueprint } from "@plinth/blueprint";
import { expect, test } from "vitest";
import { createInventory } from "./inventory.ts";

const { model } = checkBlueprint("project: demo\nmodules: [auth]\nentities:\n  note: { text: text }\n");

test("an item without an outcome, or missing in the model, is unaccounted for", () => {
  const inventory = createInventory();
  const has = (name: string) =>
    inventory.expressed(inventory.found("tables", name), (one) => one.entities.some((entity) => entity.name === name));
  has("note");
  has("lost");
  inventory.found("tables", "forgotten");
  inventory.leftOut(inventory.found("views", "v"), "No views.");
  const { rows, notes } = inventory.report(model);
  expect(rows).toEqual([
    { kind: "tables", found: 3, expressed: 1, changed: 0, leftOut: 0, unaccounted: 2 },
    { kind: "views", found: 1, expressed: 0, changed: 0, leftOut: 1, unaccounted: 0 },
  ]);
  expect(notes.map((note) => `${note.kind} ${note.path}`)).toEqual([
    "unaccounted lost",
    "unaccounted forgotten",
    "left_out v",
  ]);
});

test("a blueprint with errors expresses nothing", () => {
  const inventory = createInventory();
  inventory.expressed(inventory.found("tables", "note"));
  expect(inventory.report(null).rows[0]).toMatchObject({ expressed: 0, unaccounted: 1 });
});

test("two changes of an item are both listed, and a loss replaces them", () => {
  const inventory = createInventory();
  const item = inventory.found("fields", "a.b");
  inventory.expressed(item);
  inventory.changed(item, "Once.");
  inventory.changed(item, "Twice.");
  inventory.expressed(item);
  expect(inventory.report(model).notes).toEqual([{ kind: "changed", of: "fields", path: "a.b", text: "Once. Twice." }]);
  inventory.leftOut(item, "Gone.");
  inventory.changed(item, "Back.");
  expect(inventory.report(model).notes).toEqual([{ kind: "left_out", of: "fields", path: "a.b", text: "Gone." }]);
});
