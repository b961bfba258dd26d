import type { Expression } from "@plinth/expression";
import { describe, expect, test } from "vitest";
import { catalogOf } from "../sql/catalog.ts";
import {
  entity,
  field,
  limited,
  list,
  literal,
  modelOf,
  operation,
  path,
  permission,
  refTo,
  rowPath,
  userEmail,
  userId,
  userRef,
  userRoles,
} from "../testing/sample-model.ts";
import { accessOf, predicateOf } from "./access.ts";
import { fails, holds, lower } from "./lower.ts";

const text = { kind: "text" } as const;
const uuid = { kind: "uuid" } as const;
const bool = { kind: "bool" } as const;
const int = { kind: "int" } as const;
const time = { kind: "datetime" } as const;
const status = { kind: "enum", values: ["draft", "active"] } as const;

const listing = entity("listing", {
  fields: [
    limited(field("title", { kind: "string" }), { max: "80" }),
    field("price", { kind: "int" }),
    field("status", { kind: "enum", values: ["draft", "active"] }),
    field("visible", { kind: "bool" }),
    field("due_at", { kind: "datetime" }),
    field("owner_id", userRef),
  ],
});
const inquiry = entity("inquiry", {
  plural: "inquiries",
  fields: [field("listing_id", refTo("listing"))],
});
const reply = entity("reply", { plural: "replies", fields: [field("inquiry_id", refTo("inquiry"))] });
const catalog = catalogOf(modelOf(listing, inquiry, reply));

/** The exact three-valued form. */
function sqlOf(rule: Parameters<typeof lower>[0], of = "listing"): string {
  return lower(rule, { entity: of, catalog });
}

/** The form of a whole rule. */
function sentence(rule: Expression, of: string): string {
  return holds(rule, { entity: of, catalog });
}

describe("operators", () => {
  test.each([
    [operation("==", path(uuid, "owner_id"), userId), '({record}."owner_id" = {user.id}::uuid)'],
    [operation("!=", path(status, "status"), literal("draft", status)), `({record}."status" collate "C" <> 'draft')`],
    [operation("<", path(int, "price"), literal(10)), '({record}."price" < 10)'],
    [operation("<=", path(int, "price"), literal(-3)), '({record}."price" <= (-3))'],
    [operation(">", path(int, "price"), literal(1.5)), '({record}."price" > 1.5)'],
    [operation(">=", path(text, "title"), literal("m")), `({record}."title" collate "C" >= 'm')`],
    [
      operation("in", path(status, "status"), list(literal("draft", status), literal("active", status))),
      `({record}."status" collate "C" in ('draft', 'active'))`,
    ],
    [operation("in", path(int, "price"), list()), "false"],
    [operation("in", literal("admin"), userRoles), `('admin' collate "C" = any({user.roles}::text[]))`],
    [operation("!", path(bool, "visible")), '(not {record}."visible")'],
    [operation("&&", path(bool, "visible"), literal(true), literal(false)), '({record}."visible" and true and false)'],
    [operation("||", path(bool, "visible"), literal(false)), '({record}."visible" or false)'],
    [operation("==", path(text, "title"), literal(null)), '({record}."title" is null)'],
    [operation("!=", literal(null), userId), "({user.id}::uuid is not null)"],
    [operation("==", path(text, "title"), userEmail), `({record}."title" collate "C" = {user.email}::text)`],
    [
      operation("==", path(time, "due_at"), literal("2026-01-31T09:30:00Z", time)),
      `({record}."due_at" = '2026-01-31T09:30:00Z'::timestamptz)`,
    ],
    [path(bool, "visible"), '{record}."visible"'],
  ])("operator %#", (rule, sql) => expect(sqlOf(rule)).toBe(sql));
});

describe("rows and paths", () => {
  test("an update rule names the old and the new row", () => {
    const rule = operation("&&", rowPath("old", bool, "visible"), rowPath("new", bool, "visible"));
    expect(sqlOf(rule)).toBe('({old}."visible" and {new}."visible")');
  });

  test("a reference is followed by a scalar sub-select", () => {
    const rule = operation("==", path(uuid, "listing_id", "created_by"), userId);
    expect(sentence(rule, "inquiry")).toBe(
      'coalesce(((select _hop1."created_by" from {schema}."listings" _hop1 where _hop1."id" = {record}."listing_id") = {user.id}::uuid), false)',
    );
  });

  test("each further reference is nested, also one to a user", () => {
    const rule = operation("==", path(text, "inquiry_id", "listing_id", "owner_id", "email"), userEmail);
    expect(sqlOf(rule, "reply")).toBe(
      '((select _hop3."email" from {schema}."users" _hop3 where _hop3."id" = (select _hop2."owner_id" from {schema}."listings" _hop2 where _hop2."id" = (select _hop1."listing_id" from {schema}."inquiries" _hop1 where _hop1."id" = {record}."inquiry_id"))) collate "C" = {user.email}::text)',
    );
  });

  test("a name that the entity doesn't have is our bug", () => {
    expect(() => sentence(path(bool, "nothing"), "listing")).toThrow("listing has no field nothing");
    expect(() => sentence(path(bool, "price", "x"), "listing")).toThrow("listing.price refers to no record");
    expect(() => sentence(path(bool, "password_hash"), "user")).toThrow("user has no field password_hash");
  });
});

