// Changes are grouped by entity; none is lost, and the gravest is first.
import type { Change } from "@plinth/blueprint";
import { expect, test } from "vitest";
import { countClasses, groupChanges } from "./group-changes.ts";

function change(kind: Change["kind"], path: string, ...classes: Change["classes"]): Change {
  return { kind, path, summary: path, classes };
}

const changes = [
  change("field_added", "listing.price", "safe"),
  change("role_added", "roles.support", "safe"),
  change("entity_added", "inquiry", "safe"),
  change("permission_added", "listing.permissions.public.read", "loosens_access"),
  change("field_removed", "listing.title", "destructive", "breaking"),
];

test("groups by entity, the gravest first, entities before roles and modules", () => {
  expect(
    groupChanges(changes).map(({ name, changes: members }) => [name, members.map((one) => one.classes[0])]),
  ).toEqual([
    ["listing", ["destructive", "loosens_access", "safe"]],
    ["inquiry", ["safe"]],
    ["roles", ["safe"]],
  ]);
});

test("counts by class, the gravest first, without empty classes", () => {
  expect(countClasses(changes)).toEqual([
    { name: "destructive", count: 1 },
    { name: "loosens_access", count: 1 },
    { name: "breaking", count: 1 },
    { name: "safe", count: 3 },
  ]);
});

test("no changes, no groups", () => {
  expect(groupChanges([])).toEqual([]);
  expect(countClasses([])).toEqual([]);
});
