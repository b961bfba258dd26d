// The text diff has the lines of both texts with their numbers.
import { describe, expect, test } from "vitest";
import { diffTexts } from "./text-diff.ts";

const before = [
  "project: a",
  "entities:",
  "  x:",
  "    a: text",
  "    b: text",
  "    c: text",
  "    d: text",
  "    e: text",
  "    f: int",
  "",
];

describe("diffTexts", () => {
  test("the same text has no hunk", () => {
    expect(diffTexts("a\nb\n", "a\nb\n")).toEqual({ hunks: [], added: 0, removed: 0 });
  });

  test("a first text is all added, numbered from one", () => {
    const diff = diffTexts(null, "a\nb\n");
    expect(diff.hunks).toEqual([
      {
        lines: [
          { kind: "added", text: "a", before: null, after: 1 },
          { kind: "added", text: "b", before: null, after: 2 },
        ],
      },
    ]);
  });

  test("a changed line is removed and added, with three lines around it", () => {
    const after = before.map((line) => (line === "    c: text" ? "    c: text?" : line));
    const diff = diffTexts(before.join("\n"), after.join("\n"));
    expect([diff.added, diff.removed, diff.hunks.length]).toEqual([1, 1, 1]);
    const lines = diff.hunks[0]?.lines ?? [];
    expect(lines).toHaveLength(8);
    expect(lines.find(({ kind }) => kind === "removed")).toEqual({
      kind: "removed",
      text: "    c: text",
      before: 6,
      after: null,
    });
    expect(lines.find(({ kind }) => kind === "added")).toEqual({
      kind: "added",
      text: "    c: text?",
      before: null,
      after: 6,
    });
  });

  test("distant changes are two hunks; numbers are right after an insertion", () => {
    const long = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
    const after = [...long];
    after.splice(2, 0, "new");
    after[27] = "changed";
    const diff = diffTexts(long.join("\n"), after.join("\n"));
    expect(diff.hunks).toHaveLength(2);
    for (const line of diff.hunks.flatMap(({ lines }) => lines)) {
      if (line.before !== null) expect(long[line.before - 1]).toBe(line.text);
      if (line.after !== null) expect(after[line.after - 1]).toBe(line.text);
    }
  });

  test("a missing line end adds no line", () => {
    const diff = diffTexts("a\nb", "a\nb\n");
    expect(diff.hunks.flatMap(({ lines }) => lines).every(({ text }) => text === "a" || text === "b")).toBe(true);
  });
});
