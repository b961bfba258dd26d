// Parts of JSON texts: as JSON.parse would return them, but with all digits, and at any depth of nesting.
import { expect, it } from "vitest";
import { itemTexts, partAt } from "./json-parts.ts";
import { itemsAt, readRequest, textAt } from "./request-value.ts";

const read = (text: string) => readRequest({ "content-type": "application/json" }, Buffer.from(text));
const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;

it("finds what JSON.parse finds", () => {
  const text = String.raw`{ "a" : [ 1 , "x, ]\" \\" , { "b\u0041" : null , "" : [ ] } , -1.50e2, true ] , "a\\" : { } , "c": 1, "c" : {"d": "\\\""} }`;
  const parsed = JSON.parse(text);
  const { a, c } = parsed;
  expect(JSON.parse(partAt(text, []) ?? "")).toEqual(parsed);
  expect(JSON.parse(partAt(text, ["a"]) ?? "")).toEqual(a);
  expect(partAt(text, ["a", "3"])).toBe("-1.50e2");
  expect(partAt(text, ["a", "2", "bA"])).toBe("null");
  expect(JSON.parse(partAt(text, ["c", "d"]) ?? "")).toBe(c.d);
  expect(partAt(text, ["a\\"])).toBe("{}");
  for (const names of [["b"], ["a", "5"], ["c", "d", "e"], ["a", "0", "0"]]) expect(partAt(text, names)).toBe(null);
  expect(itemTexts(partAt(text, ["a"]) ?? "").map((one) => JSON.parse(one))).toEqual(a);
  expect(itemTexts("[]")).toEqual([]);
});

it("accepts any nesting", () => {
  const items = itemsAt(read(`{"events":[${deep}, 12345678901234567890]}`), "body.events", 2);
  expect(items).toMatchObject([{ json: deep }, { json: "12345678901234567890" }]);
  expect(textAt(read(`{"x":${deep},"id":12345678901234567890}`), "body.id")).toBe("12345678901234567890");
});

it("distinguishes numbers that are infinite in JavaScript", () => {
  expect(textAt(read('{"id":1e400}'), "body.id")).toBe("1e400");
});

it("a megabyte of numbers is searched once, however many items need it", () => {
  const request = read(`{"kind":12345678901234567890,"events":[[${Array(500_000).fill("1").join()}]]}`);
  expect(itemsAt(request, "body.events", 1)).toHaveLength(1);
  for (let at = 0; at < 2_000; at++) expect(textAt(request, "body.kind")).toBe("12345678901234567890");
  expect(request.digits.size).toBe(1);
});
