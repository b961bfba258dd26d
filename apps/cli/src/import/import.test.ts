// What comes over from Prisma and from Postgres: blueprints without errors, and a note for everything that does not.
import { readFileSync } from "node:fs";
import { checkBlueprint, type Entity, type Model } from "@plinth/blueprint";
import { createPool } from "@plinth/postgres";
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readPostgres } from "./read-postgres.ts";
import { readPrisma } from "./read-prisma.ts";
import { type ImportedBlueprint, writeBlueprint } from "./write-blueprint.ts";

const shop = readFileSync(new URL("testdata/shop.prisma", import.meta.url), "utf8");

function modelOf(imported: ImportedBlueprint): Model {
  const { model, diagnostics } = checkBlueprint(imported.text);
  expect(diagnostics.filter((one) => one.severity === "error")).toEqual([]);
  return model!;
}

function entityOf(model: Model, name: string): Entity {
  const found = model.entities.find((entity) => entity.name === name);
  if (found === undefined) throw new Error(`no entity ${name}: ${model.entities.map((one) => one.name).join(", ")}`);
  return found;
}

const notesAt = (imported: ImportedBlueprint, path: string): readonly string[] =>
  imported.notes.filter((note) => note.path === path).map((note) => `${note.kind}: ${note.text}`);

function fieldText(entity: Entity, name: string): string {
  const field = entity.fields.find((one) => one.name === name);
  return field === undefined ? "absent" : `${field.type.kind}${field.optional ? "?" : ""}`;
}

describe("prisma", () => {
  const imported = writeBlueprint("shop", readPrisma(shop));

  test("makes a blueprint without errors, with an entity for each model but users and the ignored one", () => {
    const model = modelOf(imported);
    expect(model.entities.map((entity) => entity.name).sort()).toEqual(
      ["app_session", "category", "order", "order_line", "product", "review"].sort(),
    );
    expect(model.userFields.map((field) => field.name)).toEqual(["nickname"]);
  });

  test("types, references, uniques and many-to-many keep their meaning", () => {
    const model = modelOf(imported);
    const product = entityOf(model, "product");
    expect(
      product.fields
        .filter((field) => field.declared)
        .map((field) => `${field.name}: ${fieldText(product, field.name)}`),
    ).toEqual([
      "legacy_id: bigint?",
      "sku: string",
      "title: text",
      "price: decimal",
      "weight: float?",
      "stock: int",
      "views: bigint",
      "labels: list",
      "dimensions: json?",
      "released_on: date?",
      "active: bool",
      "version_value: int",
      "limit_value: int?",
    ]);
    expect(product.uniques).toContainEqual(["sku"]);
    expect(entityOf(model, "order_line").uniques).toEqual([["order_id", "product_id"]]);
    expect(product.indexes).toContainEqual(["title", "active"]);
    expect(entityOf(model, "category").fields.find((field) => field.name === "products")?.type).toEqual({
      kind: "refs",
      entity: "product",
    });
    const order = entityOf(model, "order");
    expect(order.fields.find((field) => field.name === "buyer_id")?.type).toEqual({
      kind: "user_ref",
      onDelete: "cascade",
    });
    expect(entityOf(model, "review").uniques).toContainEqual(["author_id", "product_id"]);
    expect(fieldText(entityOf(model, "review"), "author_id")).toBe("user_ref?");
  });

  test("what can't be said is noted, never silent", () => {
    expect(notesAt(imported, "User.passwordHash")[0]).toMatch(/^left_out: Credentials/);
    expect(notesAt(imported, "User.role")[0]).toMatch(/^left_out: Roles/);
    expect(notesAt(imported, "Product.area")).toEqual(["left_out: Its type circle has no counterpart."]);
    expect(notesAt(imported, "Product.photo")).toEqual(["left_out: Its type Bytes has no counterpart."]);
    expect(notesAt(imported, "Product.id")[0]).toMatch(/legacy_id/);
    expect(notesAt(imported, "Order.state").join()).toMatch(/"on" is `on_value`/);
    expect(notesAt(imported, "Session")[0]).toMatch(/app_session/);
    expect(notesAt(imported, "Old")).toEqual(["left_out: It is marked @@ignore."]);
    expect(notesAt(imported, "view BestSeller")).toHaveLength(1);
    // Every column of the source is a field of the model or stands in a note.
    const model = modelOf(imported);
    for (const table of readPrisma(shop).tables.filter((one) => one.name !== "User")) {
      const entity = entityOf(
        model,
        imported.text.includes("app_session") && table.name === "Session" ? "app_session" : snake(table.name),
      );
      const names = new Set(entity.fields.map((field) => field.name));
      for (const column of table.columns) {
        const kept = names.has(snake(column.name)) || notesAt(imported, `${table.name}.${column.name}`).length > 0;
        expect(kept, `${table.name}.${column.name}`).toBe(true);
      }
    }
  });

  test("what is no Prisma schema is refused with its place", () => {
    expect(() => readPrisma("model X {")).toThrow(/no Prisma schema/);
  });
});

const snake = (name: string): string => name.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();

describe("postgres", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    const pool = createPool({ connectionString: database.url, max: 1, applicationName: "test" });
    await pool.query(readFileSync(new URL("testdata/workshop.sql", import.meta.url), "utf8"));
    await pool.end();
  });
  afterAll(() => database.drop());

  test("makes a blueprint without errors that keeps types, keys and rules", async () => {
    const imported = writeBlueprint("workshop", await readPostgres(database.url, "workshop"));
    const model = modelOf(imported);
    expect(model.entities.map((entity) => entity.name)).toEqual(["machine", "odd_type", "repair", "skill"]);
    const repair = entityOf(model, "repair");
    expect(
      repair.fields.filter((field) => field.declared).map((field) => `${field.name}: ${fieldText(repair, field.name)}`),
    ).toEqual([
      "machine_id: ref",
      "state: enum",
      "cost: decimal",
      "takes: duration?",
      "started_on: date",
      "tags: list",
      "details: json?",
      "reporter_id: user_ref?",
    ]);
    expect(repair.fields.find((field) => field.name === "machine_id")?.type).toEqual({
      kind: "ref",
      entity: "machine",
      onDelete: "cascade",
    });
    expect(repair.fields.find((field) => field.name === "started_on")?.default).toEqual({ kind: "today" });
    expect(entityOf(model, "machine").uniques).toContainEqual(["hall", "place"]);
    expect(entityOf(model, "machine").fields.find((field) => field.name === "skills")?.type.kind).toBe("refs");
    expect(model.userFields.map((field) => field.name)).toEqual(["phone"]);
  });

  test("views, functions, policies, triggers, checks, odd types and partial rules are noted", async () => {
    const imported = writeBlueprint("workshop", await readPostgres(database.url, "workshop"));
    const leftOut = imported.notes.filter((note) => note.kind === "left_out").map((note) => note.path);
    for (const path of [
      "view open_repairs",
      "function touch",
      "repairs.own_rows",
      "repairs.touch_repairs",
      "repairs.cost_is_positive",
      "machines.one_spare_per_hall",
      "odd_types.shape",
      "odd_types.blob",
      "users.password_hash",
    ])
      expect(leftOut).toContain(path);
    expect(notesAt(imported, "odd_types.address")[0]).toMatch(/^changed: inet becomes text/);
  });

  test("a database that is not there, and a schema that is not in it, are said in one line", async () => {
    await expect(readPostgres(database.url, "nowhere")).rejects.toThrow('The database has no schema "nowhere".');
    await expect(readPostgres("postgres://nobody@127.0.0.1:1/none", "public")).rejects.toThrow(/could not be read/);
  });
});
