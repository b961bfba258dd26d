// A record in a form: which fields can be entered, and that only changed ones are sent.
import { checkBlueprint } from "@plinth/blueprint";
import { expect, test } from "vitest";
import { changedValues, fieldsToWrite } from "./record-values.ts";

const { model } = checkBlueprint(`project: shop
modules: [auth, users, roles]
entities:
  rack:
    fields: { name: string }
    permissions: { admin: { all: true } }
  bike:
    fields:
      name: string
      frame_number: string immutable
      note: text?
      seats: int = 1
      price: money(EUR)
      state: enum[free, rented] = free
      racks: refs(rack)
      total: computed(seats * 2)
      hidden: string? internal
    transitions:
      state:
        initial: free
        rent: { from: free, to: rented }
    permissions:
      admin: { all: true }
`);
const bike = model?.entities.find(({ name }) => name === "bike");
if (bike === undefined) throw new Error("The blueprint has an error.");
const fields = fieldsToWrite(bike, true);
const stored = { name: "Tandem", frame_number: "a", note: "old", seats: 2, price: "950.00", racks: [] };

test("fields that the API doesn't accept can't be entered", () => {
  const names = (isNew: boolean) => fieldsToWrite(bike, isNew).map(({ name }) => name);
  expect(names(true)).toEqual(["name", "frame_number", "note", "seats", "price", "racks"]);
  expect(names(false)).toEqual(["name", "note", "seats", "price", "racks"]);
});

test("a new record has the values that were entered; the API uses its defaults for the others", () => {
  expect(changedValues(fields, null, { name: "Tandem", frame_number: "a", price: "950.00", note: " " })).toEqual({
    values: { name: "Tandem", frame_number: "a", price: "950.00" },
    problems: {},
  });
  expect(changedValues(fields, null, { seats: "two" }).problems).toEqual({
    name: "A value is required.",
    frame_number: "A value is required.",
    price: "A value is required.",
    seats: "It must be a number.",
  });
});

test("only changed fields of a stored record are sent", () => {
  expect(changedValues(fields, stored, {}).values).toEqual({});
  expect(changedValues(fields, stored, { name: "Tandem", seats: "3" }).values).toEqual({ seats: 3 });
});

test("an emptied field is null, an empty text or an empty list, or it is missing", () => {
  expect(changedValues(fields, stored, { note: "", name: "", seats: "", price: "" })).toEqual({
    values: { note: null, name: "" },
    problems: { seats: "A value is required.", price: "A value is required." },
  });
  expect(
    changedValues(fields, { ...stored, racks: ["0192f000-0000-7000-8000-000000000001"] }, { racks: "" }).values,
  ).toEqual({
    racks: [],
  });
});
