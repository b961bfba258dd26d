// Following a log that grows at its top: nothing twice, nothing left out, whatever the order in which it comes.
import { expect, test } from "vitest";
import { createFollower, notBefore } from "./events.ts";

/** Newest first, in pages of three; a cursor is where the next page begins. */
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

test("the last page first, then what is new, oldest first", async () => {
  const ids = ["d", "c", "b", "a"];
  const { next, reads } = logOf(ids);
  expect(await next()).toEqual(["b", "c", "d"]);
  expect(await next()).toEqual([]);
  ids.unshift("f", "e");
  expect(await next()).toEqual(["e", "f"]);
  expect(reads()).toBe(3);
});

test("more than a page since the last look", async () => {
  const ids = ["a"];
  const { next } = logOf(ids);
  expect(await next()).toEqual(["a"]);
  ids.unshift("h", "g", "f", "e", "d", "c", "b");
  expect(await next()).toEqual(["b", "c", "d", "e", "f", "g", "h"]);
});

test("one that comes behind others that were seen", async () => {
  const ids = ["c", "a"];
  const { next } = logOf(ids);
  expect(await next()).toEqual(["a", "c"]);
  ids.splice(1, 0, "b");
  expect(await next()).toEqual(["b"]);
});

test("a log that was empty at first shows all that comes", async () => {
  const ids: string[] = [];
  const { next } = logOf(ids);
  expect(await next()).toEqual([]);
  ids.unshift("b", "a");
  expect(await next()).toEqual(["a", "b"]);
});

test("of what happened before, what is recent enough", () => {
  const events = ["2026-11-22T09:49:59Z", "2026-11-22T09:50:00Z"].map((at) => ({ at }));
  expect(notBefore(events, Date.parse("2026-11-22T10:00:00Z") - 600_000)).toEqual(events.slice(1));
});
