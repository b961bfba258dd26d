// For each operator, function and macro: the accepted types, and the messages for other types.
import { describe, expect, test } from "vitest";
import { checkExpression, checkRule, checkValue } from "./check.ts";
import { printExpression } from "./print.ts";
import type { RuleOperation, Scope } from "./scope.ts";
import { sampleSchema } from "./testing/sample-schema.ts";
import type { Expression } from "./tree.ts";

const scope = (operation: RuleOperation): Scope => ({ schema: sampleSchema, record: "listing", operation });

function check(text: string, operation: RuleOperation = "read"): string {
  const { expression, problems } = checkRule([text], scope(operation));
  const told = problems.map((one) => `${one.code} ${one.start}-${one.end}`).join("; ");
  return expression === null ? told : [printExpression(expression), told].filter(Boolean).join(" | ");
}

function tree(text: string, operation: RuleOperation = "read"): Expression {
  const { expression, problems } = checkRule([text], scope(operation));
  if (expression === null) throw new Error(JSON.stringify(problems));
  return expression;
}

/** The literal on the right of a comparison, as `type value`. */
function literalOf(text: string): string {
  const rule = tree(text);
  const literal = rule.kind === "operation" ? rule.args[1] : undefined;
  return literal?.kind === "literal" ? `${literal.type.kind} ${JSON.stringify(literal.value)}` : "none";
}

test.each([
  ["price == 1.5", 'decimal "1.5"'],
  ["price == 1", "int 1"],
  ["price == 99999999999999999999", 'int "99999999999999999999"'],
  ["amount == 1", 'decimal "1"'],
  ["amount == 1.50", 'decimal "1.5"'],
  ["amount == 12345678901234567890.123456789", 'decimal "12345678901234567890.123456789"'],
  ["amount == 1e-3", 'decimal "0.001"'],
  ["ratio == 1", "float 1"],
  ["ratio == 1e300", "float 1e+300"],
  ["ratio == -0.0", "float 0"],
  ["due_on == '2026-01-01'", 'date "2026-01-01"'],
  ["opens_at == '09:30'", 'time "09:30:00"'],
  ["opens_at == '09:30:00.500'", 'time "09:30:00.5"'],
  ["created_at == '2026-01-01T01:00:00+01:00'", 'datetime "2026-01-01T00:00:00Z"'],
  ["length == 'P1DT1H'", 'duration "PT25H"'],
  ["length == '90m'", 'duration "PT1H30M"'],
  ["length == duration('90s')", 'duration "PT1M30S"'],
  ["created_by == '0190F3A1-0000-7000-8000-000000000000'", 'uuid "0190f3a1-0000-7000-8000-000000000000"'],
  ["status == active", 'enum "active"'],
  ["current_user.plan == pro", 'enum "pro"'],
  ["request.key_kind == secret", 'enum "secret"'],
])("%s: a literal takes its type from the other side", (text, literal) => expect(literalOf(text)).toBe(literal));

