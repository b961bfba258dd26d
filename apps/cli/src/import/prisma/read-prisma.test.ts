// The import from Prisma: a blueprint without errors, with everything of the source expressed or listed.

import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createInventory } from "../inventory.ts";
import { fieldsOf, tryPrisma } from "../testing/imported.ts";
import { readPrismaTexts, withoutBlockComments } from "./prisma-text.ts";
import { readPrisma } from "./read-prisma.ts";

const shop = readFileSync(new URL("../testdata/shop.prisma", import.meta.url), "utf8");

describe("a small shop", () => {
  const { model, entity, notesAt, count } = tryPrisma(shop);

  test("an entity for each model except users and the ignored one", () => {
    expect(model.entities.map((one) => one.name).sort()).toEqual(
      ["app_session", "category", "order", "order_line", "product", "review"].sort(),
    );
    expect(model.userFields.map((field) => field.name)).toEqual(["role", "nickname"]);
    expect(count("tables")).toEqual([8, 6]);
  });

  test("types, references, uniques and many-to-many keep their meaning", () => {
    expect(fieldsOf(entity("product"))).toEqual([
      "legacy_id: int?",
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
      "categories: refs",
    ]);
    expect(entity("product").uniques).toContainEqual(["sku"]);
    expect(entity("product").indexes).toContainEqual(["title", "active"]);
    expect(entity("order_line").uniques).toEqual([["order_id", "product_id"]]);
    expect(entity("category").relations.map((one) => one.name)).toEqual(["children", "products"]);
    expect(entity("order").fields.find((field) => field.name === "buyer_id")?.type).toEqual({
      kind: "user_ref",
      onDelete: "cascade",
      as: "orders",
    });
    expect(entity("review").uniques).toContainEqual(["author_id", "product_id"]);
  });

  test("everything that can't be expressed is listed", () => {
    expect(notesAt("User.passwordHash").join()).toMatch(/left_out: Credentials/);
    expect(notesAt("Product.area").join()).toContain("left_out: The type circle has no counterpart.");
    expect(notesAt("Product.photo").join()).toContain("left_out: The type Bytes has no counterpart.");
    expect(notesAt("Product.id").join()).toMatch(/legacy_id/);
    expect(notesAt("OrderState.on").join()).toMatch(/changed: It becomes `on_value`/);
    expect(notesAt("Old").join()).toMatch(/left_out: It is marked @@ignore/);
    expect(count("views")).toEqual([1, 0]);
  });

  test("users can't give themselves a role", () => {
    expect(model.userFields.find((field) => field.name === "role")?.writer).toBe("admin");
  });
});

