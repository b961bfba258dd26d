// Each operator, function and macro in the evaluator, with each operand unknown once.
import { describe, expect, test } from "vitest";
import { checkRule, checkValue } from "./check.ts";
import type { Value } from "./datum.ts";
import { type EvaluationContext, evaluate, evaluateValue, type Row } from "./evaluate.ts";
import type { RuleOperation } from "./scope.ts";
import { sampleSchema } from "./testing/sample-schema.ts";

const [ana, bob] = ["0190f3a1-0000-7000-8000-00000000000a", "0190f3a1-0000-7000-8000-00000000000b"];
const [acme, other] = ["0190f3a1-0000-7000-8000-0000000000a1", "0190f3a1-0000-7000-8000-0000000000a2"];
const nobody = { id: null, email: null, roles: ["public"] };
const user: EvaluationContext["user"] = {
  id: ana,
  email: "ana@example.com",
  roles: ["public", "user", "support"],
  profile: { name: "Ana", plan: "pro", age: 30 },
  memberships: [{ organization: acme, role: "admin" }],
};

function run(
  text: string,
  row: Row | Record<string, Value>,
  context: Partial<EvaluationContext> = {},
  operation: RuleOperation = "read",
): boolean | null {
  const { expression, problems } = checkRule([text], { schema: sampleSchema, record: "listing", operation });
  if (expression === null) throw new Error(JSON.stringify(problems));
  const record =
    "values" in row && typeof row.values === "object" ? (row as Row) : { values: row as Record<string, Value> };
  return evaluate(expression, { rows: { record }, user, now: "2026-01-31T12:00:00Z", ...context });
}

function value(text: string, values: Record<string, Value>): Value {
  const { expression, problems } = checkValue(
    text,
    { schema: sampleSchema, record: "listing", operation: "read" },
    null,
  );
  if (expression === null) throw new Error(JSON.stringify(problems));
  return evaluateValue(expression, { rows: { record: { values } }, user, now: "2026-01-31T12:00:00Z" });
}

describe("arithmetic", () => {
  test.each<[string, Record<string, Value>, Value]>([
    ["price + 1", { price: 2 }, 3],
    ["price - 5", { price: 2 }, -3],
    ["price * price", { price: 3_037_000_500 }, "9223372037000250000"],
    ["price / 2", { price: 7 }, 3],
    ["price / 2", { price: -7 }, -3],
    ["price / 2.0", { price: 7 }, "3.5"],
    ["price / 3.0", { price: -2 }, "-0.6666666666"],
    ["price + 0.1 + 0.2", { price: 0 }, "0.3"],
    ["amount * amount", { amount: "0.000001" }, "0.000000000001"],
    ["amount + price", { amount: "99999999999999999999.5", price: 1 }, "100000000000000000000.5"],
    ["ratio + 1", { ratio: 0.5 }, 1.5],
    ["ratio * amount", { ratio: 2, amount: "1.5" }, 3],
    ["ratio * ratio", { ratio: 2 ** 490 }, 2 ** 980],
    ["ratio * ratio", { ratio: 1e151 }, null],
    ["ratio + 1", { ratio: 1e-151 }, null],
    ["ratio + 1", { ratio: 0 }, 1],
    ["ratio / 0", { ratio: 1 }, null],
    ["price / price", { price: 0 }, null],
    ["amount / (price - 1)", { amount: "1", price: 1 }, null],
    ["price + 1", { price: null }, null],
    ["1 - amount", { amount: null }, null],
    ["-price", { price: 5 }, -5],
    ["title + 'x'", { title: "a" }, "ax"],
    ["title + 'x'", { title: null }, null],
    ["created_at + '24h'", { created_at: "2026-01-31T09:30:00.5Z" }, "2026-02-01T09:30:00.5Z"],
    ["created_at - '24h'", { created_at: "2026-01-31T09:30:00+02:00" }, "2026-01-30T07:30:00Z"],
    ["now - created_at", { created_at: "2026-01-31T11:30:00Z" }, "PT30M"],
    ["created_at + length", { created_at: "2026-01-01T00:00:00Z", length: "P1461001D" }, null],
    ["created_at + length", { created_at: "9999-12-31T00:00:00Z", length: "P1D" }, "10000-01-01T00:00:00Z"],
    ["created_at + length + '1s'", { created_at: "9999-12-31T00:00:00Z", length: "P1D" }, null],
    ["length - '1h'", { length: "PT30M" }, "-PT30M"],
    ["length + length", { length: null }, null],
    ["published ? price : amount", { published: true, price: 1, amount: "2" }, "1"],
    ["published ? price : amount", { published: false, price: 1, amount: "2.0" }, "2"],
    ["published ? price : amount", { published: null, price: 1, amount: "2" }, null],
    ["published ? ratio : amount", { published: false, amount: "1.5" }, 1.5],
    ["size(title)", { title: "a😀é" }, 3],
    ["size(tags)", { tags: [] }, 0],
    ["size(tags)", { tags: null }, null],
    ["today", {}, "2026-01-31"],
    ["tags", { tags: ["a", "b"] }, ["a", "b"]],
  ])("%s of %j is %j", (text, values, result) => expect(value(text, values)).toEqual(result));
});