describe("accepts", () => {
  test.each([
    ["price + 1 > price * 2 - 3 / price", "price + 1 > price * 2 - 3 / price"],
    ["(price + 1) * 2 == 4", "(price + 1) * 2 == 4"],
    ["price - (price - 1) == 1", "price - (price - 1) == 1"],
    ["price + amount > ratio", "price + amount > ratio"],
    ["price / 2.0 == 1", "price / 2.0 == 1.0"],
    ["-price < -(1)", "0 - price < -1"],
    ["title + ' ' + package == 'a b'", 'title + " " + package == "a b"'],
    ["now - created_at > duration('1h30m')", 'now - created_at > duration("1h30m")'],
    ["duration('24h') + created_at < now", 'created_at + duration("24h") < now'],
    ["created_at + 'PT1H' < now", 'created_at + duration("1h") < now'],
    ["now - '2026-01-01T00:00:00Z' > length", 'now - "2026-01-01T00:00:00Z" > length'],
    ["length - '1h' > length + length", 'length - duration("1h") > length + length'],
    ["today > '2026-01-01' && due_on <= today", 'today > "2026-01-01" && due_on <= today'],
    ["published ? price > 1 : title == 'x'", 'published ? price > 1 : title == "x"'],
    ["status == (published ? draft : active)", 'status == (published ? "draft" : "active")'],
    ["(published ? price : amount) > 0", "(published ? price : amount) > 0.0"],
    ["(published ? price : null) > 0", "(published ? price : null) > 0"],
    ["(published == true) == (price > 1)", "(published == true) == (price > 1)"],
    ["has(price)", "price != null"],
    ["!has(shop.parent.namespace)", "!(shop_id.parent_id.namespace != null)"],
    ["has(details) && details != null && tags == null", "details != null && details != null && tags == null"],
    ["has(current_user.age) || has(request.ip)", "current_user.age != null || request.ip != null"],
    ["size(title) > 3 && title.size() < 9", "size(title) > 3 && size(title) < 9"],
    ["size(tags) == 0", "size(tags) == 0"],
    ["title.startsWith('a') && title.endsWith(package)", 'title.startsWith("a") && title.endsWith(package)'],
    ["title.contains('é') || status.contains('a')", 'title.contains("é") || status.contains("a")'],
    ["title.matches(r'^\\d+$')", 'title.matches("^\\\\d+$")'],
    ["(title + 'x').startsWith('x')", '(title + "x").startsWith("x")'],
    ["'a' in tags && title in tags", '"a" in tags && title in tags'],
    ["draft in flags", '"draft" in flags'],
    ["1 in counts && amount in counts", "1 in counts && amount in counts"],
    ["title in [package, 'x', shop.namespace]", 'title in [package, "x", shop_id.namespace]'],
    ["'x' in [title, package]", '"x" in [title, package]'],
    ["price in [1, 2.5, amount]", "price in [1, 2.5, amount]"],
    ["current_user.is(support)", '"support" in current_user.roles'],
    ["current_user.is('support')", '"support" in current_user.roles'],
    ["current_user.home == shop", "current_user.home_id == shop_id"],
    ["created_by.email == current_user.email", "created_by.email == current_user.email"],
    ["org.name == 'x'", 'org_id.name == "x"'],
    ["org == current_org && member(org)", "org_id == current_org && member(org_id)"],
    [
      "member(shop.owner.id, admin) || member(current_org, 'member')",
      'member(shop_id.owner_id, "admin") || member(current_org, "member")',
    ],
    ["comments.exists(c, c.author_id == current_user.id)", "comments.exists(c, c.author_id == current_user.id)"],
    [
      "record.comments.all(c, !c.hidden || c.author.email == title)",
      "comments.all(c, !c.hidden || c.author_id.email == title)",
    ],
    ["shop.listings.exists_one(l, l.price > price)", "shop_id.listings.exists_one(l, l.price > price)"],
    ["comments.filter(c, c.hidden).size() > 2", "comments.filter(c, c.hidden).size() > 2"],
    ["size(comments.filter(c, c.hidden)) > 2", "comments.filter(c, c.hidden).size() > 2"],
    [
      "size(comments) == 0 && comments.size() == 0",
      "comments.filter(one, true).size() == 0 && comments.filter(one_2, true).size() == 0",
    ],
    ["comments.exists(c, c.replies.exists(r, r.body == c.body && r.listing == record))", "unknown"],
    [
      "comments.exists(c, c.replies.all(r, r.stars > c.stars && r.listing == id))",
      "comments.exists(c, c.replies.all(r, r.stars > c.stars && r.listing_id == id))",
    ],
    [
      "comments.exists(c, true) && comments.exists(c, c.hidden)",
      "comments.exists(c, true) && comments.exists(c_2, c_2.hidden)",
    ],
    [
      "comments.exists(title, title.body == record.title)",
      "comments.exists(title, title.body == record.title) | ambiguous_name 16-21",
    ],
    ["comments.exists(c, c.listing.shop == shop)", "comments.exists(c, c.listing_id.shop_id == shop_id)"],
  ])("%s", (text, printed) => {
    if (printed === "unknown") expect(check(text)).toContain("type_mismatch");
    else expect(check(text)).toBe(printed);
  });

  test("a printed rule gives the same tree again", () => {
    for (const text of [
      "price / 2.0 == 1",
      "comments.exists(in_1, in_1.stars > 2 ? true : published)",
      "now - created_at > '1h'",
    ]) {
      expect(tree(printExpression(tree(text)))).toEqual(tree(text));
    }
  });
});

