// The nodes have every relation, including many-to-many, and the transitions of states.
import { checkBlueprint } from "@plinth/blueprint";
import { expect, test } from "vitest";
import { modelNodes } from "./model-nodes.ts";

const text = `project: bike-shop
modules: [auth, users, roles, organizations]
entities:
  bike:
    fields:
      name: string
      goes_with: refs(bike)
      team_id: org_ref?
      seller_id: user_ref
      tags: list<string>?
      status: enum[draft, on_sale, sold] = draft
    transitions:
      status:
        initial: draft
        publish: { from: draft, to: on_sale }
        withdraw: { from: [on_sale, sold], to: draft }
`;

test("relations refer to entities, users and organizations; transitions have their states", () => {
  const { model, diagnostics } = checkBlueprint(text);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const nodes = model === null ? [] : modelNodes(model);
  expect(nodes.map(({ name }) => name)).toEqual(["user", "organization", "bike"]);
  expect(nodes[2]?.rows.map(({ name, type, target }) => [name, type, target])).toEqual([
    ["name", "string", null],
    ["goes_with", "bike, many", "bike"],
    ["team_id", "organization?", "organization"],
    ["seller_id", "user", "user"],
    ["tags", "list<string>?", null],
    ["status", "enum", null],
  ]);
  expect(nodes[2]?.edges).toEqual([
    { name: "publish", states: "draft → on_sale" },
    { name: "withdraw", states: "on_sale, sold → draft" },
  ]);
});

test("users are drawn with the profile that the blueprint declares", () => {
  const { model } = checkBlueprint(
    text.replace("entities:", "users:\n  fields:\n    nickname: string?\n    listed: bool = true\nentities:"),
  );
  const users = model === null ? undefined : modelNodes(model)[0];
  expect(users?.rows.map(({ name, type }) => `${name}: ${type}`)).toEqual([
    "email: email",
    "nickname: string?",
    "listed: bool",
  ]);
  expect(users?.more).toBe(0);
});
