import type { Entity, Field } from "@plinth/blueprint";
import { describe, expect, test } from "vitest";
import { compileModel } from "../compile.ts";
import { entity, field, limited, literal, modelOf, modelWith, optional, permission } from "../testing/sample-model.ts";
import { diffOpenapi } from "./openapi-diff.ts";

const documentOf = (...entities: readonly Entity[]): unknown => compileModel(modelOf(...entities)).openapi;
const listing = (...fields: readonly Field[]): Entity => entity("listing", { fields });

const title = limited(field("title", { kind: "string" }), { max: "80" });
const status = field("status", { kind: "enum", values: ["draft", "active"] });

/** The paths of the changes between two entities with these fields. */
function told(before: readonly Field[], after: readonly Field[]): readonly string[] {
  return diffOpenapi(documentOf(listing(...before)), documentOf(listing(...after))).map((change) => change.path);
}

describe("changes that break a client", () => {
  test.each<[string, readonly Field[], readonly Field[], readonly string[]]>([
    [
      "a field taken away",
      [title, optional("note", { kind: "text" })],
      [title],
      [
        "GET /v1/resources/listings note",
        "GET /v1/resources/listings sort",
        "listing.create.note",
        "listing.note",
        "listing.update.note",
      ],
    ],
    ["a new field that must be given", [title], [title, field("code", { kind: "int" })], ["listing.create.code"]],
    [
      "an optional field that must be given",
      [optional("title", { kind: "string" })],
      [field("title", { kind: "string" })],
      ["listing.create.title", "listing.update.title"],
    ],
    ["a field that may be null", [title], [{ ...title, optional: true }], ["listing.title"]],
    ["a shorter text", [title], [limited(title, { max: "40" })], ["listing.create.title", "listing.update.title"]],
    [
      "an enum value taken away",
      [status],
      [{ ...status, type: { kind: "enum", values: ["draft"] } }],
      ["GET /v1/resources/listings status", "listing.create.status", "listing.update.status"],
    ],
    [
      "another type",
      [title],
      [field("title", { kind: "int" })],
      ["GET /v1/resources/listings title", "listing.create.title", "listing.title", "listing.update.title"],
    ],
    ["a text in place of an enum", [status], [field("status", { kind: "text" })], ["listing.status"]],
    ["a field set at create only", [title], [{ ...title, immutable: true }], ["listing.update.title"]],
    [
      "a hidden field",
      [title],
      [{ ...title, internal: true }],
      [
        "GET /v1/resources/listings sort",
        "GET /v1/resources/listings title",
        "listing.create.title",
        "listing.title",
        "listing.update.title",
      ],
    ],
    [
      "members of a list that become texts",
      [field("tags", { kind: "list", of: { kind: "int" } })],
      [field("tags", { kind: "list", of: { kind: "string" } })],
      ["listing.create.tags.[]", "listing.tags.[]", "listing.update.tags.[]"],
    ],
  ])("%s", (_, before, after, paths) => {
    const filtered = told(before, after);
    expect(filtered).toEqual(paths.map((path) => `api.${path}`));
  });

  test("a removed entity is reported once", () => {
    const changes = diffOpenapi(documentOf(listing(title), entity("note")), documentOf(entity("note")));
    expect(changes.map(({ path, classes }) => [path, classes])).toEqual([["api./v1/resources/listings", ["breaking"]]]);
  });

  test("a read that shows fewer fields, and one that only shows them to some callers", () => {
    const reads = (fields: readonly string[] | null, ...more: readonly string[]) =>
      documentOf(
        entity("listing", {
          fields: [title, optional("note", { kind: "text" })],
          permissions: [
            permission("public", "read", literal(true), { fields }),
            ...more.map((role) => permission(role, "read", literal(true))),
          ],
        }),
      );
    const paths = (before: unknown, after: unknown) =>
      diffOpenapi(before, after).map(({ path, summary }) => [path, summary]);
    expect(paths(reads(null, "admin"), reads(["title"], "admin"))).toContainEqual([
      "api.listing.note",
      "listing.note: It can now be absent.",
    ]);
    expect(paths(reads(null), reads(["title"]))).toContainEqual([
      "api.listing.note",
      "listing.note: It is no longer returned.",
    ]);
  });

  test("shorter pages", () => {
    const [before, after] = [100, 50].map((pageMax) => {
      const model = modelOf(listing(title));
      return compileModel({ ...model, api: { ...model.api, pageMax } }).openapi;
    });
    expect(diffOpenapi(before, after).map(({ path }) => path)).toContain("api.GET /v1/resources/listings limit");
  });

  test("a removed transition and a removed restore", () => {
    const edges = (names: readonly string[]) =>
      names.map((name) => ({ name, from: ["draft"], to: "active", require: [], emit: `listing.${name}` }));
    const with_ = (names: readonly string[], softDelete: boolean) =>
      documentOf(
        entity("listing", {
          fields: [status],
          softDelete,
          stateMachine: { field: "status", initial: "draft", edges: edges(names) },
        }),
      );
    expect(diffOpenapi(with_(["open", "shut"], true), with_(["open"], false)).map(({ path }) => path)).toEqual(
      [
        "api./v1/resources/listings/{id}/restore",
        "api./v1/resources/listings/{id}/transitions/shut",
        "api.GET /v1/resources/listings deleted_at",
        "api.GET /v1/resources/listings sort",
        "api.listing.deleted_at",
      ].sort(),
    );
  });
});

