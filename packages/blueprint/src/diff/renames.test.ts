// The effect of `was`, and when it has none: single renames, chains, swaps, and renames that were already carried out.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Entity, Field, FieldType, Model } from "../model/model.ts";
import { matchByName, renamesOf } from "./renames.ts";
import { sampleEntity, sampleField, sampleModel } from "./testing/samples.ts";

const text: FieldType = { kind: "text" };

/** `a`, or `a<b` for a field that was `b`. */
function fieldsOf(...names: string[]): Field[] {
  return names.map((one) => {
    const [name = "", was = null] = one.split("<");
    return sampleField(name, text, { was });
  });
}

function entity(name: string, fields: readonly Field[], more: Partial<Entity> = {}): Entity {
  return sampleEntity(name, fields, more);
}

function columns(before: readonly string[], after: readonly string[]): Readonly<Record<string, string>> {
  const model = (names: readonly string[]): Model => sampleModel([entity("thing", fieldsOf(...names))]);
  return renamesOf(model(before), model(after)).columns["things"] ?? {};
}

test.each<[string, string[], string[], Record<string, string>]>([
  ["one", ["b"], ["a<b"], { b: "a" }],
  ["a chain moves at once", ["b", "c"], ["a<b", "b<c"], { b: "a", c: "b" }],
  ["a swap", ["a", "b"], ["a<b", "b<a"], { a: "b", b: "a" }],
  ["a ring of three", ["a", "b", "c"], ["a<b", "b<c", "c<a"], { a: "c", b: "a", c: "b" }],
  ["carried out already", ["a<b"], ["a<b"], {}],
  ["a swap carried out already", ["a<b", "b<a"], ["a<b", "b<a"], {}],
  ["a chain carried out already", ["a<b", "b<c"], ["a<b", "b<c"], {}],
  ["of a name that never was", ["c"], ["a<b", "c"], {}],
  ["of a name that is still there", ["b"], ["a<b", "b"], {}],
  ["of a name that came back after it was carried out", ["a<b"], ["a<b", "b"], {}],
  ["to a name that another has and keeps", ["a", "b"], ["a<b"], {}],
  ["two claim one: the first has it", ["b"], ["a<b", "c<b"], { b: "a" }],
  ["of itself", ["a"], ["a<a"], {}],
  ["once more, from the name that it got", ["a<b"], ["c<a"], { a: "c" }],
  ["back to the name before", ["b<a"], ["a"], { b: "a" }],
  ["back to the name before, which had another one before", ["c<b"], ["b<a"], { c: "b" }],
  ["a chain back at once", ["a<b", "b<c"], ["b", "c"], { a: "b", b: "c" }],
  ["back, beside a rename of another", ["b<a", "d"], ["a", "e<d"], { b: "a", d: "e" }],
  ["not back where the name that it got is kept", ["b<a"], ["b", "a"], {}],
  ["not back where the former name is made of another", ["b<a", "c"], ["a<c"], { c: "a" }],
  ["not back of a swap, whose marks alone are taken away", ["a<b", "b<a"], ["a", "b"], {}],
  ["not back of a chain, whose marks alone are taken away", ["a<b", "b<c"], ["a", "b"], {}],
  ["two were one: the first goes back", ["b<a", "c<a"], ["a"], { b: "a" }],
  ["a chain whose end is occupied falls as a whole", ["a", "b", "c"], ["a", "b<a", "c<b"], {}],
])("%s", (_, before, after, expected) => {
  expect(columns(before, after)).toEqual(expected);
});

test("an entity's table and join tables are renamed with it", () => {
  const refs = (name: string, to: string, was: string | null = null): Field =>
    sampleField(name, { kind: "refs", entity: to }, { was });
  const before = sampleModel([
    entity("listing", [refs("tag_ids", "tag"), refs("near_ids", "listing")]),
    entity("tag", []),
  ]);
  const after = sampleModel([
    entity("offer", [refs("label_ids", "label", "tag_ids"), refs("near_ids", "offer")], { was: "listing" }),
    entity("label", [], { was: "tag" }),
  ]);
  expect(renamesOf(before, after)).toEqual({
    tables: {
      listings: "offers",
      tags: "labels",
      listings__tag_ids: "offers__label_ids",
      listings__near_ids: "offers__near_ids",
    },
    columns: {
      offers__label_ids: { listing_id: "offer_id", tag_id: "label_id" },
      offers__near_ids: { listing_id: "offer_id" },
    },
  });
});

test("another plural renames the table; profile fields rename columns of users; a first model renames nothing", () => {
  const before = sampleModel([entity("thing", [])], { userFields: fieldsOf("phone") });
  const after = sampleModel([entity("thing", [], { plural: "items" })], { userFields: fieldsOf("mobile<phone") });
  expect(renamesOf(before, after)).toEqual({ tables: { things: "items" }, columns: { users: { phone: "mobile" } } });
  expect(renamesOf(null, after)).toEqual({ tables: {}, columns: {} });
});

test("a field without a column renames none", () => {
  const field = (name: string, was: string | null): Field =>
    sampleField(name, { kind: "computed", expression: { kind: "literal", type: { kind: "int" }, value: 1 } }, { was });
  const model = (own: Field): Model => sampleModel([entity("thing", [own])]);
  expect(renamesOf(model(field("a", null)), model(field("b", "a"))).columns).toEqual({});
});

test("property: every name before and after is matched once, and a second match renames nothing", () => {
  const name = fc.constantFrom(..."abcde");
  const names = fc.uniqueArray(fc.record({ name, was: fc.option(name) }), { selector: (one) => one.name });
  let moved = 0;
  fc.assert(
    fc.property(names, names, (before, after) => {
      const { kept, added, removed } = matchByName(before, after);
      expect([...kept.map((pair) => pair.after), ...added].map((one) => one.name).sort()).toEqual(
        after.map((one) => one.name).sort(),
      );
      expect([...kept.map((pair) => pair.before), ...removed].map((one) => one.name).sort()).toEqual(
        before.map((one) => one.name).sort(),
      );
      moved += kept.filter((pair) => pair.before.name !== pair.after.name).length;
      expect(matchByName(after, after).kept.every((pair) => pair.before.name === pair.after.name)).toBe(true);
    }),
    { numRuns: 2000, seed: 7 },
  );
  console.info("renames among generated names:", moved);
  expect(moved).toBeGreaterThan(200);
});
