import { expect, test } from "vitest";
import { ByteCache, bytesOfText } from "./byte-cache.ts";

test("a byte cache removes the least recently used entry, and never exceeds its limit", () => {
  let told = 0;
  const cache = new ByteCache<string, number>({
    bytesMax: 10,
    weigh: (value) => value,
    onGrowth: (more) => (told += more),
  });
  cache.set("a", 4);
  cache.set("b", 4);
  expect(cache.get("a")).toBe(4);
  cache.set("c", 4);
  expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([4, undefined, 4]);
  cache.set("a", 1);
  expect([cache.size, cache.bytes, told]).toEqual([2, 5, 5]);
  cache.set("too heavy", 11);
  expect([cache.size, cache.get("too heavy")]).toEqual([2, undefined]);
  cache.delete("c");
  cache.delete("c");
  expect([cache.bytes, told]).toEqual([1, 1]);
});

test("a text beyond Latin-1 counts two bytes per character", () => {
  expect(bytesOfText("äb") - bytesOfText("")).toBe(2);
  expect(bytesOfText("łb") - bytesOfText("")).toBe(4);
});
