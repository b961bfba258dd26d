import { expect, test } from "vitest";
import { firstComparison } from "./first-comparison.ts";

const version = (versionId: string, state: "live" | "replaced" | "rejected" | "open") => ({ versionId, state });

test("shows what the last deployment changed, not a change that was rejected since", () => {
  const versions = [
    version("five", "rejected"),
    version("four", "live"),
    version("three", "rejected"),
    version("two", "replaced"),
    version("one", "replaced"),
  ];
  expect(firstComparison(versions, "four")).toEqual({ from: "two", to: "four" });
});

test("shows the newest other text while there was only one deployment", () => {
  expect(firstComparison([version("two", "open"), version("one", "live")], "one")).toEqual({ from: "one", to: "two" });
});

test("compares two proposals while nothing is live", () => {
  expect(firstComparison([version("two", "open"), version("one", "rejected")], null)).toEqual({
    from: "one",
    to: "two",
  });
  expect(firstComparison([], null)).toEqual({ from: "", to: "" });
});
