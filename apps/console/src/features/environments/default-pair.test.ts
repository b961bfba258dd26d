// The two environments that the page compares first.
import type { EnvironmentSummary } from "@plinth/control/router";
import { expect, test } from "vitest";
import { defaultPair } from "./default-pair.ts";

const one = (id: string, kind: EnvironmentSummary["kind"], live = true): EnvironmentSummary => ({
  id,
  slug: id,
  kind,
  name: id,
  createdAt: "2026-11-24T00:00:00Z",
  live: live ? { deployedAt: "2026-11-24T00:00:00Z" } : null,
});
const production = one("production", "production");
const development = one("development", "development");
const [first, second] = [one("first", "preview"), one("second", "preview")];

test.each([
  ["production", [production, development, first], "first", "production"],
  ["production", [production, development, one("empty", "preview", false)], "development", "production"],
  ["development", [production, development, first], "development", "first"],
  ["development", [production, development, first, second], "development", "production"],
  ["development", [production, development], "development", "production"],
  ["first", [production, first, second], "first", "production"],
  ["production", [production, one("empty", "preview", false)], "empty", "production"],
])("on the page of %s", (here, environments, from, to) => {
  expect(defaultPair(environments, here)).toEqual({ from, to });
});
