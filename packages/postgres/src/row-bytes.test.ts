import { expect, test } from "vitest";
import { bytesOfRows, RowBytes, RowReader, textsOf } from "./row-bytes.ts";

const rows = [
  ["a", null, ""],
  ["é – 漢字", "x".repeat(40_000), null],
  [null, null, null],
];

function readAll(bytes: Buffer): (string | null)[][] {
  const row = new RowReader(bytes);
  const read: (string | null)[][] = [];
  while (row.next()) read.push(Array.from({ length: row.columns }, (_, i) => row.text(i)));
  return read;
}

test("rows are returned unchanged", () => {
  expect(readAll(bytesOfRows(rows))).toEqual(rows);
  expect(readAll(bytesOfRows([]))).toEqual([]);
});

test("a reader knows the last row, and the position of each value", () => {
  const bytes = bytesOfRows([
    ["a", null],
    ["bc", "d"],
  ]);
  const row = new RowReader(bytes);
  expect([row.next(), row.isLast, row.isNull(0), row.isNull(1)]).toEqual([true, false, false, true]);
  expect([row.next(), row.isLast, bytes.toString("utf8", row.start(0), row.end(0))]).toEqual([true, true, "bc"]);
  expect(row.next()).toBe(false);
});

test("rows stay valid when the connection reuses their memory", () => {
  const kept = new RowBytes();
  for (const each of rows) {
    const payload = bytesOfRows([each]);
    const wire = Buffer.concat([Buffer.from("Dxxxx"), payload]);
    kept.add({ bytes: wire, at: 5, length: payload.length + 4 });
    wire.fill(0);
  }
  expect(readAll(kept.all())).toEqual(rows);
});

test("a row's texts are read from the middle of others", () => {
  const [one, two] = [bytesOfRows([["a"]]), bytesOfRows([["b", null]])];
  expect(textsOf(Buffer.concat([one, two]), one.length)).toEqual(["b", null]);
});
