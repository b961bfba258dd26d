// The outline of a text, also while it is being typed.
import { expect, test } from "vitest";
import { entityOutline } from "./entity-outline.ts";

const text = `project: shop
entities:
  # order: not this one
  order:
    fields: { note: text }
    permissions:
      admin: { all: true }

  'line': { fields: { title: string } }
  half
  "item":
    fie
workers:
  count: { steps: [] }
`;

test("finds entities with their lines, but not their keys, and not the keys of later sections", () => {
  const found = entityOutline(text);
  expect(found.map(({ name, line }) => [name, line])).toEqual([
    ["order", 4],
    ["line", 9],
    ["item", 11],
  ]);
  for (const { name, offset } of found) expect(text.slice(offset).replace(/^['"]/, "")).toMatch(new RegExp(`^${name}`));
});

test("a text without entities has no outline", () => {
  expect(entityOutline("")).toEqual([]);
  expect(entityOutline("project: shop\nentities:\nroles:\n  clerk: {}")).toEqual([]);
});
