// Expressions in background work: what they can read in addition to rows, the types of these values, and what they
// can't read.
import { describe, expect, test } from "vitest";
import { checkExpression, checkValue } from "./check.ts";
import { type EvaluationContext, evaluate, evaluateValue } from "./evaluate.ts";
import { printExpression } from "./print.ts";
import type { RecordSchema, Schema } from "./schema.ts";
import type { Scope, ValueShape, WorkScope } from "./scope.ts";
import type { Expression, Type } from "./tree.ts";

const text: Type = { kind: "text" };
const uuid: Type = { kind: "uuid" };
const typed = (type: Type): ValueShape => ({ kind: "value", type });
const objectOf = (members: Readonly<Record<string, ValueShape>>): ValueShape => ({
  kind: "object",
  members: new Map(Object.entries(members)),
});

const status: Type = { kind: "enum", values: ["draft", "sent"] };
const order: RecordSchema = {
  name: "order",
  fields: new Map([
    ["id", { type: uuid, refersTo: null }],
    ["status", { type: status, refersTo: null }],
    ["total", { type: { kind: "decimal" }, refersTo: null }],
    ["shop_id", { type: uuid, refersTo: "shop" }],
  ]),
  relations: new Map([["parcels", { record: "shop" }]]),
};
const shop: RecordSchema = {
  name: "shop",
  fields: new Map([["name", { type: text, refersTo: null }]]),
  relations: new Map(),
};
const schema: Schema = {
  records: new Map([order, shop].map((one) => [one.name, one])),
  roles: ["clerk"],
  organizationRoles: [],
  rules: new Map(),
  grants: () => null,
};

const found: ValueShape = { kind: "list", of: objectOf({ id: typed(uuid) }) };
const event = objectOf({ id: typed(uuid), at: typed({ kind: "datetime" }), data: { kind: "json" } });
const values = new Map<string, ValueShape>([
  ["event", event],
  ["steps", objectOf({ find: found, pay: objectOf({ id: typed(uuid), paid: typed({ kind: "bool" }) }) })],
  ["each", typed(text)],
]);
const scopeWith = (more: Partial<WorkScope> = {}): Scope => ({
  schema,
  record: "order",
  operation: "read",
  work: { values, rows: ["record", "old"], user: false, ...more },
});

const printed = (source: string, scope: Scope = scopeWith()): string => {
  const { expression, problems } = checkExpression(source, scope);
  return expression === null ? problems.map(({ code }) => code).join() : printExpression(expression);
};
const treeOf = (source: string, expected: Type | null = null): Expression => {
  const { expression, problems } = checkValue(source, scopeWith(), expected);
  if (expression === null) throw new Error(JSON.stringify(problems));
  return expression;
};

const context: EvaluationContext = {
  rows: { record: { values: { id: "a", status: "sent", total: "12.50" } }, old: { values: { status: "draft" } } },
  user: { id: null, email: null, roles: [] },
  now: "2026-01-02T00:00:00Z",
  values: {
    event: { id: "3f2b0c4e-0000-4000-8000-000000000001", at: "2026-01-01T00:00:00Z", data: { n: 7, tags: ["a", "b"] } },
    steps: { find: [{ id: "x" }, { id: "y" }], pay: { id: null, paid: true } },
    each: "a",
  },
};

describe("names", () => {
  test.each([
    ["record.status == sent", 'status == "sent"'],
    ["record.status != old.status", "status != old.status"],
    ["event.data.a.b.c == 1", "event.data.a.b.c == 1"],
    ["steps.pay.paid", "steps.pay.paid"],
    ["has(event.data.n)", "event.data.n != null"],
    ["size(steps.find) > 1", "size(steps.find) > 1"],
    ["each == 'a' && now > event.at", 'each == "a" && now > event.at'],
    ["record.shop_id == record.shop.id", "shop_id == shop_id"],
  ])("`%s`", (source, expected) => expect(printed(source)).toBe(expected));

  test.each([
    ["evnt.id != null", "Did you mean `event`?", [0, 4]],
    ["event.dat.x == 1", "Did you mean `data`?", [6, 9]],
    ["steps.pai.id != null", "Did you mean `pay`?", [6, 9]],
    ["steps.find.id != null", "This is a list. Use `for_each` to run a step for each member.", [11, 13]],
    ["status == sent", "To use the field of the record, write `record.status`.", [0, 6]],
    ["record.statu == sent", "Did you mean `status`?", [7, 12]],
    [
      "record.shop.name == 'a'",
      "Look up the other record in an earlier step: `record.find`, then use `steps.find`.",
      [12, 16],
    ],
    ["current_user.id != null", "The user who caused the event is `event.actor.id`.", [0, 12]],
    ["input.x == 1", "Known names: record, old, event, steps, each, now.", [0, 5]],
  ])("`%s` is reported at its position", (source, hint, [start, end]) => {
    const [problem] = checkExpression(source, scopeWith()).problems;
    expect([problem?.hint, problem?.start, problem?.end]).toEqual([hint, start, end]);
  });

  test.each([
    "record.parcels.exists(p, p.name == 'a')",
    "member(event.id)",
    "can(read, shop)",
    "size(record.parcels) > 0",
  ])("`%s` reads more than the record", (source) => expect(checkExpression(source, scopeWith()).expression).toBeNull());

  test("a signed-in user, if there is one", () => {
    expect(printed("current_user.is(clerk) && current_user.id != null", scopeWith({ user: true }))).toBe(
      '"clerk" in current_user.roles && current_user.id != null',
    );
  });
});

describe("a value without a type takes the type of the other side", () => {
  test.each([
    ["event.data.n > 6", true],
    ["event.data.n == 7.0", true],
    ["event.data.n == 'seven'", null],
    ["event.data.missing == 1", null],
    ["event.data.missing == null", true],
    ["'a' in event.data.tags", true],
    ["event.data.n in [1, 7]", true],
    ["event.data.n in [record.total]", false],
    ["record.status == event.data.n", null],
    ["event.data.n", null],
    ["size(event.data.tags) == 2", true],
    ["size(event.data.n) == 2", null],
    ["event.data.tags.0 == 'a'", "expression_syntax"],
  ] as const)("`%s` is %s", (source, expected) => {
    const { expression, problems } = checkExpression(source, scopeWith());
    expect(expression === null ? problems[0]?.code : evaluate(expression, context)).toBe(expected);
  });

  test("two values without a type can't be compared", () => {
    expect(checkExpression("event.data.a == event.data.b", scopeWith()).problems[0]?.code).toBe("type_mismatch");
  });

  test("ids and values without a type can be joined to texts, but an id alone is not a text", () => {
    expect(evaluateValue(treeOf("'PD-' + record.id"), context)).toBe("PD-a");
    expect(evaluateValue(treeOf("each + event.data.n"), context)).toBeNull();
    expect(checkValue("'PD-' + id", { schema, record: "order", operation: "read" }, null).expression).toBeNull();
  });

  test("a value without a type keeps its form, or gets the expected type", () => {
    expect(evaluateValue(treeOf("event.data"), context)).toEqual({ n: 7, tags: ["a", "b"] });
    expect(evaluateValue(treeOf("event.data.n", { kind: "int" }), context)).toBe(7);
    expect(evaluateValue(treeOf("event.data.n", text), context)).toBeNull();
    expect(checkValue("steps.pay.paid", scopeWith(), text).problems[0]?.code).toBe("type_mismatch");
  });
});