describe("constructs of large schemas", () => {
  test("an empty default, a unique without brackets, an order inside an index", () => {
    const { entity } = tryPrisma(`model Note {
      id   Int @id
      tags String[] @default([])
      kind String
      slug String
      @@unique(slug)
      @@index(kind(sort: Desc))
      @@index(fields: [kind, slug])
    }`);
    expect(entity("note").fields.find((field) => field.name === "tags")?.default).toEqual({
      kind: "literal",
      value: [],
    });
    expect(entity("note").uniques).toContainEqual(["slug"]);
    expect(entity("note").indexes).toEqual([["kind"], ["kind", "slug"]]);
  });

  test("several relations to one model each have a name", () => {
    const { entity, count } = tryPrisma(`
      model Place {
        id String @id @default(cuid())
        starts Trip[] @relation("start")
        ends Trip[] @relation("end")
        parentId String?
        parent Place? @relation("tree", fields: [parentId], references: [id])
        parts Place[] @relation("tree")
      }
      model Trip {
        id String @id @default(uuid()) @db.Uuid
        startId String
        start Place @relation("start", fields: [startId], references: [id], onDelete: Cascade, onUpdate: NoAction)
        endId String?
        end Place? @relation("end", fields: [endId], references: [id])
      }`);
    expect(entity("place").relations.map((one) => one.name)).toEqual(["ends", "parts", "starts"]);
    expect(count("relations")).toEqual([3, 3]);
    expect(count("other sides")).toEqual([3, 3]);
    expect(count("on delete")).toEqual([1, 1]);
    const types = entity("trip").fields.map(({ type }) => type);
    expect(types).toContainEqual({ kind: "ref", entity: "place", onDelete: "cascade" });
    expect(types).toContainEqual({ kind: "ref", entity: "place", onDelete: "set_null" });
  });

  test("createdAt in addition to created_at, and a created_at that is a number", () => {
    const { entity } = tryPrisma(`
      model Grant { id Int @id @default(autoincrement())
        createdAt DateTime @default(now())
        created_at Int?
        updated_at DateTime @updatedAt
        @@index([createdAt]) }
      model Twice { id Int @id
        created_at DateTime @default(now())
        createdAt DateTime @default(now()) }`);
    expect(fieldsOf(entity("grant"))).toEqual(["legacy_id: int?", "created_at_value: int?"]);
    expect(entity("grant").indexes).toEqual([["created_at"]]);
    expect(fieldsOf(entity("twice"))).toEqual(["legacy_id: int", "created_at_value: datetime"]);
  });

  test("lists of an enum, mapped values, indexes over lists and JSON", () => {
    const { entity, notesAt, count } = tryPrisma(`
      enum Mood { GOOD @map("good")
        BAD // not good
        @@map("moods") }
      model Day { id Int @id
        moods Mood[] @default([GOOD])
        data Json? @default("{\\"a\\": 1}")
        tags String[]
        @@index([tags], type: Gin)
        @@index([data]) }`);
    const { type, default: fallback } = entity("day").fields.find((field) => field.name === "moods") ?? {};
    expect(type).toEqual({ kind: "list", of: { kind: "enum", values: ["GOOD", "BAD"] } });
    expect(fallback).toEqual({ kind: "literal", value: ["GOOD"] });
    expect(count("enum values")).toEqual([2, 2]);
    expect(count("database names")).toEqual([2, 0]);
    expect(count("indexes")).toEqual([2, 0]);
    expect(notesAt("Day(data)").join()).toMatch(/left_out: `data` has the type `json`/);
  });

  test("users with a unique name, a required field and friends", () => {
    const { model, entity, notesAt } = tryPrisma(`
      model User { id Int @id @default(autoincrement())
        email String @unique
        username String @unique
        birthday DateTime @db.Date
        bio String?
        /// What they look like.
        face Unsupported("vector(3)")?
        liked Song[]
        friends User[] @relation("friends")
        friendOf User[] @relation("friends")
        bestId Int?
        best User? @relation("best", fields: [bestId], references: [id])
        bestOf User[] @relation("best") }
      model Song { id Int @id
        likedBy User[] }`);
    expect(model.userFields.map((field) => field.name)).toEqual(["legacy_id", "bio"]);
    expect(fieldsOf(entity("user_detail"))).toEqual([
      "user_id: user_ref",
      "username: text",
      "birthday: date",
      "face: vector?",
      "best_id: user_ref?",
    ]);
    expect(entity("user_detail").uniques).toContainEqual(["username"]);
    expect(model.entities.filter((one) => one.name.endsWith("_link"))).toHaveLength(2);
    expect(notesAt("User.birthday").join()).toMatch(/changed: It is in `user_detail`/);
  });

  test("comments with every special character of YAML become help", () => {
    const { entity } = tryPrisma(`
      /// The note's "text": it's { not } a [map], #1 & *2 - 'so'.
      model Note { id Int @id
        /// Either: "yes" # or
        /// no.
        text String @default("a: \\"b\\" # c") }`);
    expect(entity("note").help).toBe(`The note's "text": it's { not } a [map], #1 & *2 - 'so'.`);
    const text = entity("note").fields.find((field) => field.name === "text");
    expect(text?.help).toBe('Either: "yes" # or no.');
    expect(text?.default).toEqual({ kind: "literal", value: 'a: "b" # c' });
  });

  test("block comments are comments, wherever they are", () => {
    const text = `/**\n * A list of /* things.\n */\nmodel A {\n  /* x */ id Int @id\n  url String @default("http://a/*b*/c") // d /* e\n  b Int\n}\n`;
    expect(withoutBlockComments(text).split("\n")).toHaveLength(text.split("\n").length);
    expect(fieldsOf(tryPrisma(text).entity("a"))).toEqual(["legacy_id: int", "url: text", "b: int"]);
  });

  test("in a circle of required references, one becomes optional", () => {
    const { entity } = tryPrisma(`
      model Hen { id Int @id
        eggId Int
        egg Egg @relation("laid", fields: [eggId], references: [id])
        eggs Egg[] @relation("from") }
      model Egg { id Int @id
        henId Int
        hen Hen @relation("from", fields: [henId], references: [id])
        hens Hen[] @relation("laid") }`);
    const required = [entity("hen"), entity("egg")].flatMap((one) =>
      one.fields.filter((field) => field.type.kind === "ref" && !field.optional),
    );
    expect(required).toHaveLength(1);
  });

  test("a relation by an id and a tenant: the reference is kept, the rest is listed", () => {
    const { entity, notesAt, count } = tryPrisma(`
      model Survey { id String @id
        spaceId String
        title String
        quotas Quota[]
        hints Hint[]
        @@unique([id, spaceId]) }
      model Quota { id String @id
        spaceId String
        surveyId String
        survey Survey @relation(fields: [surveyId, spaceId], references: [id, spaceId], onDelete: Cascade) }
      model Hint { id String @id
        spaceId String?
        surveyId String
        survey Survey @relation(fields: [surveyId, spaceId], references: [id, spaceId], onDelete: Cascade) }`);
    const { type } = entity("quota").fields.find((field) => field.name === "survey_id") ?? {};
    expect(type).toEqual({ kind: "ref", entity: "survey", onDelete: "cascade" });
    expect(notesAt("Quota.survey").join()).toMatch(
      /changed: The reference uses only surveyId; Plinth doesn't check that the values/,
    );
    // Without a tenant, the source accepts any survey.
    expect(notesAt("Hint.survey").join()).toMatch(/left_out: Its key has several columns/);
    expect(count("on delete")).toEqual([2, 1]);
  });

  test("a key of several fields, and a relation by one", () => {
    const { entity, notesAt } = tryPrisma(`
      model Sheet { id String @default(cuid())
        bookId String
        rows Row[]
        @@id([id, bookId]) }
      model Row { id String @id @default(cuid())
        sheetId String
        bookId String
        sheet Sheet @relation(fields: [sheetId, bookId], references: [id, bookId], onDelete: Cascade) }`);
    expect(entity("sheet").uniques).toEqual([["legacy_id", "book_id"]]);
    expect(fieldsOf(entity("row"))).toEqual(["legacy_id: text?", "sheet_id: text", "book_id: text"]);
    expect(notesAt("Row.sheet").join()).toMatch(/left_out: Its key has several columns/);
  });
});

