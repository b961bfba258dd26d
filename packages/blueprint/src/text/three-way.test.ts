// A merge takes the changes of one side, reports a conflict if both sides changed a line, and loses no line.
import { array, assert, constantFrom, property } from "fast-check";
import { expect, test } from "vitest";
import { conflictsOf, joinPieces, mergeTexts } from "./three-way.ts";

const base = "a: 1\nb: 2\nc: 3\nd: 4\n";

test("takes lines that only one side changed", () => {
  const pieces = mergeTexts(base, base.replace("a: 1", "a: 9"), `${base}e: 5\n`);
  expect(conflictsOf(pieces)).toEqual([]);
  expect(joinPieces(pieces, [])).toBe("a: 9\nb: 2\nc: 3\nd: 4\ne: 5\n");
});

test("equal changes of both sides are no conflict", () => {
  const both = base.replace("b: 2", "b: 8");
  expect(joinPieces(mergeTexts(base, both, both), [])).toBe(both);
});

test("different changes of both sides are a conflict, and each side can be chosen", () => {
  const pieces = mergeTexts(base, base.replace("b: 2", "b: mine"), base.replace("b: 2", "b: theirs"));
  expect(conflictsOf(pieces)).toEqual([{ kind: "conflict", mine: "b: mine\n", theirs: "b: theirs\n" }]);
  expect(joinPieces(pieces, ["mine"])).toBe(base.replace("b: 2", "b: mine"));
  expect(joinPieces(pieces, ["theirs"])).toBe(base.replace("b: 2", "b: theirs"));
  expect(joinPieces(pieces, ["both"])).toBe(base.replace("b: 2", "b: mine\nb: theirs"));
});

test("for any three texts, taking one side everywhere keeps each line that only that side changed", () => {
  const text = array(constantFrom("a", "b", "c", "d"), { maxLength: 12 }).map((rows) =>
    rows.map((row) => `${row}\n`).join(""),
  );
  void assert(
    property(text, text, (one, other) => {
      expect(joinPieces(mergeTexts(one, one, other), [])).toBe(other);
      expect(joinPieces(mergeTexts(one, other, one), [])).toBe(other);
      expect(joinPieces(mergeTexts(one, other, other), [])).toBe(other);
      const pieces = mergeTexts("", one, other);
      if (conflictsOf(pieces).length > 0) expect(joinPieces(pieces, ["theirs"])).toBe(other);
    }),
  );
});