describe("refuses", () => {
  test.each([
    ["price + title == 1", "type_mismatch 0-13"],
    ["price + true == 1", "type_mismatch 0-12"],
    ["price + null == 1", "type_mismatch 0-12"],
    ["price % 2 == 0", "expression_not_supported 0-9"],
    ["title - 'x' == title", "type_mismatch 0-11"],
    ["created_at + created_at > now", "type_mismatch 0-23"],
    ["today + duration('24h') > today", "type_mismatch 0-31"],
    ["created_at > today", "type_mismatch 0-18"],
    ["-title == 'x'", "type_mismatch 0-6"],
    ["published ? price : title", "type_mismatch 0-25"],
    ["price ? published : published", "not_a_condition 0-5"],
    ["(published ? null : null) == 1", "type_mismatch 1-24"],
    ["details == 'x'", "type_mismatch 0-14"],
    ["tags == tags", "type_mismatch 0-12"],
    ["has(1)", "wrong_arguments 0-6"],
    ["has(price, title)", "wrong_arguments 0-17"],
    ["has(comments)", "wrong_arguments 4-12"],
    ["has(current_user.roles)", "wrong_arguments 4-22"],
    ["has(input.price)", "row_not_available 4-9"],
    ["size(price) == 1", "wrong_arguments 5-10"],
    ["size() == 1", "wrong_arguments 0-6"],
    ["title.startsWith(1)", "type_mismatch 17-18"],
    ["price.contains('1')", "type_mismatch 0-5"],
    ["tags.contains('a')", "type_mismatch 0-4"],
    ["title.startsWith()", "wrong_arguments 0-18"],
    ["title.matches(package)", "wrong_arguments 14-21"],
    ["title.matches('(?=a)')", "invalid_pattern 14-21"],
    ["title.startWith('a')", "unknown_function 6-15"],
    ["hass(price)", "unknown_function 0-4"],
    ["price.has()", "wrong_arguments 6-9"],
    ["startsWith(title, 'a')", "wrong_arguments 0-10"],
    ["timestamp('2026-01-01T00:00:00Z') < now", "expression_not_supported 0-9"],
    ["title.lowerAscii() == 'x'", "expression_not_supported 6-16"],
    ["duration('1 hour') > length", "wrong_arguments 9-17"],
    ["duration(title) > length", "wrong_arguments 0-15"],
    ["duration('999999999h') > length", "wrong_arguments 9-21"],
    ["due_on == '2026-02-30'", "type_mismatch 10-22"],
    ["opens_at == '24:00'", "type_mismatch 12-19"],
    ["length == '1 day'", "type_mismatch 10-17"],
    ["created_at == '0001-01-01T00:00:00+14:00'", "type_mismatch 14-41"],
    ["created_at == '2026-01-01'", "type_mismatch 14-26"],
    ["amount == 1e999", "expression_not_supported 10-15"],
    ["ratio == 1e999", "expression_not_supported 9-14"],
    ["member(title)", "wrong_arguments 7-12"],
    ["member(org, boss)", "unknown_role_name 12-16"],
    ["member()", "wrong_arguments 0-8"],
    ["current_user.is(suport)", "unknown_role_name 16-22"],
    ["title.is(support)", "wrong_arguments 0-17"],
    ["current_user.home.open", "expression_not_supported 18-22"],
    ["current_user.email.x == 1", "unknown_name 19-20"],
    ["request.port == 1", "unknown_name 8-12"],
    ["request == null", "type_mismatch 0-7"],
    ["now.year == 1", "unknown_name 4-8"],
    ["comments == null", "type_mismatch 0-8"],
    ["comments.body == 'x'", "type_mismatch 9-13"],
    ["commets.exists(c, c.hidden)", "unknown_name 0-7"],
    ["comments.exists(c, c.hiden)", "unknown_name 21-26"],
    ["comments.exists(c, c.stars)", "not_a_condition 19-26"],
    ["comments.exists(c)", "wrong_arguments 0-18"],
    ["comments.exists(c.x, true)", "wrong_arguments 0-26"],
    ["comments.exists(now, true)", "wrong_arguments 16-19"],
    ["comments.exists(c, c.replies.exists(c, true))", "wrong_arguments 36-37"],
    ["comments.exists(c, c == null)", "type_mismatch 19-20"],
    ["tags.exists(t, t == 'a')", "wrong_arguments 0-4"],
    ["shop.exists(s, s.open)", "wrong_arguments 0-4"],
    ["comments.filter(c, c.hidden)", "expression_not_supported 0-28"],
    ["comments.map(c, c.body) == tags", "expression_not_supported 9-12"],
    ["c.hidden && comments.exists(c, true)", "unknown_name 0-1"],
    ["a.b.exists(x, x.replies.exists(y, true))", "unknown_name 0-1"],
    ["status == (published ? draft : gone)", "unknown_enum_value 31-35"],
    ["{'a': 1}", "expression_not_supported 0-8"],
    ["can(read, shop)", "false"],
    ["can(reed, shop)", "wrong_arguments 4-8"],
    ["can(read, title)", "wrong_arguments 10-15"],
    ["can(read, comments)", "wrong_arguments 10-18"],
    ["can(read)", "wrong_arguments 0-9"],
  ])("%s", (text, problems) => expect(check(text)).toBe(problems));

  test("macros nested too deep", () => {
    const nested = "comments.exists(a, a.replies.exists(b, b.replies.exists(c, c.replies.exists(d, true))))";
    expect(check(nested)).toContain("expression_too_large");
  });

  test("a calculation with too many products", () => {
    expect(check(`${Array(20).fill("price").join(" * ")} > 1`)).toContain("expression_too_large");
  });
});

