// One owner's many entries only affect that owner, and the limit is never exceeded.
import { expect, test } from "vitest";
import { SharedByteCache } from "./shared-byte-cache.ts";

const weigh = (value: number): number => value;

test("the owner with the most bytes loses an entry that it has not used recently", () => {
  const cache = new SharedByteCache<number>({ bytesMax: 100_000, weigh });
  cache.set("small", "of small", 500);
  for (let i = 0; i < 1_000; i++) {
    cache.set("large", `large ${i}`, 1_000);
    cache.get("large 0");
  }
  expect(cache.get("of small")).toBe(500);
  expect([cache.get("large 0"), cache.get("large 1"), cache.get("large 999")]).toEqual([1_000, undefined, 1_000]);
  expect(cache.bytes).toBeLessThanOrEqual(100_000);
  expect(cache.bytes).toBeGreaterThan(95_000);
});

test("among owners with similar sizes, the one that was not used recently loses an entry", () => {
  const cache = new SharedByteCache<number>({ bytesMax: 10_000, weigh });
  for (let i = 0; i < 100; i++) {
    cache.set(`owner ${i}`, `key ${i}`, 300);
    cache.get("key 0");
  }
  expect([cache.get("key 0"), cache.get("key 1"), cache.get("key 99")]).toEqual([300, undefined, 300]);
});

test("if all entries are in use, one is removed anyway", () => {
  const cache = new SharedByteCache<number>({ bytesMax: 100_000, weigh });
  for (let i = 0; i < 1_000; i++) {
    cache.set("one", String(i), 500);
    cache.get(String(i));
  }
  expect(cache.bytes).toBeLessThanOrEqual(100_000);
  expect(cache.size).toBeGreaterThan(100);
});

test("an owner is removed as a whole, and no other owner with it", () => {
  const cache = new SharedByteCache<number>({ bytesMax: 10_000, weigh });
  for (const key of ["a", "b"]) cache.set("one", key, 100);
  cache.set("other", "c", 100);
  // A key that moves to another owner is removed from the first.
  cache.set("other", "b", 100);
  cache.forget("one");
  cache.forget("nobody");
  expect([cache.get("a"), cache.get("b"), cache.get("c"), cache.size]).toEqual([undefined, 100, 100, 2]);
  cache.forget("other");
  expect([cache.size, cache.bytes]).toEqual([0, 0]);
});

test("a value larger than the limit is not stored, and removes nothing", () => {
  const cache = new SharedByteCache<number>({ bytesMax: 5_000, weigh });
  cache.set("one", "a", 100);
  cache.set("other", "b", 5_000);
  expect([cache.get("a"), cache.get("b"), cache.size]).toEqual([100, undefined, 1]);
});

test("in any order of calls, it never exceeds its limit, and its count returns to zero", () => {
  const cache = new SharedByteCache<number>({ bytesMax: 8_000, weigh });
  let seed = 1;
  const below = (end: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % end;
  };
  for (let i = 0; i < 20_000; i++) {
    const [owner, key, action] = [`owner ${below(4)}`, `key ${below(20)}`, below(20)];
    if (action === 0) cache.forget(owner);
    else if (action < 3) cache.delete(key);
    else if (action < 10) cache.get(key);
    else cache.set(owner, key, below(3_000));
    expect(cache.bytes).toBeLessThanOrEqual(8_000);
  }
  for (let i = 0; i < 4; i++) cache.forget(`owner ${i}`);
  expect([cache.size, cache.bytes]).toEqual([0, 0]);
});
