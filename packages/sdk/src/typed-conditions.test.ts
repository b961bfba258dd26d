// Types of filters, sort orders and aggregates, on types that the compiler generates; e2e/sdk-operators.test.ts shows that the API accepts
// the same. The type check fails if one of the lines with @ts-expect-error becomes valid.
import { expect, expectTypeOf, test } from "vitest";
import type { EveryType } from "../../compiler/src/testdata/every-type/sdk.d.ts";
import type { StateMachine } from "../../compiler/src/testdata/state-machine/sdk.d.ts";
import type { Client } from "./client.ts";
import { live } from "./live.ts";

declare const db: Client<EveryType>;
declare const desk: Client<StateMachine>;
declare const untyped: Client;

/** The program is type-checked, and never called. */
const typed = (program: () => unknown): void => expect(program).toBeTypeOf("function");

test("a field accepts the operators of its type", () => {
  typed(async () => {
    const samples = db.entity("sample");
    await samples.findMany({ where: { a_string: { icontains: "a", gte: "b", in: ["c"] }, a_country: { ne: "IT" } } });
    await samples.findMany({
      where: { an_enum: { in: ["one", "two"], is_null: false }, a_bool: { in: [true, false] } },
    });
    await samples.findMany({ where: { created_at: { gte: "2026-01-01T00:00:00Z" }, a_decimal: { lt: "3.5" } } });
    await samples.findMany({ where: { an_enum_set: { has_any: ["red"] }, numbers: { has: 3 }, a_list: null } });
    await samples.findMany({ where: { a_json: { is_null: true }, "a_json.from.site": { starts_with: "s" } } });
    await samples.findMany({ where: { "an_object.street": { contains: "x" }, "an_object.number": { gt: 3 } } });
    await samples.findMany({ where: { "an_i18n.de": { icontains: "x" }, an_object: { is_null: false } } });
    // @ts-expect-error: a choice has no order.
    await samples.findMany({ where: { an_enum: { gt: "one" } } });
    // @ts-expect-error: there is no such choice.
    await samples.findMany({ where: { an_enum: { in: ["one", "three"] } } });
    // @ts-expect-error: a truth value has no order.
    await samples.findMany({ where: { a_bool: { gte: false } } });
    // @ts-expect-error: a time has no text operators.
    await samples.findMany({ where: { created_at: { starts_with: "2026" } } });
    // @ts-expect-error: an exact number has no text operators.
    await samples.findMany({ where: { a_decimal: { contains: "3" } } });
    // @ts-expect-error: an id has no text operators.
    await samples.findMany({ where: { id: { starts_with: "01" } } });
    // @ts-expect-error: a list is filtered by its members.
    await samples.findMany({ where: { a_list: ["a"] } });
    // @ts-expect-error: the members are texts.
    await samples.findMany({ where: { a_list: { has: 3 } } });
    // @ts-expect-error: the object has no such member.
    await samples.findMany({ where: { "an_object.town": "x" } });
    // @ts-expect-error: an object is filtered by its members.
    await samples.findMany({ where: { an_object: { eq: { street: "x" } } } });
    // @ts-expect-error: a point can't be filtered.
    await samples.findMany({ where: { a_point: { is_null: true } } });
  });
});

test("an unknown name is found next to valid ones", () => {
  typed(async () => {
    const samples = db.entity("sample");
    // @ts-expect-error: there is no such field.
    await samples.findMany({ where: { a_string: "a", b_string: "b" } });
    // @ts-expect-error: there is no such operator.
    await samples.findMany({ where: { a_string: { contains: "a", contain: "b" } } });
    // @ts-expect-error: there is no such option.
    await samples.findMany({ limit: 3, ofset: 3 });
    // @ts-expect-error: there is no such option within.
    await samples.findMany({ expand: { samples: { limit: 3, ofset: 3 } } });
    // @ts-expect-error: there is no such option of a write.
    await samples.update("1", { an_int: 3 }, { version: 3, ifMatch: 3 });
    // @ts-expect-error: there is no such mode.
    await samples.createMany([{}], { mode: "some" });
    // @ts-expect-error: there is no such option of several.
    await samples.deleteMany(["1"], { mode: "each", idempotency: "k" });
    // @ts-expect-error: a permission request has no such part.
    await db.can([{ resource: "sample", op: "delete", ids: "1" }]);
  });
});

