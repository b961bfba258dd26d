// The singular names of routes, before and after.
import { expect, test } from "vitest";
import { aliasChanges } from "./alias-changes.ts";

const listing = { name: "listing", plural: "listings" };

test.each([
  ["stays", [listing], [listing], []],
  [
    "leads nowhere any more",
    [listing],
    [{ ...listing, name: "ad" }],
    ["There is no longer a route /v1/resources/listing."],
  ],
  [
    "is another entity's plural now",
    [listing],
    [listing, { name: "ad", plural: "listing" }],
    ["/v1/resources/listing is now the route of another entity."],
  ],
  ["goes with its entity, which is told by its path", [listing], [], []],
  ["was a plural, and is told by its path", [{ name: "sheep", plural: "sheep" }], [], []],
])("a name that %s", (_, before, after, said) => {
  const changes = aliasChanges(before, after);
  expect(changes.map(({ summary }) => summary)).toEqual(said);
  expect(changes.every(({ classes }) => classes.join() === "breaking")).toBe(true);
});
