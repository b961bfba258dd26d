// Names, types and rows of rules: valid text becomes a typed tree, invalid text gets problems with positions.
import { describe, expect, test } from "vitest";
import { checkExpression, checkRule } from "./check.ts";
import { printExpression } from "./print.ts";
import type { RuleOperation } from "./scope.ts";
import { sampleSchema } from "./testing/sample-schema.ts";

const scope = (operation: RuleOperation) => ({ schema: sampleSchema, record: "listing", operation });

/** The rule's tree as text, or its problems as `code start-end`. */
function check(text: string | boolean | readonly (string | boolean)[], operation: RuleOperation = "read"): string {
  const { expression, problems } = checkRule(typeof text === "object" ? text : [text], scope(operation));
  const told = problems.map((one) => `${one.code} ${one.start}-${one.end}`).join("; ");
  return expression === null ? told : [printExpression(expression), told].filter(Boolean).join(" | ");
}

describe("accepts", () => {
  test.each([
    ["status == active", 'status == "active"'],
    ["active == status", '"active" == status'],
    ["status == new", 'status == "new"'],
    ["status in [draft, 'active']", 'status in ["draft", "active"]'],
    ["created_by == current_user.id", "created_by == current_user.id"],
    ["shop.owner_id == current_user.id", "shop_id.owner_id == current_user.id"],
    ["shop_id.owner_id == current_user.id", "shop_id.owner_id == current_user.id"],
    ["shop.parent.parent.owner == current_user.id", "shop_id.parent_id.parent_id.owner_id == current_user.id"],
    ["shop.id == record.shop_id", "shop_id == shop_id"],
    ["created_by.id == current_user.id", "created_by == current_user.id"],
    ["shop == null", "shop_id == null"],
    ["record.title == 'x'", 'title == "x"'],
    ["published && !shop.open", "published && !shop_id.open"],
    ["price == 1.5", "price == 1.5"],
    ["price >= -2 || price in [1, 2]", "price >= -2 || price in [1, 2]"],
    ["'admin' in current_user.roles", '"admin" in current_user.roles'],
    ["title in current_user.roles", "title in current_user.roles"],
    ["current_user.email == title", "current_user.email == title"],
    ["created_at < '2026-01-31T12:00:00Z'", 'created_at < "2026-01-31T12:00:00Z"'],
    ["id == '0190F3A1-0000-7000-8000-000000000000'", 'id == "0190f3a1-0000-7000-8000-000000000000"'],
    ["package == shop.namespace", "package == shop_id.namespace"],
    ["(published == true) && title != null", "published == true && title != null"],
    ["true", "true"],
  ])("%s", (text, tree) => expect(check(text)).toBe(tree));
});

describe("refuses", () => {
  test.each([
    ["titel == 'x'", "unknown_name 0-5"],
    ["shop.opened", "unknown_name 5-11"],
    ["title.size == 1", "unknown_name 6-10"],
    ["current_user.nam == title", "unknown_name 13-16"],
    ["status == actve", "unknown_enum_value 10-15"],
    ["status in [draft, gone]", "unknown_enum_value 18-22"],
    ["'admn' in current_user.roles", "unknown_role_name 0-6"],
    ["title == 1", "type_mismatch 0-10"],
    ["published < true", "type_mismatch 0-16"],
    ["status < active", "type_mismatch 0-15"],
    ["title < null", "type_mismatch 0-12"],
    ["null == null", "type_mismatch 0-12"],
    ["title in []", "type_mismatch 9-11"],
    ["title in [null]", "type_mismatch 10-14"],
    ["title in ['a', 1]", "type_mismatch 15-16"],
    ["title in package", "type_mismatch 9-16"],
    ["id == 'x'", "type_mismatch 6-9"],
    ["created_at > '2026-02-30T12:00:00Z'", "type_mismatch 13-35"],
    ["shop.auditor.email == title", "expression_not_supported 13-18"],
    ["title", "not_a_condition 0-5"],
    ["'x'", "not_a_condition 0-3"],
    ["[title]", "not_a_condition 0-7"],
    ["old.published", "row_not_available 0-3"],
    ["new.published", "row_not_available 0-3"],
    ["record == null", "type_mismatch 0-6"],
    ["current_user == null", "type_mismatch 0-12"],
    ["current_user.roles == null", "type_mismatch 0-26"],
    ["title.x().y == 1", "expression_not_supported 0-11"],
    ["shop.parent.parent.parent.parent.open", "expression_not_supported 0-37"],
  ])("%s", (text, problems) => expect(check(text)).toBe(problems));

  test("all problems at once", () => {
    expect(check("titel == 'x' && (prise > 1 || status == actve)")).toBe(
      "unknown_name 0-5; unknown_name 17-22; unknown_enum_value 40-45",
    );
  });
});

test("hints suggest the right name", () => {
  const hint = (text: string): (string | null)[] =>
    checkExpression(text, scope("read")).problems.map((one) => one.hint);
  expect(hint("titel == 'x'")).toEqual(["Did you mean `title`?"]);
  expect(hint("status == actvie")).toEqual(["Did you mean `active`?"]);
  expect(hint("curent_user.id == id")).toEqual(["Did you mean `current_user`?"]);
  expect(hint("shop.opne")).toEqual(["Did you mean `open`?"]);
  expect(hint("suport in current_user.roles")).toEqual([expect.stringMatching(/^`listing` has id, title, /)]);
  expect(hint("support in current_user.roles")).toEqual(['Write a text in quotes: `"support"`.']);
});

test("a word that is both a field and an enum value means the field, with a warning", () => {
  expect(check("status == sold")).toBe("status == sold | ambiguous_name 10-14");
  expect(check('status == "sold"')).toBe('status == "sold"');
  expect(check("status == record.sold")).toBe("status == sold");
});

describe("rows", () => {
  test("create: bare names mean the new row", () => {
    expect(check("price > 1 && record.published && new.published", "create")).toBe(
      "new.price > 1 && new.published && new.published",
    );
    expect(check("old.published", "create")).toBe("row_not_available 0-3");
  });

  test("update: a bare name must satisfy the rule in the old and in the new row", () => {
    expect(check("created_by == current_user.id", "update")).toBe(
      "old.created_by == current_user.id && new.created_by == current_user.id",
    );
    expect(check("status == draft || record.published", "update")).toBe(
      '(old.status == "draft" || old.published) && (new.status == "draft" || new.published)',
    );
  });

  test("update: a rule with only `old.` and `new.` is not split", () => {
    expect(check("old.status == draft && new.status == active", "update")).toBe(
      'old.status == "draft" && new.status == "active"',
    );
    expect(check("published && new.price > old.price", "update")).toBe(
      "old.published && new.price > old.price && new.published && new.price > old.price",
    );
    expect(check("'admin' in current_user.roles", "update")).toBe('"admin" in current_user.roles');
  });

  test("delete only sees the record", () => expect(check("old.published", "delete")).toBe("row_not_available 0-3"));
});

describe("a list of rules", () => {
  test("grants if any of them does, and is split like one rule", () => {
    expect(check(["published", "price > 1"])).toBe("published || price > 1");
    expect(check(["published", "price > 1"], "update")).toBe(
      "(old.published || old.price > 1) && (new.published || new.price > 1)",
    );
    expect(check([false, "published"])).toBe("published");
    expect(check(["published", true])).toBe("true");
    expect(check([false])).toBe("false");
  });

  test("names the rule with the problem", () => {
    const { expression, problems } = checkRule(["published", "titel == 'x'"], scope("read"));
    expect(expression).toBeNull();
    expect(problems.map((one) => one.item)).toEqual([1]);
  });
});