test("lists are only sorted by fields with an order", () => {
  typed(async () => {
    const samples = db.entity("sample");
    await samples.findMany({ sort: ["an_enum", "-a_money", "a_ref.a_ref.a_bool"] });
    await samples.findMany({ sort: "a_ref.a_ref.a_ref.a_string" });
    await samples.findMany({ expand: { samples: { sort: "-a_ref.a_time" } } });
    // @ts-expect-error: a list has no order.
    await samples.findMany({ sort: "a_list" });
    // @ts-expect-error: JSON has no order.
    await samples.findMany({ sort: "-a_json" });
    // @ts-expect-error: an object and its members have no order.
    await samples.findMany({ sort: "an_object.street" });
    // @ts-expect-error: the referenced record has no such field.
    await samples.findMany({ sort: "a_ref.a_strin" });
    // @ts-expect-error: the record behind it has no such field.
    await samples.findMany({ sort: ["a_string", "a_ref.a_user.emai"] });
    // @ts-expect-error: the third name is no relation.
    await samples.findMany({ sort: "a_ref.a_ref.a_string.a_string" });
    // @ts-expect-error: an address has no months.
    await samples.aggregate({ groupBy: ["a_ref.a_user.email.month"] });
    // @ts-expect-error: a relation to many has no order.
    await samples.findMany({ sort: "samples.a_string" });
    // @ts-expect-error: changes of other records are not followed.
    live(samples, { sort: "a_ref.a_string" });
    // @ts-expect-error: conditions on other records are not followed.
    live(samples, { where: { a_ref: { a_string: "x" } } });
  });
});

test("calculations have the fields and types of their values", () => {
  typed(async () => {
    const samples = db.entity("sample");
    const [row] = await samples.aggregate({
      select: ["count", "sum(an_int)", "sum(a_decimal)", "max(an_enum)", "count_distinct(a_bool)"],
      groupBy: ["an_enum", "a_date.week", "a_ref.a_bool"],
      sort: ["-sum(a_decimal)", "a_date.week"],
    });
    expectTypeOf(row!).toEqualTypeOf<{
      readonly count: number;
      readonly "sum(an_int)": number | null;
      readonly "sum(a_decimal)": string | null;
      readonly "max(an_enum)": "one" | "two" | null;
      readonly "count_distinct(a_bool)": number;
      readonly an_enum: "one" | "two" | null;
      readonly "a_date.week": string | null;
      readonly "a_ref.a_bool": boolean | null;
    }>();
    // @ts-expect-error: a text has no sum.
    await samples.aggregate({ select: ["sum(a_string)"] });
    // @ts-expect-error: a time has no sum.
    await samples.aggregate({ select: ["avg(a_date)"] });
    // @ts-expect-error: a truth value has no minimum.
    await samples.aggregate({ select: ["min(a_bool)"] });
    // @ts-expect-error: a number has no months.
    await samples.aggregate({ groupBy: ["an_int.month"] });
    // @ts-expect-error: the field is not in the result.
    await samples.aggregate({ select: ["count"], groupBy: ["an_enum"], sort: "-a_date" });
  });
});

test("permissions are requested for existing entities and operations", () => {
  typed(async () => {
    const answers = await desk.can([
      { resource: "shipment", op: "transition:collect" },
      { resource: "user", op: "read", id: "1" },
    ]);
    expectTypeOf(answers[0]!.allowed).toEqualTypeOf<boolean>();
    // @ts-expect-error: there is no such transition.
    await desk.can([{ resource: "shipment", op: "transition:sail" }]);
    // @ts-expect-error: there is no such entity.
    await desk.can([{ resource: "parcel", op: "read" }]);
    // @ts-expect-error: there is no such operation.
    await desk.can([{ resource: "shipment", op: "archive" }]);
  });
});

test("without generated types, all names are accepted", () => {
  typed(async () => {
    const anything = untyped.entity("anything");
    const [one] = await anything.findMany({
      where: { a: 1, b: { c: { in: ["d"] } }, or: [{ e: null }, { not: { f: { has: 3 } } }] },
      sort: ["-a", "b.c"],
      fields: ["a"],
      expand: { b: { fields: ["c"], limit: 3, where: { d: true } } },
    });
    expectTypeOf(one!["a"]).toEqualTypeOf<unknown>();
    const [row] = await anything.aggregate({ select: ["sum(a)"], groupBy: ["b.c.month"], sort: "-sum(a)" });
    expectTypeOf(row!["sum(a)"]).toEqualTypeOf<string | number | boolean | null>();
    await untyped.auth.signUp({ email: "a@example.com", password: "correct horse", profile: { nickname: "a" } });
    // @ts-expect-error: a function is no value.
    await anything.findMany({ where: { a: () => 1 } });
  });
});