describe("rows", () => {
  test("`sent` exists where a request sends values", () => {
    expect(check("has(input.price) && input.shop == shop", "create")).toBe(
      "has(input.price) && input.shop_id == new.shop_id",
    );
    expect(check("!has(input.shop)", "update")).toBe("!has(input.shop_id)");
    expect(check("input.shop.open", "update")).toBe("expression_not_supported 0-15");
    expect(check("input.comments.exists(c, true)", "update")).toBe("expression_not_supported 6-14");
    expect(check("input == null", "update")).toBe("type_mismatch 0-5");
    expect(check("input.price == 1", "delete")).toBe("row_not_available 0-5");
  });

  test("update: a bare relation is evaluated with the old row and with the new one", () => {
    expect(check("comments.exists(c, c.stars > price && shop.open)", "update")).toBe(
      "old.comments.exists(c, c.stars > old.price && old.shop_id.open) && new.comments.exists(c_2, c_2.stars > new.price && new.shop_id.open)",
    );
    expect(check("comments.all(c, c.stars > new.price)", "update")).toBe(
      "old.comments.all(c, c.stars > new.price) && new.comments.all(c_2, c_2.stars > new.price)",
    );
    expect(check("old.comments.exists(c, true)", "update")).toBe("old.comments.exists(c, true)");
  });

  test("a transition sees both rows; in its condition, a bare name means the old row", () => {
    expect(check("published", "transition:sell")).toBe("old.published && new.published");
    const when = checkRule(["published && new.price > 1"], { ...scope("transition:sell"), bare: "old" });
    expect(when.expression && printExpression(when.expression)).toBe("old.published && new.price > 1");
  });

  test("restore sees the record", () =>
    expect(check("record.published && price > 1", "restore")).toBe("published && price > 1"));

  test("only the row: no relation, no user, nothing of the request", () => {
    const alone = (text: string): string => {
      const { expression, problems } = checkExpression(text, { ...scope("read"), reach: "row" });
      return expression === null ? problems.map(({ code }) => code).join() : printExpression(expression);
    };
    expect(alone("price > 1 && record.title != ''")).toBe('price > 1 && title != ""');
    for (const text of [
      "current_org == id",
      "now > created_at",
      "today > due_on",
      "shop.open",
      "has(request.ip)",
      "comments.exists(c, true)",
      "size(comments) > 1",
      "member(org)",
    ]) {
      expect(alone(text), text).toBe("name_not_available");
    }
    expect(alone("current_user.id == id")).toBe("name_not_available");
    expect(alone("old.price > 1")).toBe("row_not_available");
  });

  test("only the row and the records that it refers to: no others, no user, nothing of the request", () => {
    const told = (text: string): string => {
      const { expression, problems } = checkExpression(text, { ...scope("read"), reach: "references" });
      return expression === null ? problems.map(({ code }) => code).join() : printExpression(expression);
    };
    expect(told("shop.open && price > 1")).toBe("shop_id.open && price > 1");
    for (const text of [
      "now > created_at",
      "current_user.id == id",
      "comments.exists(c, true)",
      "size(comments) > 1",
    ]) {
      expect(told(text), text).toBe("name_not_available");
    }
    expect(told("old.price > 1")).toBe("row_not_available");
  });
});

