// A table distinguishes null, empty, false, and values that the API doesn't show.
import type { FieldType } from "@plinth/blueprint";
import { expect, test } from "vitest";
import { cellText } from "./cell-text.ts";

const string: FieldType = { kind: "string" };
const euros: FieldType = { kind: "money", currency: "EUR", scale: 2 };
const duration: FieldType = { kind: "duration" };

test.each<[unknown, FieldType | null, { text: string; look: string }]>([
  [null, string, { text: "null", look: "faint" }],
  [undefined, string, { text: "not shown", look: "faint" }],
  ["null", string, { text: "null", look: "plain" }],
  ["", string, { text: "empty", look: "faint" }],
  [0, { kind: "int" }, { text: "0", look: "mono" }],
  [false, { kind: "bool" }, { text: "false", look: "mono" }],
  ["2026-11-21T05:33:01.123456Z", { kind: "datetime" }, { text: "2026-11-21 05:33:01 UTC", look: "mono" }],
  ["2026-11-21T05:33:01Z", string, { text: "2026-11-21T05:33:01Z", look: "plain" }],
  [
    "01936b3e-0000-7000-8000-000000000000",
    { kind: "uuid" },
    { text: "01936b3e-0000-7000-8000-000000000000", look: "mono" },
  ],
  [{ a: 1 }, { kind: "json" }, { text: '{"a":1}', look: "mono" }],
  [[1, 2], { kind: "json" }, { text: "1, 2", look: "mono" }],
  [[], { kind: "list", of: string }, { text: "empty list", look: "faint" }],
  [["a", ""], { kind: "list", of: string }, { text: "a, empty", look: "mono" }],
  [["a", "b"], { kind: "enum_set", values: ["a", "b"] }, { text: "a, b", look: "plain" }],
  [["5.00", null], { kind: "list", of: euros }, { text: "5.00 EUR, null", look: "mono" }],
  ["1250.00", euros, { text: "1,250.00 EUR", look: "mono" }],
  ["-99999999999999999.99", euros, { text: "-99,999,999,999,999,999.99 EUR", look: "mono" }],
  ["1250", { kind: "money", currency: "JPY", scale: 0 }, { text: "1,250 JPY", look: "mono" }],
  [12.5, { kind: "percent" }, { text: "12.5 %", look: "mono" }],
  ["PT1H30M", duration, { text: "1 h 30 min", look: "mono" }],
  ["P1DT0.5S", duration, { text: "1 day 0.5 s", look: "mono" }],
  ["-P2W", duration, { text: "-2 weeks", look: "mono" }],
  ["PT0S", duration, { text: "0 s", look: "mono" }],
  ["soon", duration, { text: "soon", look: "mono" }],
  [{ lat: 52.5, lng: -13 }, { kind: "point" }, { text: "52.5, -13", look: "mono" }],
  [
    { de: "Rad", en: "" },
    { kind: "i18n", of: string },
    { text: "de: Rad, en: empty", look: "plain" },
  ],
  ["1250.00", null, { text: "1250.00", look: "plain" }],
])("%j as %j", (value, type, expected) => {
  expect(cellText(value, type)).toEqual(expected);
});
