// The evaluator's three-valued logic, and that an unknown rule denies.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkRule } from "./check.ts";
import { compareText, type Value } from "./datum.ts";
import { allows, type EvaluationContext, evaluate, type Row } from "./evaluate.ts";
import { printExpression } from "./print.ts";
import type { RuleOperation } from "./scope.ts";
import { sampleSchema } from "./testing/sample-schema.ts";
import type { Expression } from "./tree.ts";

const ana = "0190f3a1-0000-7000-8000-00000000000a";
const bob = "0190f3a1-0000-7000-8000-00000000000b";
const nobody = { id: null, email: null, roles: [] };

function rule(text: string, operation: RuleOperation = "read"): Expression {
  const { expression, problems } = checkRule([text], { schema: sampleSchema, record: "listing", operation });
  if (expression === null) throw new Error(JSON.stringify(problems));
  return expression;
}

function run(text: string, values: Record<string, Value>, user: EvaluationContext["user"] = nobody): boolean | null {
  return evaluate(rule(text), { rows: { record: { values } }, user });
}

describe("three-valued logic, as in SQL", () => {
  const operands: Record<string, Value> = { true: true, false: false, unknown: null };
  test.each([
    ["true", "false", false, true],
    ["true", "unknown", null, true],
    ["false", "unknown", false, null],
    ["unknown", "unknown", null, null],
    ["true", "true", true, true],
    ["false", "false", false, false],
  ])("%s with %s", (a, b, and, or) => {
    const values = {
      published: operands[a] ?? null,
      title: operands[b] === null ? null : operands[b] === true ? "x" : "y",
    };
    expect(run("published && title == 'x'", values)).toBe(and);
    expect(run("title == 'x' && published", values)).toBe(and);
    expect(run("published || title == 'x'", values)).toBe(or);
    expect(run("title == 'x' || published", values)).toBe(or);
  });

  test("`!` of unknown is unknown, and denies", () => {
    expect(run("!published", { published: null })).toBeNull();
    expect(run("!published", { published: true })).toBe(false);
    expect(allows(rule("!published"), { rows: { record: { values: {} } }, user: nobody })).toBe(false);
  });

  test("a comparison with null is unknown, a test for null is not", () => {
    for (const operator of ["==", "!=", "<", "<=", ">", ">="])
      expect(run(`price ${operator} 1`, { price: null })).toBeNull();
    expect(run("price == null", { price: null })).toBe(true);
    expect(run("price != null", { price: null })).toBe(false);
    expect(run("null == price", { price: 1 })).toBe(false);
    expect(run("price in [1, 2]", { price: null })).toBeNull();
  });
});

test("comparisons", () => {
  expect(run("price > 1 && price <= 3", { price: 3 })).toBe(true);
  expect(run("price != 3", { price: 3 })).toBe(false);
  expect(run("price == 1.5", { price: 1 })).toBe(false);
  expect(run("status == active", { status: "active" })).toBe(true);
  expect(run("status in [draft, new]", { status: "active" })).toBe(false);
  expect(run("created_at == '2026-01-01T01:00:00+01:00'", { created_at: "2026-01-01T00:00:00.000000Z" })).toBe(true);
  expect(run("created_at < '2026-01-01T00:00:00.000002Z'", { created_at: "2026-01-01T00:00:00.000001Z" })).toBe(true);
  expect(run("created_at < '1969-01-01T00:00:00Z'", { created_at: "1968-12-31T23:59:59.5Z" })).toBe(true);
  expect(run(`id == '${ana.toUpperCase()}'`, { id: ana })).toBe(true);
});

test("the current user; without one, it is unknown", () => {
  const user = { id: ana, email: "ana@example.com", roles: ["user", "support"] };
  expect(run("created_by == current_user.id", { created_by: ana }, user)).toBe(true);
  expect(run("created_by == current_user.id", { created_by: bob }, user)).toBe(false);
  expect(run("created_by == current_user.id", { created_by: null })).toBeNull();
  expect(run("'support' in current_user.roles", {}, user)).toBe(true);
  expect(run("'support' in current_user.roles", {})).toBe(false);
  expect(run("current_user.id == null", {})).toBe(true);
});