describe("comparisons of different numeric types", () => {
  test.each<[string, Record<string, Value>, boolean | null]>([
    ["price == amount", { price: "9007199254740993", amount: "9007199254740993.0" }, true],
    ["price == amount", { price: "9007199254740993", amount: "9007199254740992.99999" }, false],
    ["amount == 0.1", { amount: 0.1 }, true],
    ["ratio == 0", { ratio: -0 }, true],
    ["ratio == amount", { ratio: 0.1, amount: "0.1" }, true],
    ["ratio < amount", { ratio: 1, amount: `1${"0".repeat(151)}` }, null],
    ["amount < 10", { amount: null }, null],
    ["length == '24h'", { length: "P1D" }, true],
    ["length < '2h'", { length: "PT119M59.999999S" }, true],
    ["opens_at < '09:30'", { opens_at: "09:29:59.999999" }, true],
    ["due_on <= today", { due_on: "2026-01-31" }, true],
    ["due_on < '2026-01-31'", { due_on: null }, null],
    ["(price > 1) == published", { price: 2, published: true }, true],
    ["(price > 1) == published", { price: null, published: true }, null],
    ["(price > 1) == null", { price: null }, true],
    ["title < 'ｚ'", { title: "😀" }, false],
    ["status == title", { status: "active", title: "active" }, true],
  ])("%s of %j: %s", (text, values, result) => expect(run(text, values)).toBe(result));
});

describe("texts and lists", () => {
  test.each<[string, Record<string, Value>, boolean | null]>([
    ["title.startsWith('a')", { title: "ab" }, true],
    ["title.endsWith('')", { title: "" }, true],
    ["title.contains(package)", { title: "abc", package: "bc" }, true],
    ["title.contains(package)", { title: "abc", package: null }, null],
    ["title.contains(package)", { title: null, package: "a" }, null],
    ["title.matches('^[a-c]+$')", { title: "abc" }, true],
    ["title.matches('^[a-c]+$')", { title: "abd" }, false],
    ["title.matches('a')", { title: null }, null],
    ["'a' in tags", { tags: ["b", "a"] }, true],
    ["'a' in tags", { tags: null }, null],
    ["title in tags", { tags: [], title: null }, false],
    ["title in tags", { tags: ["a"], title: null }, null],
    ["active in flags", { flags: ["draft", "active"] }, true],
    ["amount in counts", { counts: [1, 2], amount: "2.00" }, true],
    ["ratio in [1, price]", { ratio: 2, price: 2 }, true],
    ["title in [package, 'x']", { title: "y", package: null }, null],
    ["title in [package, 'x']", { title: "x", package: null }, true],
    ["title in ['a', 'b']", { title: null }, null],
    ["has(tags)", { tags: [] }, true],
    ["has(details)", { details: { a: 1 } }, true],
    ["has(details)", { details: null }, false],
  ])("%s of %j: %s", (text, values, result) => expect(run(text, values)).toBe(result));
});

describe("`?:`", () => {
  test("is unknown if its condition is, whatever the branches are", () => {
    expect(run("price > 1 ? true : true", { price: null })).toBeNull();
    expect(run("price > 1 ? published : false", { price: 2, published: null })).toBeNull();
    expect(run("price > 1 ? published : false", { price: 1, published: null })).toBe(false);
  });
});