describe("changes that break no client", () => {
  test("a document of an older version, with aliases, other patterns and no descriptions", () => {
    const model = modelOf(
      listing(title, field("page", { kind: "url" }), field("names", { kind: "i18n", of: { kind: "string" } }), status),
    );
    const now = compileModel(model).openapi;
    const text = JSON.stringify(now).replaceAll('"^[^\\\\x00]*$"', '"^[^\\\\x00\\\\p{Cs}]*$"');
    expect(text).toContain("p{Cs}");
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked here, not typed
    const before = JSON.parse(text) as any;
    before.paths["/v1/resources/listing"] = { $ref: "#/paths/~1v1~1resources~1listings" };
    before.components.schemas["listing.create"].properties.names.propertyNames = {
      pattern: before.components.schemas["listing.create"].properties.names.propertyNames.pattern,
    };
    before.components.parameters["listing.where"] = {
      name: "where",
      in: "query",
      content: { "application/json": { schema: { type: "object" } } },
    };
    expect(diffOpenapi(before, now)).toEqual([]);
  });

  test.each<[string, readonly Field[], readonly Field[]]>([
    ["nothing changed", [title, status], [title, status]],
    ["a longer text", [title], [limited(title, { max: "200" })]],
    ["text without a bound", [title], [field("title", { kind: "text" })]],
    [
      "a field that need no longer be null",
      [optional("title", { kind: "string" }, { kind: "literal", value: "x" })],
      [{ ...optional("title", { kind: "string" }, { kind: "literal", value: "x" }), deprecated: "no longer used" }],
    ],
    ["an optional field", [title], [title, optional("note", { kind: "json" })]],
    ["a field with a default", [title], [title, field("n", { kind: "int" }, { kind: "literal", value: 1 })]],
    ["a new value of an enum", [status], [{ ...status, type: { kind: "enum", values: ["draft", "active", "sold"] } }]],
  ])("%s", (_, before, after) => {
    expect(told(before, after)).toEqual([]);
  });

  test("a new module, a new entity, a role that can read more", () => {
    const before = documentOf(listing(title));
    const after = compileModel(
      modelWith({ modules: ["auth", "users", "organizations"], entities: [listing(title), entity("note")] }),
    );
    expect(diffOpenapi(before, after.openapi)).toEqual([]);
  });
});
