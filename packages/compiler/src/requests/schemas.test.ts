import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { entity, field, limited, optional, userRef } from "../testing/sample-model.ts";
import { createSchemaOf, updateSchemaOf } from "./schemas.ts";

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });

const { fields } = entity("thing", {
  fields: [
    limited(field("title", { kind: "string" }), { max: "5" }),
    optional("note", { kind: "text" }),
    optional("mail", { kind: "email" }),
    optional("count", { kind: "int" }),
    optional("done", { kind: "bool" }),
    optional("at", { kind: "datetime" }),
    optional("other", { kind: "uuid" }),
    optional("state", { kind: "enum", values: ["on", "off"] }),
    field("kind", { kind: "enum", values: ["a", "b"] }, { kind: "literal", value: "a" }),
    field("owner", userRef, { kind: "current_user_id" }),
  ],
});
const create = ajv.compile(createSchemaOf(fields, null));
const update = ajv.compile(updateSchemaOf(fields));

describe("a create", () => {
  test("needs the required fields without a default", () => {
    expect(create({})).toBe(false);
    expect(create({ title: "x" })).toBe(true);
    expect(create({ title: null })).toBe(false);
  });

  test("refuses fields that no caller writes, and undeclared fields", () => {
    for (const name of ["id", "version", "created_at", "updated_at", "created_by", "nothing", "__proto__"])
      expect(create(JSON.parse(`{ "title": "x", "${name}": 1 }`)), name).toBe(false);
  });

  test.each([[], null, "text", 1])("is an object, not %j", (data) => expect(create(data)).toBe(false));
});

describe("an update", () => {
  test("can leave out every field, and can clear optional ones", () => {
    expect(update({})).toBe(true);
    expect(update({ note: null, mail: null, count: null, done: null, at: null, other: null, state: null })).toBe(true);
    expect(update({ title: null })).toBe(false);
    expect(update({ kind: null })).toBe(false);
  });
});

describe("values", () => {
  test.each([
    ["title", "five!", true],
    ["title", "six!!!", false],
    // The maximum counts characters, as Postgres does, and not UTF-16 units.
    ["title", "😀😀😀😀😀", true],
    ["title", "a\u0000", false],
    ["title", "\ud800", false],
    ["title", 5, false],
    ["note", "two\nlines", true],
    ["note", "a\u0000", false],
    ["mail", "ana.o'hara+x@mail.example.com", true],
    ["mail", "ana@localhost", false],
    ["mail", "ana@example.com\n", false],
    ["mail", "@example.com", false],
    ["count", 2147483647, true],
    ["count", 2147483648, false],
    ["count", -2147483649, false],
    ["count", 1.5, false],
    ["count", "1", false],
    ["done", true, true],
    ["done", "true", false],
    ["done", 1, false],
    ["other", "0190b3c2-6a7e-7d51-8f0e-3a5b9c1d2e4f", true],
    ["other", "0190b3c26a7e7d518f0e3a5b9c1d2e4f", false],
    ["state", "on", true],
    ["state", "ON", false],
    ["at", "2026-01-31T09:30:00Z", true],
    ["at", "2026-01-31t09:30:00.123456+02:00", true],
    ["at", "2024-02-29T00:00:00Z", true],
    ["at", "2000-02-29T00:00:00Z", true],
    ["at", "2023-02-29T00:00:00Z", false],
    ["at", "1900-02-29T00:00:00Z", false],
    ["at", "2026-04-31T00:00:00Z", false],
    ["at", "2026-13-01T00:00:00Z", false],
    ["at", "2026-01-31T24:00:00Z", false],
    ["at", "2026-01-31T09:30:60Z", false],
    ["at", "2026-01-31T09:30:00.1234567Z", false],
    ["at", "2026-01-31T09:30:00+16:00", false],
    ["at", "2026-01-31T09:30:00", false],
    ["at", "2026-01-31", false],
    ["at", "0000-01-01T00:00:00Z", false],
    ["at", "9999-12-31T23:59:59.999999Z", true],
    ["at", "9999-12-31T23:59:59-01:00", false],
    ["at", "0001-01-01T00:00:00+01:00", false],
  ])("%s: %j is %s", (name, value, valid) => expect(update({ [name]: value })).toBe(valid));
});
