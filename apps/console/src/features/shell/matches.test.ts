// The search finds entries by their words, in any order, and nothing by letters that only happen to follow each other.
import { expect, test } from "vitest";
import { matchScore } from "./matches.ts";

const newKey = "action New API key create token secret publishable";

test.each(["new key", "key", "create token", "NEW API", ""])("%s finds a new key", (typed) => {
  expect(matchScore(newKey, typed)).toBeGreaterThan(0);
});

test("letters in between are not words", () => {
  expect(matchScore(newKey, "parcels")).toBe(0);
  expect(matchScore("theme Dark theme", "dark")).toBe(1);
});

test("the beginning of a word comes before its middle, and both before words apart", () => {
  const scores = ["data parcels parcel", "data myparcels", "data parts and elcels"].map((one) =>
    matchScore(one, "parcels"),
  );
  expect(scores).toEqual([1, 0.8, 0]);
  expect(matchScore("page Keys new", "new keys")).toBe(0.5);
});
