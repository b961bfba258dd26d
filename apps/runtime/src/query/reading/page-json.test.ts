// A page's JSON, built from the bytes of its rows: JSON.parse reads the same values that the rows contain.
import { bytesOfRows } from "@plinth/postgres";
import { describe, expect, test } from "vitest";
import { JsonBytes } from "./json-bytes.ts";
import { type ListStatement, memberOf } from "./list-statement.ts";
import { readPage, recordsJson } from "./page-json.ts";

const texts = [
  "",
  "plain",
  'a "quote" and a \\ backslash',
  "line\nfeed\ttab\rreturn\b\f",
  "\u0001\u001f\u007f\u2028",
  "é – 漢字 😀",
  "x".repeat(5_000),
  '"'.repeat(3_000),
  "\u0002".repeat(3_000),
];

test.each(texts)("a text of %j is a string of JSON", (text) => {
  const json = new JsonBytes(1);
  const bytes = Buffer.from(`..${text}..`);
  json.quoted(bytes, 2, bytes.length - 2);
  expect(json.all().toString()).toBe(JSON.stringify(text));
});

test("every character is written as JSON.stringify writes it", () => {
  const text = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code)).join("");
  const json = new JsonBytes();
  json.quoted(Buffer.from(text), 0, Buffer.byteLength(text));
  expect(json.all().toString()).toBe(JSON.stringify(text));
});

test.each([
  ["2026-11-24 13:20:20.123456+00", "2026-11-24T13:20:20.123456Z"],
  ["2026-11-24 13:20:20.5+00", "2026-11-24T13:20:20.500000Z"],
  ["2026-11-24 13:20:20+00", "2026-11-24T13:20:20.000000Z"],
  ["12026-01-01 00:00:00+00", "12026-01-01T00:00:00.000000Z"],
])("the instant %s is %s", (printed, expected) => {
  const json = new JsonBytes(1);
  json.instant(Buffer.from(printed), 0, printed.length);
  expect(JSON.parse(json.all().toString())).toBe(expected);
});

const members = [memberOf("id", "string"), memberOf("n", "raw"), memberOf("note", "string", 3)];
/** Only the positions in a statement matter here. */
const statement = { members, keysAt: [1, 0], idAt: 0, countAt: 4 } as unknown as ListStatement;
const rows = bytesOfRows([
  ["a", "1", "x", "t", "3"],
  ["b", null, "y", "f", "3"],
  ["c", "3", null, "t", "3"],
]);

describe("a page", () => {
  const page = (limit: number, isBackward = false, of = rows) => {
    const { records, ...rest } = readPage(of, statement, { limit, isBackward });
    return { records: JSON.parse(`[${records}]`), ...rest };
  };
  const [a, b, c] = [
    { id: "a", n: 1, note: "x" },
    { id: "b", n: null },
    { id: "c", n: 3, note: null },
  ];

  test("shows what each record shows, up to the limit", () => {
    expect(page(2)).toEqual({ records: [a, b], first: ["1", "a"], last: [null, "b"], rowCount: 3, count: "3" });
    expect(page(3)).toEqual({ records: [a, b, c], first: ["1", "a"], last: ["3", "c"], rowCount: 3, count: "3" });
    expect(page(9)).toMatchObject({ records: [a, b, c], last: ["3", "c"], rowCount: 3 });
  });

  test("that is read backward is reversed, without the row beyond it", () => {
    expect(page(2, true)).toMatchObject({ records: [b, a], first: [null, "b"], last: ["1", "a"], rowCount: 3 });
    expect(page(1, true)).toMatchObject({ records: [a], first: ["1", "a"], last: ["1", "a"] });
    expect(page(3, true).records).toEqual([c, b, a]);
  });

  test("can be empty, even with a count", () => {
    const empty = { records: [], first: null, last: null, rowCount: 0 };
    expect(page(2, false, Buffer.alloc(0))).toEqual({ ...empty, count: null });
    expect(page(2, false, bytesOfRows([[null, null, null, null, "7"]]))).toEqual({ ...empty, count: "7" });
  });

  test("of groups stops at the limit", () => {
    expect(JSON.parse(`[${recordsJson(rows, members, 2)}]`)).toEqual([a, b]);
    expect(recordsJson(Buffer.alloc(0), members, 2).toString()).toBe("");
  });
});