test("paths follow references; a missing one is unknown", () => {
  const shop: Row = { values: { open: true, owner_id: ana } };
  const context = (related: Record<string, Row>): EvaluationContext => ({
    rows: { record: { values: {}, related } },
    user: { ...nobody, id: ana },
  });
  expect(evaluate(rule("shop.owner == current_user.id"), context({ shop_id: shop }))).toBe(true);
  expect(evaluate(rule("shop.open"), context({}))).toBeNull();
  expect(evaluate(rule("shop.parent.open"), context({ shop_id: shop }))).toBeNull();
  expect(evaluate(rule("shop.parent.open == null"), context({ shop_id: shop }))).toBe(true);
});

test("an update can neither give a row away nor take one", () => {
  const mine = rule("created_by == current_user.id", "update");
  const row = (owner: string): Row => ({ values: { created_by: owner } });
  const user = { id: ana, email: null, roles: [] };
  expect(allows(mine, { rows: { old: row(ana), new: row(ana) }, user })).toBe(true);
  expect(allows(mine, { rows: { old: row(ana), new: row(bob) }, user })).toBe(false);
  expect(allows(mine, { rows: { old: row(bob), new: row(ana) }, user })).toBe(false);
});

test("a row that the rule needs and that was not passed is our bug", () => {
  expect(() => evaluate(rule("published"), { rows: {}, user: nobody })).toThrow("record");
});

test("a name that only the prototype has is null", () => {
  const field: Expression = { kind: "field", type: { kind: "text" }, row: "record", path: ["constructor"] };
  const test: Expression = {
    kind: "operation",
    type: { kind: "bool" },
    operator: "==",
    args: [field, { kind: "literal", type: { kind: "null" }, value: null }],
  };
  expect(evaluate(test, { rows: { record: { values: {} } }, user: nobody })).toBe(true);
});

test("property: text compares by code point", () => {
  const points = (text: string): number[] => [...text].map((character) => character.codePointAt(0) ?? 0);
  const text = fc.string({ unit: "binary" });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const [x, y] = [points(a), points(b)];
      const at = x.findIndex((point, i) => point !== y[i]);
      const expected = at === -1 ? x.length - y.length : at >= y.length ? 1 : (x[at] ?? 0) - (y[at] ?? 0);
      expect(Math.sign(compareText(a, b))).toBe(Math.sign(expected));
    }),
  );
});

/** Random rules over the sample schema. */
const leaf = fc.constantFrom(
  "published",
  "title == 'a'",
  "title != null",
  "price > 1",
  "price in [1, 2]",
  "status == active",
  "status in [draft, new]",
  "created_by == current_user.id",
  "'admin' in current_user.roles",
  "shop.open",
  "shop == null",
);
const ruleText: fc.Arbitrary<string> = fc.letrec<{ rule: string }>((tie) => ({
  rule: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    tie("rule").map((one) => `!(${one})`),
    fc.tuple(tie("rule"), tie("rule")).map(([a, b]) => `(${a}) && (${b})`),
    fc.tuple(tie("rule"), tie("rule")).map(([a, b]) => `(${a}) || (${b})`),
  ),
})).rule;
const row: fc.Arbitrary<Row> = fc.record({
  values: fc.record({
    published: fc.constantFrom<Value[]>(true, false, null),
    title: fc.constantFrom<Value[]>("a", "b", null),
    price: fc.constantFrom<Value[]>(1, 2, 3, null),
    status: fc.constantFrom<Value[]>("draft", "active", null),
    created_by: fc.constantFrom<Value[]>(ana, bob, null),
    shop_id: fc.constantFrom<Value[]>(ana, null),
  }),
  related: fc.constantFrom<Record<string, Row>[]>(
    {},
    { shop_id: { values: { open: true } } },
    { shop_id: { values: { open: null } } },
  ),
});

test("property: a printed rule, checked again, is the same tree", () => {
  fc.assert(
    fc.property(ruleText, fc.constantFrom<RuleOperation[]>("read", "create", "update"), (text, operation) => {
      const tree = rule(text, operation);
      expect(rule(printExpression(tree), operation)).toEqual(tree);
    }),
  );
});

test("property: an update rule without `old.` and `new.` is the read rule on both rows", () => {
  fc.assert(
    fc.property(ruleText, row, row, (text, before, after) => {
      const user = { id: ana, email: null, roles: ["admin"] };
      const [read, update] = [rule(text, "read"), rule(text, "update")];
      const both = allows(read, { rows: { record: before }, user }) && allows(read, { rows: { record: after }, user });
      expect(allows(update, { rows: { old: before, new: after }, user })).toBe(both);
    }),
  );
});
