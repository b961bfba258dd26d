// Which content types are JSON, the same for records and for modules.
import { expect, test } from "vitest";
import { requireJson } from "../modules/json-body.ts";
import type { Incoming } from "./contracts.ts";
import { requireJsonType } from "./json-type.ts";

const typed = (type: string | undefined): Incoming =>
  ({ headers: type === undefined ? {} : { "content-type": type }, body: Buffer.from("{}") }) as unknown as Incoming;

test.each([
  "application/json",
  "Application/JSON",
  "application/json;charset=utf-8",
  "application/json; charset=UTF-8",
  'application/json; charset="utf-8"',
])("%s is", (type) => {
  expect(() => requireJsonType(typed(type))).not.toThrow();
  expect(requireJson(typed(type))).toEqual({});
});

test.each([
  undefined,
  "text/plain",
  "application/jsonp",
  "application/json; charset=latin1",
  'application/json; charset="utf-8',
])("%s isn't", (type) => {
  expect(() => requireJsonType(typed(type))).toThrow("application/json");
  expect(() => requireJson(typed(type))).toThrow("application/json");
});
