import { hashOf } from "@plinth/bundle";
import { describe, expect, test } from "vitest";
import { compileModel } from "./compile.ts";
import {
  entity,
  field,
  modelOf,
  operation,
  optional,
  path,
  permission,
  userId,
  userRef,
} from "./testing/sample-model.ts";

const own = operation("==", path({ kind: "uuid" }, "owner_id"), userId);

function largeModel(entities: number) {
  return modelOf(
    ...Array.from({ length: entities }, (_, index) =>
      entity(`thing_${index}`, {
        fields: [
          ...Array.from({ length: 10 }, (_, at) => optional(`note_${at}`, { kind: "string" })),
          field("owner_id", userRef, { kind: "current_user_id" }),
        ],
        permissions: [permission("user", "read", own)],
      }),
    ),
  );
}

describe("the pipeline", () => {
  test("gives the same bytes for the same model", () => {
    const texts = [1, 2].map(() => JSON.stringify(compileModel(largeModel(3))));
    expect(texts[0]).toBe(texts[1]);
  });

  test("gives a bundle that survives JSON", () => {
    const bundle = compileModel(largeModel(3));
    expect(hashOf(JSON.parse(JSON.stringify(bundle)))).toBe(hashOf(bundle));
  });
});

describe("fields", () => {
  const bundle = compileModel(
    modelOf(
      entity("thing", {
        fields: [
          field("owner_id", userRef, { kind: "current_user_id" }),
          field("brace", { kind: "text" }, { kind: "literal", value: "{row}" }),
          field("at", { kind: "datetime" }),
        ],
      }),
    ),
  );
  const of = (name: string) => bundle.entities[1]?.fields.find((one) => one.name === name);

  test("have a writer", () => {
    expect(of("owner_id")).toMatchObject({ writer: "admin", default: "{user.id}::uuid", references: "user" });
    expect(of("created_by")).toMatchObject({ writer: "service", default: "{user.id}::uuid" });
    expect(of("id")).toMatchObject({ writer: "service", default: null });
    expect(of("version")).toMatchObject({ writer: "service", default: "1", wire: "raw" });
  });

  test("contain no placeholder from an author's default", () => {
    expect(of("brace")?.default).toBe("(chr(123) || 'row' || chr(125))");
  });

  test("of a time have the form of RFC 3339 with all microseconds", () => {
    expect(of("at")?.select).toBe(`to_char({row}."at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`);
  });

  test("don't include the secrets of a user", () => {
    expect(bundle.entities[0]?.fields.map((one) => one.name)).toEqual([
      "id",
      "email",
      "name",
      "roles",
      "created_at",
      "updated_at",
      "version",
    ]);
  });

  test("with the same table name are our bug", () => {
    expect(() => compileModel(modelOf(entity("session")))).toThrow("the same name");
  });
});

describe("names", () => {
  test("of constraints in different tables are never equal", () => {
    const created = userRef;
    const bundle = compileModel(
      modelOf(
        entity("order", { fields: [optional("items_created_by", created)] }),
        entity("order_item", { plural: "orders_items" }),
      ),
    );
    const names = bundle.tables.flatMap((table) => table.indexes.map((index) => index.name));
    expect(new Set(names).size).toBe(names.length);
  });

  test("of long constraints stay different, within the length limit of Postgres", () => {
    const long = "a".repeat(50);
    const bundle = compileModel(
      modelOf(
        entity(long, {
          fields: [optional(`${"b".repeat(40)}_one`, userRef), optional(`${"b".repeat(40)}_two`, userRef)],
        }),
      ),
    );
    const names = bundle.tables.flatMap((table) => [...table.indexes, ...table.foreignKeys]).map((one) => one.name);
    expect(new Set(names).size).toBe(names.length);
    expect(Math.max(...names.map((name) => name.length))).toBeLessThanOrEqual(63);
  });
});
