import { expect, test } from "vitest";
import { createCursorCodec } from "./cursor.ts";

const cursors = createCursorCodec("a secret of the tests alone");

test("a cursor only opens for its own list, however often it was sealed", () => {
  const key = ["2026-11-24 13:20:20+00", null];
  const [first, again, other] = [
    cursors.seal(key, "a list"),
    cursors.seal(key, "a list"),
    cursors.seal(key, "another"),
  ];
  expect(again).toBe(first);
  expect(other).not.toBe(first);
  expect(cursors.open(first, "a list")).toEqual(key);
  expect(cursors.open(first, "another")).toBeNull();
  expect(cursors.open(other, "another")).toEqual(key);
});

test("another position in the same list has another cursor", () => {
  const [one, two] = [cursors.seal(["a", "b"], "a list"), cursors.seal(["a", "c"], "a list")];
  expect(cursors.open(one, "a list")).toEqual(["a", "b"]);
  expect(cursors.open(two, "a list")).toEqual(["a", "c"]);
});
