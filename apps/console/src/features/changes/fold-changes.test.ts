// In a review, only safe changes are folded, and no change is lost.
import type { Change } from "@plinth/blueprint";
import { expect, test } from "vitest";
import { foldChanges } from "./fold-changes.ts";

function change(kind: Change["kind"], path: string, ...classes: Change["classes"]): Change {
  return { kind, path, summary: path, classes };
}

const fields = Array.from({ length: 200 }, (_, index) => change("field_added", `listing.f${index}`, "safe"));
const indexes = [1, 2].map((index) => change("index_added", `listing.indexes.${index}`, "online"));
const grave = [
  change("field_removed", "listing.title", "destructive", "breaking"),
  change("field_changed", "listing.price", "data_dependent", "online"),
];

test("safe changes are folded by kind; the others stay visible", () => {
  const { toReview, safe } = foldChanges([...fields, ...grave, ...indexes], []);
  expect(toReview).toEqual(grave);
  expect(safe.map(({ title, changes }) => [title, changes.length])).toEqual([
    ["Field added", 200],
    ["Index added", 2],
  ]);
});

test("a change that needs a consent, has an example or is counted stays visible, whatever its class", () => {
  const core = change("role_added", "roles.support", "safe");
  const seen: Change = {
    ...change("permission_added", "listing.permissions.public.read", "safe"),
    witness: { role: "public", operation: "read", entity: "listing", decided: true, summary: "", record: null },
  };
  const { toReview } = foldChanges([...fields, core, seen], ["protected_core roles.support"]);
  expect(toReview).toEqual([core, seen]);
});

test("a few changes are not folded", () => {
  expect(foldChanges(fields.slice(0, 5), [])).toEqual({ toReview: fields.slice(0, 5), safe: [] });
  expect(foldChanges(fields.slice(0, 6), []).toReview).toEqual([]);
});
