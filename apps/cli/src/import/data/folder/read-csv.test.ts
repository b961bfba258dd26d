// CSV as an export writes it, however its text is cut into pieces.
import { expect, test } from "vitest";
import { type CsvRecord, readCsv } from "./read-csv.ts";

async function* cut(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

async function recordsOf(text: string, size: number = text.length): Promise<CsvRecord[]> {
  const records: CsvRecord[] = [];
  for await (const record of readCsv(cut(text, size))) records.push(record);
  return records;
}

test("an empty field is null, a quoted empty one is a text, and quotes hold everything", async () => {
  const text = 'id,title,note\r\n1,,""\r\n2,"a ""b"", c\r\nd","\n"\r\n3,\\N,é😀\r\n';
  const records = [
    ["id", "title", "note"],
    ["1", null, ""],
    ["2", 'a "b", c\r\nd', "\n"],
    ["3", "\\N", "é😀"],
  ];
  for (let size = 1; size <= text.length; size++)
    expect(await recordsOf(text, size), `pieces of ${size}`).toEqual(records);
  expect(await recordsOf(text.replaceAll("\r\n", "\n").replace("c\n", "c\r\n"))).toEqual(records);
  expect(await recordsOf("a,b")).toEqual([["a", "b"]]);
  expect(await recordsOf('"a"')).toEqual([["a"]]);
});

test("what is no CSV is refused", async () => {
  await expect(recordsOf('1,"open\r\n')).rejects.toThrow("a quote is not closed");
  await expect(recordsOf('1,"a"b\r\n')).rejects.toThrow("a comma or the end of the line is missing");
  await expect(recordsOf("1,a\rb\r\n")).rejects.toThrow("a comma or the end of the line is missing");
});
