// A wrongly indented line is reported once, with the right column.
import { expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";

const text = (...lines: readonly string[]): string =>
  ["project: demo", "entities:", "  loan:", "    fields:", ...lines, ""].join("\n");

test.each([
  ["one space short", ["      title: string", "     note: text", "      due: date"], "6:6", "column 7 is expected"],
  [
    "one space too many",
    ["      title: string", "       note: text", "      due: date"],
    "6:8",
    "column 7 is expected",
  ],
  ["short at the end", ["      title: string", "  tool:", "   fields: {}", "  pen: {}", " cup: {}"], "9:2", "column 3"],
  ["one tab", ["\t    title: string", "      note: text", "      due: date"], "5:1", "indented with a tab"],
  ["many tabs", ["\t\ttitle: string", "\t\tnote: text", "\t\tdue: date"], "5:1", "indentation of 2 more lines"],
])("%s", (_, lines, place, said) => {
  const found = checkBlueprint(text(...lines)).diagnostics;
  expect(found.map(({ code, span }) => `${code} ${span.start.line}:${span.start.column}`)).toEqual([
    `yaml_syntax ${place}`,
  ]);
  expect(found[0]?.message).toContain(said);
  expect(found[0]?.hint).not.toBeNull();
});