describe("the caller, the place and the time", () => {
  test("the user's own fields; a visitor has none", () => {
    expect(run("current_user.plan == pro && current_user.age > 18", {})).toBe(true);
    expect(run("current_user.plan == pro", {}, { user: nobody })).toBeNull();
    expect(run("current_user.is(support)", {})).toBe(true);
    expect(run("current_user.is(support)", {}, { user: nobody })).toBe(false);
  });

  test("the organization and the request", () => {
    expect(run("org == current_org", { org_id: acme }, { organization: acme.toUpperCase() })).toBe(true);
    expect(run("org == current_org", { org_id: acme })).toBeNull();
    const request = { ip: "203.0.113.7", keyKind: "secret" };
    expect(run("request.ip == '203.0.113.7' && request.key_kind == secret", {}, { request })).toBe(true);
    expect(run("request.key_kind == secret", {})).toBeNull();
  });

  test("the current time, which the caller of the evaluator passes", () => {
    expect(run("now == '2026-01-31T13:00:00+01:00' && today == '2026-01-31'", {})).toBe(true);
    const { now: _, ...untold } = { rows: { record: { values: {} } }, user, now: "" };
    const { expression } = checkRule(["now > created_at"], {
      schema: sampleSchema,
      record: "listing",
      operation: "read",
    });
    expect(() => expression && evaluate(expression, untold)).toThrow("no time was given");
  });

  test("membership: unknown without an organization, and for a visitor", () => {
    expect(run("member(org)", { org_id: acme })).toBe(true);
    expect(run("member(org, admin)", { org_id: acme })).toBe(true);
    expect(run("member(org, owner)", { org_id: acme })).toBe(false);
    expect(run("member(org)", { org_id: other })).toBe(false);
    expect(run("member(org)", { org_id: null })).toBeNull();
    expect(run("!member(org)", { org_id: acme }, { user: nobody })).toBeNull();
    expect(run("member(current_org)", {}, { organization: acme })).toBe(true);
  });

  test("the sent values", () => {
    const rows = { new: { values: { price: 1 } }, input: { values: { price: null } } };
    const sent = (text: string): boolean | null => run(text, {}, { rows, sent: ["price"] }, "create");
    expect(sent("has(input.price)")).toBe(true);
    expect(sent("has(input.title)")).toBe(false);
    expect(sent("input.price == 1")).toBeNull();
    expect(sent("input.price == null && price == 1")).toBe(true);
  });
});

describe("to-many relations", () => {
  const comment = (hidden: boolean | null, stars: number | null = 1): Row => ({
    values: { hidden, stars, author_id: ana },
  });
  const listing = (...comments: Row[]): Row => ({ values: { price: 1 }, many: { comments } });
  const [yes, no, unknown] = [comment(true), comment(false), comment(null)];
  test.each<[string, Row[], boolean | null, boolean | null, boolean | null]>([
    ["none", [], false, true, false],
    ["one that holds", [yes], true, true, true],
    ["one that doesn't", [no], false, false, false],
    ["an unknown one", [unknown], null, null, null],
    ["both", [yes, no], true, false, true],
    ["one that holds and an unknown", [yes, unknown], true, null, null],
    ["one that doesn't and an unknown", [no, unknown], null, false, null],
    ["two that hold", [yes, yes], true, true, false],
    ["two that hold and an unknown", [yes, yes, unknown], true, null, false],
  ])("%s", (_, comments, exists, all, exactlyOne) => {
    expect(run("comments.exists(c, c.hidden)", listing(...comments))).toBe(exists);
    expect(run("comments.all(c, c.hidden)", listing(...comments))).toBe(all);
    expect(run("comments.exists_one(c, c.hidden)", listing(...comments))).toBe(exactlyOne);
  });

  test("a count is unknown if any condition is", () => {
    expect(run("comments.filter(c, c.hidden).size() == 1", listing(yes, no))).toBe(true);
    expect(run("comments.filter(c, c.hidden).size() == 1", listing(yes, unknown))).toBeNull();
    expect(run("size(comments) == 2", listing(yes, unknown))).toBe(true);
    expect(run("size(comments) == 0", { price: 1 })).toBe(true);
  });

  test("the condition can use the outer record and its references", () => {
    const one: Row = {
      values: { stars: 3, body: "x" },
      related: { author_id: { values: { email: "ana@example.com" } } },
    };
    expect(run("comments.exists(c, c.stars > price && c.author.email == current_user.email)", listing(one))).toBe(true);
    const nested: Row = { values: {}, many: { comments: [{ values: { stars: 1 }, many: { replies: [one] } }] } };
    expect(run("comments.exists(c, c.replies.exists(r, r.stars > c.stars))", nested)).toBe(true);
  });

  test("nothing is known behind a missing reference", () => {
    for (const text of [
      "shop.listings.all(l, false)",
      "shop.listings.exists(l, true)",
      "shop.listings.exists_one(l, true)",
      "size(shop.listings) == 0",
    ]) {
      expect(run(text, { shop_id: bob }), text).toBeNull();
    }
    const there: Row = { values: { shop_id: bob }, related: { shop_id: { values: {} } } };
    expect(run("shop.listings.all(l, false)", there)).toBe(true);
  });

  test("an update is evaluated with the relations of the old row and of the new one", () => {
    const context = (before: Row, after: Row): Partial<EvaluationContext> => ({ rows: { old: before, new: after } });
    const text = "comments.exists(c, c.hidden)";
    expect(run(text, {}, context(listing(yes), listing(yes)), "update")).toBe(true);
    expect(run(text, {}, context(listing(yes), listing(no)), "update")).toBe(false);
    expect(run(text, {}, context(listing(unknown), listing(yes)), "update")).toBeNull();
  });
});

test("a value of a wrong type is our bug", () => {
  expect(() => run("price > 1", { price: "many" })).toThrow("is not a valid int");
  expect(() => run("created_at < now", { created_at: "yesterday" })).toThrow("is not a valid datetime");
});
