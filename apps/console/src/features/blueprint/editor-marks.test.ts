// Marks stay within the text, also if it has changed since it was checked.
import type { Diagnostic } from "@plinth/blueprint";
import { expect, test } from "vitest";
import { marksOf } from "./editor-marks.ts";

function diagnosticAt(start: number, end: number): Diagnostic {
  const position = (offset: number) => ({ line: 1, column: offset + 1, offset });
  return {
    code: "unknown_field",
    severity: "error",
    message: "No such field.",
    hint: "Did you mean title?",
    span: { start: position(start), end: position(end) },
  } as Diagnostic;
}

test.each([
  { at: [2, 5], length: 10, mark: [2, 5] },
  { at: [4, 4], length: 10, mark: [4, 5] },
  { at: [10, 10], length: 10, mark: [9, 10] },
  { at: [8, 20], length: 10, mark: [8, 10] },
  { at: [15, 20], length: 10, mark: [9, 10] },
  { at: [0, 3], length: 0, mark: [0, 0] },
])("$at in $length characters", ({ at, length, mark }) => {
  const [marked] = marksOf([diagnosticAt(at[0] ?? 0, at[1] ?? 0)], length);
  expect([marked?.from, marked?.to]).toEqual(mark);
  expect(marked?.message).toBe("No such field. Did you mean title?");
});
