// A map with a limit: the entries that it keeps and removes.
import { expect, test } from "vitest";
import { RecentMap } from "./recent-map.ts";

test("never exceeds its limit, and removes the least recently used entry", () => {
  const map = new RecentMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  expect(map.get("a")).toBe(1);
  map.set("c", 3);
  expect([map.size, map.get("a"), map.get("b"), map.get("c")]).toEqual([2, 1, undefined, 3]);
});

test("a value that is set again takes no second place", () => {
  const map = new RecentMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.set("a", 3);
  map.set("c", 4);
  expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([3, undefined, 4]);
  map.delete("a");
  expect([map.size, map.get("a")]).toEqual([1, undefined]);
});

test("refuses a limit without room for two entries", () => {
  expect(() => new RecentMap(1)).toThrow("room for two entries");
});
