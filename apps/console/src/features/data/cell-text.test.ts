// A table shows what is there: null, empty and false are three things.
import { expect, test } from "vitest";
import { cellText } from "./cell-text.ts";

test.each([
  [null, "string", { text: "null", look: "faint" }],
  [undefined, "string", { text: "null", look: "faint" }],
  ["null", "string", { text: "null", look: "plain" }],
  ["", "string", { text: "empty", look: "faint" }],
  [0, "int", { text: "0", look: "mono" }],
  [false, "bool", { text: "false", look: "mono" }],
  ["2026-11-21T05:33:01.123456Z", "datetime", { text: "2026-11-21 05:33:01", look: "mono" }],
  ["2026-11-21T05:33:01Z", "string", { text: "2026-11-21T05:33:01Z", look: "plain" }],
  ["01936b3e-0000-7000-8000-000000000000", "uuid", { text: "01936b3e-0000-7000-8000-000000000000", look: "mono" }],
  [{ a: 1 }, "json", { text: '{"a":1}', look: "mono" }],
])("%j as %s", (value, kind, expected) => {
  expect(cellText(value, kind)).toEqual(expected);
});
