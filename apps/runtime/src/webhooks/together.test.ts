// Simultaneous items share a statement, and a failing one doesn't affect the others.
import { expect, it } from "vitest";
import { together } from "./together.ts";

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

it("runs once for the items of one turn, and for the rest afterwards", async () => {
  const batches: (readonly number[])[] = [];
  const double = together(async (items: readonly number[]) => {
    batches.push(items);
    await pause();
    return items.map((item) => item * 2);
  }, 3);
  const first = [double(1), double(2)];
  await new Promise(setImmediate);
  const second = [3, 4, 5, 6].map(double);
  expect(await Promise.all([...first, ...second])).toEqual([2, 4, 6, 8, 10, 12]);
  expect(batches).toEqual([[1, 2], [3, 4, 5], [6]]);
  expect(await double(7)).toBe(14);
});

it("runs each item separately if they fail together", async () => {
  const check = together(async (items: readonly number[]) => {
    await pause();
    if (items.includes(2)) throw new Error("two");
    return items;
  }, 10);
  const results = await Promise.allSettled([1, 2, 3].map(check));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});