describe("permissions", () => {
  const owned = (fields: string): string =>
    `model User { id Int @id\n email String @unique\n notes Note[] }\nmodel Note { id Int @id\n ownerId Int\n owner User @relation(fields: [ownerId], references: [id])\n ${fields} }`;
  const granted = (text: string): readonly string[] =>
    tryPrisma(text)
      .entity("note")
      .permissions.filter((one) => one.role !== "admin")
      .map((one) => `${one.role} ${one.operation}`);

  test("a proposal for the owner, marked for review, and nothing for others", () => {
    expect(granted(owned(""))).toEqual(["owner create", "owner delete", "owner read", "owner update"]);
    expect(tryPrisma(owned("")).imported.text).toContain("# review: proposed from the field owner_id");
  });

  test("an owner doesn't get all rights on a record with secrets or with rights", () => {
    expect(granted(owned("refreshToken String"))).toEqual([]);
    expect(granted(owned("role String"))).toEqual(["owner read"]);
  });
});

test("a schema in a folder of files is read as one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "plinth-import-"));
  try {
    await writeFile(join(folder, "a.prisma"), "model A {\n id Int @id\n bs B[]\n}\n// the end");
    await writeFile(
      join(folder, "b.prisma"),
      "model B {\n id Int @id\n aId Int\n a A @relation(fields: [aId], references: [id])\n}",
    );
    const texts = await readPrismaTexts(folder);
    expect(tryPrisma(...texts.map((one) => one.text)).model.entities.map((one) => one.name)).toEqual(["a", "b"]);
    await expect(readPrismaTexts(join(folder, "none"))).rejects.toThrow(/none/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a file with wrong syntax is refused with its name and position", () => {
  expect(() => readPrisma([{ file: "x.prisma", text: "model X {" }], createInventory())).toThrow(
    /x\.prisma can't be read as a Prisma schema/,
  );
});

test("users can't raise themselves with imported profile fields, and credentials stay out", () => {
  const { model, entity, notesAt, imported } = tryPrisma(`model User { id String @id @default(uuid()) @db.Uuid
    email String @unique
    handle String @unique
    isModerator Boolean @default(false)
    muted Boolean?
    tier String @default("free")
    status String?
    nickname String?
    pass_crypt String?
    stripeApiKey String?
    refresh_token String?
    backupCodes String[] }`);
  expect(model.userFields.map(({ name }) => name)).toEqual(["is_moderator", "muted", "tier", "status", "nickname"]);
  expect(imported.text.match(/writable.*admin/g)?.length, imported.text).toBe(5);
  expect(notesAt("User.tier").join()).toMatch(/Only admins can write it/);
  for (const left of ["pass_crypt", "stripeApiKey", "refresh_token", "backupCodes"])
    expect(notesAt(`User.${left}`).join()).toMatch(/left_out: Credentials aren't imported/);
  // The owner of the details can't change them either.
  const granted = entity("user_detail").permissions.filter((one) => one.role !== "admin");
  expect(granted.map((one) => `${one.role} ${one.operation}`)).toEqual(["owner read"]);
});

test("a default with a fraction of zero", () => {
  const { entity } = tryPrisma("model Jar { id Int @id\n weight Float @default(0.0)\n share Float @default(1.50) }");
  expect(
    entity("jar").fields.flatMap(({ declared, default: value }) => (declared && value !== null ? [value] : [])),
  ).toHaveLength(2);
});
