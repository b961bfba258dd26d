// Changes are grouped by what they speak of; none is lost, and the riskiest stands first.
import type { Change } from "@plinth/blueprint";
import { expect, test } from "vitest";
import { countRisks, groupChanges } from "./group-changes.ts";

function change(kind: Change["kind"], path: string, risk: Change["risk"]): Change {
  return { kind, path, summary: path, risk };
}

const changes = [
  change("field_added", "listing.price", "safe"),
  change("role_added", "roles.support", "safe"),
  change("entity_added", "inquiry", "safe"),
  change("permission_added", "listing.permissions.public.read", "loosens_access"),
  change("field_removed", "listing.title", "breaking"),
];

test("groups by entity, what is risky first, entities before roles and modules", () => {
  expect(groupChanges(changes).map(({ name, changes: members }) => [name, members.map(({ risk }) => risk)])).toEqual([
    ["listing", ["breaking", "loosens_access", "safe"]],
    ["inquiry", ["safe"]],
    ["roles", ["safe"]],
  ]);
});

test("counts by risk, the gravest first, nothing that isn't there", () => {
  expect(countRisks(changes)).toEqual([
    { risk: "breaking", count: 1 },
    { risk: "loosens_access", count: 1 },
    { risk: "safe", count: 3 },
  ]);
});

test("no changes, no groups", () => {
  expect(groupChanges([])).toEqual([]);
  expect(countRisks([])).toEqual([]);
});
