// The facts about entities in the list, and the results of a search in it.
import { checkBlueprint } from "@plinth/blueprint";
import { expect, test } from "vitest";
import { largeLines } from "./entity-box.tsx";
import { type EntityFacts, entityFacts, searchEntities } from "./entity-facts.ts";
import { layoutModel } from "./model-layout.ts";
import { modelNodes } from "./model-nodes.ts";

const text = `project: shop
modules: [auth, users, roles]
entities:
  order:
    fields: { user_id: user_ref, note: text?, state: "enum[open, paid]", tags: "list<string>?" }
    permissions:
      admin: { all: true }
      user: { read: user_id == current_user.id, create: true }
  order_line:
    fields: { order_id: ref(order), amount: int }
    permissions: { admin: { all: true } }
  line:
    fields: { title: string }
`;

function factsOf(): readonly EntityFacts[] {
  const { model } = checkBlueprint(text);
  if (model === null) throw new Error("the blueprint is invalid");
  return entityFacts(model, layoutModel(modelNodes(model)));
}

test("an entity has its fields, its relations in both directions, and the access of each role", () => {
  const order = factsOf().find(({ name }) => name === "order");
  expect(order?.fields.map(({ name, type }) => `${name}: ${type}`)).toEqual([
    "user_id: user",
    "note: text?",
    "state: enum[open, paid]",
    "tags: list<string>?",
  ]);
  expect([order?.refersTo, order?.referredBy]).toEqual([["user"], ["order_line"]]);
  expect(order?.access).toEqual([
    { role: "admin", operations: "everything" },
    { role: "user", operations: "create, read*" },
  ]);
  expect(factsOf().find(({ name }) => name === "user")?.referredBy).toEqual(["order"]);
});

test("a search ranks names before parts of names before fields", () => {
  const found = (search: string): string[] => searchEntities(factsOf(), search).map(({ name }) => name);
  expect(found("line")).toEqual(["line", "order_line"]);
  expect(found("order line")).toEqual(["order_line"]);
  expect(found("order")).toEqual(["order", "order_line"]);
  expect(found("AMOUNT")).toEqual(["order_line"]);
  expect(found("nothing")).toEqual([]);
  expect(found(" ")).toHaveLength(4);
});

test("in a small diagram a name is broken between its words, and cut if it is too long", () => {
  expect(largeLines("order_line", 3)).toEqual(["order_line"]);
  expect(largeLines("an_entity_with_a_long_name_in_it", 5)).toEqual(["an_entity", "with_a", "long_name", "in_it"]);
  expect(largeLines("an_entity_with_a_long_name_in_it", 2)).toEqual(["an_entity", "with_a…"]);
  expect(largeLines("averylongnamewithoutanyplace", 2)).toEqual(["averylong…"]);
});