describe("conditions that are always true, and conditions that are never true", () => {
  const visible = path(bool, "visible");
  const scope = { entity: "listing", catalog };
  const yes = '({record}."visible" and {record}."visible" is not null)';
  const no = '((not {record}."visible") and (not {record}."visible") is not null)';
  test.each([
    [visible, yes, no],
    [operation("!", visible), no, yes],
    [operation("&&", visible, visible), `(${yes} and ${yes})`, `(${no} or ${no})`],
    [operation("||", visible, visible), `(${yes} or ${yes})`, `(${no} and ${no})`],
    [operation("==", visible, literal(null)), '({record}."visible" is null)', '(not ({record}."visible" is null))'],
    [literal(true), "true", "false"],
    [{ kind: "sent", type: bool, field: "price" } as const, "{sent.price}", "(not {sent.price})"],
  ])("condition %#", (rule, held, failed) => {
    expect(holds(rule, scope)).toBe(held);
    expect(fails(rule, scope)).toBe(failed);
  });
});

describe("the SQL of each node", () => {
  const dec = { kind: "decimal" } as const;
  const span = { kind: "duration" } as const;
  const typed = (type: Expression["type"], rule: Expression): Expression => ({ ...rule, type }) as Expression;
  test.each<[string, Expression, string]>([
    [
      "whole numbers can't overflow",
      typed(int, operation("+", path(int, "price"), literal(1))),
      '({record}."price"::numeric + 1::numeric)',
    ],
    [
      "a division cuts off",
      typed(int, operation("/", path(int, "price"), literal(2))),
      'div({record}."price"::numeric, nullif(2::numeric, 0))',
    ],
    [
      "a division of decimals too",
      typed(dec, operation("/", literal("1.5", dec), literal("0.5", dec))),
      "(div(1.5 * 10000000000, nullif(0.5, 0)) * 0.0000000001)",
    ],
    ["a negative duration", literal("-PT1H", span), "(-'PT1H'::interval)"],
    ["one member", operation("in", path(int, "price"), list(literal(1))), '({record}."price" = 1)'],
    [
      "an ending",
      operation("endsWith", path(text, "title"), literal("b")),
      `(right({record}."title", char_length('b')) collate "C" = 'b')`,
    ],
    ["a pattern", operation("matches", path(text, "title"), literal("^a")), `({record}."title" collate "C" ~ '^a')`],
    ["a size", typed(int, operation("size", path(text, "title"))), 'char_length({record}."title")'],
    ["what was sent", { kind: "field", type: int, row: "input", path: ["price"] }, "{input.price}"],
    ["the organization", { kind: "context", type: uuid, name: "current_org" }, "{org}::uuid"],
    [
      "the day",
      { kind: "context", type: { kind: "date" }, name: "today" },
      "({now}::timestamptz at time zone 'UTC')::date",
    ],
  ])("%s", (_, rule, sql) => expect(sqlOf(rule)).toBe(sql));
});

describe("whole rules", () => {
  test("a rule without a sub-select can use indexes and is never null", () => {
    expect(sentence(path(bool, "visible"), "listing")).toBe('({record}."visible" and {record}."visible" is not null)');
  });

  test("a role that is never allowed is left out", () => {
    const never = permission("user", "read", literal(false));
    const always = permission("admin", "read", literal(true));
    expect(accessOf({ ...listing, permissions: [always, never] }, catalog)).toEqual({
      read: { admin: { rule: { kind: "always" }, fields: null, set: {}, limit: null } },
    });
  });

  test("an author's text never becomes a placeholder", () => {
    const sql = sqlOf(operation("==", path(text, "title"), literal("{schema} it's \\ {user.id}")));
    expect(sql).toBe(
      `({record}."title" collate "C" = (chr(123) || 'schema' || chr(125) || ' it''s ' || chr(92) || ' ' || chr(123) || 'user.id' || chr(125)))`,
    );
  });
});

describe("a predicate says", () => {
  test("whether it is always or never true", () => {
    expect(predicateOf(literal(true), "listing", catalog)).toEqual({ kind: "always" });
    expect(predicateOf(literal(false), "listing", catalog)).toEqual({ kind: "never" });
  });

  test("nothing about other rows if it only evaluates one row", () => {
    expect(predicateOf(path(bool, "visible"), "listing", catalog)).toMatchObject({ looks: [] });
  });

  test("which columns of a referenced row it reads", () => {
    const rule = operation("==", path(uuid, "inquiry_id", "listing_id", "owner_id"), userId);
    expect(predicateOf(rule, "reply", catalog)).toMatchObject({
      looks: [
        { table: "inquiries", columns: ["listing_id"], byId: true },
        { table: "listings", columns: ["owner_id"], byId: true },
      ],
    });
  });
});
