// Changes are grouped by what they speak of; none is lost, and the riskiest stands first.
import type { Change } from "@plinth/blueprint";
import { expect, test } from "vitest";
import { countRisks, groupChanges, subjectOf } from "./group-changes.ts";

function change(path: string, risk: Change["risk"]): Change {
  return { kind: "any", path, summary: path, risk } as Change;
}

const changes = [
  change("entities.listing.fields.price", "safe"),
  change("roles.support", "safe"),
  change("entities.listing.permissions.public.read", "loosens_access"),
  change("entities.inquiry", "safe"),
  change("entities.listing.fields.title", "breaking"),
];

test("groups by entity, in the order in which they first appear, the riskiest first", () => {
  expect(groupChanges(changes).map(({ name, changes: members }) => [name, members.map(({ risk }) => risk)])).toEqual([
    ["listing", ["breaking", "loosens_access", "safe"]],
    ["roles", ["safe"]],
    ["inquiry", ["safe"]],
  ]);
});

test("counts by risk, the gravest first, nothing that isn't there", () => {
  expect(countRisks(changes)).toEqual([
    { risk: "breaking", count: 1 },
    { risk: "loosens_access", count: 1 },
    { risk: "safe", count: 3 },
  ]);
});

test.each([
  ["entities.listing", "listing"],
  ["/entities/listing/fields", "listing"],
  ["modules", "modules"],
  ["entities", "entities"],
  ["", ""],
])("subjectOf(%j) is %j", (path, subject) => {
  expect(subjectOf(path)).toBe(subject);
});
