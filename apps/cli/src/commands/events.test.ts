// Follows a log whose new entries come first: no entry is repeated or missed, in whatever order they arrive.
import { expect, test } from "vitest";
import { createFollower, notBefore } from "./events.ts";

/** Newest first, in pages of three. A cursor is the start of the next page. */
function logOf(ids: string[]) {
  let reads = 0;
  const next = createFollower(async (cursor) => {
    reads++;
    const at = Number(cursor ?? 0);
    const data = ids.slice(at, at + 3).map((id) => ({ id }));
    return { data, nextCursor: at + 3 < ids.length ? String(at + 3) : null };
  });
  return { next: async () => (await next()).map(({ id }) => id), reads: () => reads };
}

test("prints the last page, then new entries, oldest first", async () => {
  const ids = ["d", "c", "b", "a"];
  const { next, reads } = logOf(ids);
  expect(await next()).toEqual(["b", "c", "d"]);
  expect(await next()).toEqual([]);
  ids.unshift("f", "e");
  expect(await next()).toEqual(["e", "f"]);
  expect(reads()).toBe(3);
});

test("prints more than a page of new entries", async () => {
  const ids = ["a"];
  const { next } = logOf(ids);
  expect(await next()).toEqual(["a"]);
  ids.unshift("h", "g", "f", "e", "d", "c", "b");
  expect(await next()).toEqual(["b", "c", "d", "e", "f", "g", "h"]);
});

test("prints an entry that arrives behind known ones", async () => {
  const ids = ["c", "a"];
  const { next } = logOf(ids);
  expect(await next()).toEqual(["a", "c"]);
  ids.splice(1, 0, "b");
  expect(await next()).toEqual(["b"]);
});

test("prints all entries of a log that was empty at first", async () => {
  const ids: string[] = [];
  const { next } = logOf(ids);
  expect(await next()).toEqual([]);
  ids.unshift("b", "a");
  expect(await next()).toEqual(["a", "b"]);
});

test("prints recent entries from before the start", () => {
  const events = ["2026-11-22T09:49:59Z", "2026-11-22T09:50:00Z"].map((at) => ({ at }));
  expect(notBefore(events, Date.parse("2026-11-22T10:00:00Z") - 600_000)).toEqual(events.slice(1));
});