describe("a value of a given type", () => {
  const value = (text: string, kind: "uuid" | "decimal" | "datetime" | "text" | null): string => {
    const { expression, problems } = checkValue(text, scope("create"), kind === null ? null : { kind });
    return expression === null
      ? problems.map(({ code, start, end }) => `${code} ${start}-${end}`).join()
      : `${expression.type.kind} ${printExpression(expression)}`;
  };
  test.each([
    ["current_user.id", "uuid", "uuid current_user.id"],
    ["1", "decimal", "decimal 1.0"],
    ["price", "decimal", "int new.price"],
    ["now + '24h'", "datetime", 'datetime now + duration("24h")'],
    ["'2026-01-01T00:00:00Z'", "datetime", 'datetime "2026-01-01T00:00:00Z"'],
    ["null", "uuid", "null null"],
    ["title", "uuid", "type_mismatch 0-5"],
    ["title + '!'", null, 'text new.title + "!"'],
    ["status", "text", "enum new.status"],
    ["published", "text", "type_mismatch 0-9"],
  ] as const)("%s as %s", (text, kind, result) => expect(value(text, kind)).toBe(result));
});

test("hints say what to write instead", () => {
  const hint = (text: string): string => String(checkExpression(text, scope("read")).problems[0]?.hint);
  expect(hint("title.startWith('a')")).toContain("`startsWith`");
  expect(hint("tags.contains('a')")).toContain("in");
  expect(hint("tags.exists(t, true)")).toContain("`in`");
  expect(hint("comments == null")).toContain("comments.exists");
  expect(hint("created_at > today")).toContain("`now`");
  expect(hint("today + duration('1h') > today")).toContain("`now`");
  expect(hint("today + price > today + 1.5")).toContain("`today + 7`");
  expect(hint("created_at - 1 > now")).toContain("duration");
  expect(hint("commets.exists(c, true)")).toContain("`comments`");
  expect(hint("title == “x”")).toContain("straight");
  expect(hint("price <> 1")).toBe("Write `price != 1`.");
  expect(hint("price is null")).toBe("Write `price == null`.");
  expect(hint("not published")).toBe("Write `!published`.");
  expect(hint("published & has(price)")).toContain("`&&`");
  expect(hint("price > .5")).toContain("0.5");
  expect(hint("${{ published }}")).toBe("Write `published`.");
  expect(hint("published\u00a0== true")).toContain("U+00A0");
});
