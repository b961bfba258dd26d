// An earlier version set optional references without `on_delete` to null. Their texts get this default, so they mean
// the same.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import { writeOldDefaults } from "./write-old-defaults.ts";

const text = `# a shop
project: shop
modules: [auth, users, organizations]
users:
  fields:
    boss_id: user_ref? writable(admin)
entities:
  shop:
    fields:
      name: string
    permissions: { admin: { all: true } }
  offer:
    fields:
      shop_id: ref(shop)?   # kept
      other_id: "ref(shop) ? as(others) unique"
      team_id: 'org_ref?'
      sure_id: ref(shop)? on_delete(cascade) as(sure)
      needed_id: ref(shop) as(needed)
      long_id: { type: ref(shop), optional: true, as: longs }
      block_id:
        type: ref(shop)?  # as ever
        as: blocks
      said_id: { type: ref(shop)?, on_delete: restrict, as: saids }
      title: string?
    permissions: { admin: { all: true } }
  note: { text: string, author: user_ref? }
`;

const wanted = text
  .replace("user_ref? writable", "user_ref? on_delete(set_null) writable")
  .replace("ref(shop)?   #", "ref(shop)? on_delete(set_null)   #")
  .replace("ref(shop) ? as", "ref(shop) ? on_delete(set_null) as")
  .replace("'org_ref?'", "'org_ref? on_delete(set_null)'")
  .replace("{ type: ref(shop), optional", "{ type: ref(shop), on_delete: set_null, optional")
  .replace("type: ref(shop)?  #", "type: ref(shop)?\n        on_delete: set_null  #")
  .replace("author: user_ref? }", "author: user_ref? on_delete(set_null) }");

test("every optional reference without on_delete gets the old default", () =>
  expect(writeOldDefaults(text)).toBe(wanted));

test("the result is valid, and a second pass changes nothing", () => {
  expect(checkBlueprint(wanted).diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(writeOldDefaults(wanted)).toBe(wanted);
});

test("a text that can't be read, or has no references, stays the same", () => {
  for (const one of [
    "",
    "entities: [",
    "a: b",
    "entities:\n  a:\n    b: ref(",
    "project: x\nentities: { a: { b: int? } }",
  ])
    expect(writeOldDefaults(one)).toBe(one);
});

test("in every example, only references change", () => {
  const examples = path.join(import.meta.dirname, "../../../../docs/examples");
  for (const file of readdirSync(examples)) {
    const before = readFileSync(path.join(examples, file), "utf8").replaceAll(/ on_delete\(set_null\)/g, "");
    const after = writeOldDefaults(before);
    expect(after.replaceAll(" on_delete(set_null)", "")).toBe(before);
    expect(checkBlueprint(after).diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  }
});
