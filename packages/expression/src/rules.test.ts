// Rules that use other rules: named ones, `can(...)`, `deny`; the position of a node in the text, and the reason why a
// rule is not true.
import { describe, expect, test } from "vitest";
import { checkExpression, checkRule } from "./check.ts";
import { allows, type EvaluationContext, type Row } from "./evaluate.ts";
import { explain, placeOf } from "./explain.ts";
import { printExpression } from "./print.ts";
import type { Schema } from "./schema.ts";
import type { RuleOperation } from "./scope.ts";
import { sampleSchema } from "./testing/sample-schema.ts";
import type { Expression } from "./tree.ts";

const ana = "0190f3a1-0000-7000-8000-00000000000a";

function withRules(rules: Record<string, string>, grants: Schema["grants"] = () => new Map()): Schema {
  return { ...sampleSchema, rules: new Map(Object.entries(rules)), grants };
}

function check(schema: Schema, text: string, operation: RuleOperation = "read", record = "listing"): string {
  const { expression, problems } = checkRule([text], { schema, record, operation });
  const told = problems.map((one) => `${one.code} ${one.start}-${one.end}`).join("; ");
  return expression === null ? told : [printExpression(expression), told].filter(Boolean).join(" | ");
}

describe("named rules", () => {
  const schema = withRules({
    mine: "created_by == current_user.id",
    live: "status == active && mine",
    loop: "price > 1 && around",
    around: "loop",
    wrong: "titel == 'x'",
    broken: "title ==",
    published: "price > 1",
    active: "price > 2",
    busy: "comments.exists(c, c.hidden)",
    count: "price",
  });

  test("are used like a bare name, and evaluated for both rows with the rest", () => {
    expect(check(schema, "mine || price > 1")).toBe("created_by == current_user.id || price > 1");
    expect(check(schema, "!live")).toBe('!(status == "active" && created_by == current_user.id)');
    expect(check(schema, "mine", "update")).toBe(
      "old.created_by == current_user.id && new.created_by == current_user.id",
    );
    expect(check(schema, "mine", "create")).toBe("new.created_by == current_user.id");
    expect(check(schema, "busy && comments.exists(c, busy)")).toBe(
      "comments.exists(c, c.hidden) && comments.exists(c_2, comments.exists(c_3, c_3.hidden))",
    );
  });

  test("have lower priority than a field and an enum value", () => {
    expect(check(schema, "published")).toBe("published | ambiguous_name 0-9");
    expect(check(schema, "status == active")).toBe('status == "active"');
    expect(check(schema, "active && true")).toBe("price > 2 && true");
  });

  test("can't refer to each other in a circle, and problems have the position of the use", () => {
    expect(check(schema, "price > 0 && loop")).toBe("rule_circle 13-17");
    expect(check(schema, "price > 0 && wrong")).toBe("unknown_name 13-18");
    expect(check(schema, "broken")).toBe("expression_syntax 0-6");
    expect(check(schema, "count")).toBe("not_a_condition 0-5");
    expect(checkExpression("wrong", { schema, record: "listing", operation: "read" }).problems[0]?.message).toContain(
      "In the rule `wrong`",
    );
  });

  test("report which of them a rule uses", () => {
    expect([...checkRule(["live"], { schema, record: "listing", operation: "read" }).rulesUsed]).toEqual([
      "live",
      "mine",
    ]);
  });

  test("that grow without end are refused in time", () => {
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`r${at}`, at === 0 ? "price > 1" : `r${at - 1} && r${at - 1}`]),
    );
    expect(check(withRules(doubling), "r7")).not.toContain("too_large");
    expect(check(withRules(doubling), "r39")).toContain("expression_too_large");
    const wide = Array(50).fill("wide").join(" || ");
    const long = withRules({ wide: Array(90).fill("price > 1").join(" && ") });
    expect(check(long, wide)).toBe("expression_too_large 0-4".replace("0-4", check(long, wide).split(" ")[1] ?? ""));
  });
});

describe("can", () => {
  const rule = (text: string, record: string, operation: RuleOperation = "read"): Expression => {
    const { expression, problems } = checkRule([text], { schema: sampleSchema, record, operation });
    if (expression === null) throw new Error(JSON.stringify(problems));
    return expression;
  };
  const schema = withRules({}, (record, operation) => {
    if (record === "shop" && operation === "read") {
      return new Map([
        ["public", rule("open", "shop")],
        ["user", rule("owner == current_user.id || parent.open || id == current_user.home", "shop")],
        ["admin", rule("true", "shop")],
        ["support", rule("false", "shop")],
      ]);
    }
    if (record === "shop" && operation === "update")
      return new Map([["user", rule("owner == current_user.id", "shop", "update")]]);
    if (record === "listing")
      return new Map([["user", rule("comments.exists(c, c.author == current_user.id)", "listing")]]);
    if (record === "comment") return null;
    return new Map([["user", rule("has(input.name)", "user", "create")]]);
  });

  test("means the rules of the related record, each for callers with its role", () => {
    expect(check(schema, "can(read, shop)")).toBe(
      'shop_id.version != null && ("public" in current_user.roles && shop_id.open || ' +
        '"user" in current_user.roles && (shop_id.owner_id == current_user.id || shop_id.parent_id.open || shop_id == current_user.home_id) || "admin" in current_user.roles)',
    );
    expect(check(schema, "can('read', shop.parent) && price > 1")).toContain("shop_id.parent_id.version != null");
  });

  test("is evaluated in an update with the old and the new relation, where the update's own rows are the record", () => {
    expect(check(schema, "can(update, shop)", "update")).toBe(
      'old.shop_id.version != null && "user" in current_user.roles && old.shop_id.owner_id == current_user.id && old.shop_id.owner_id == current_user.id && ' +
        'new.shop_id.version != null && "user" in current_user.roles && new.shop_id.owner_id == current_user.id && new.shop_id.owner_id == current_user.id',
    );
  });

  test("can be inside a macro without mixing up variables", () => {
    const text = check(schema, "comments.exists(c, can(read, c.listing))");
    expect(text).toBe(
      'comments.exists(c, c.listing_id.version != null && "user" in current_user.roles && c.listing_id.comments.exists(c_2, c_2.author_id == current_user.id))',
    );
    expect(check(schema, text)).toBe(text);
  });

  test("reports a circle, and rules that need sent values", () => {
    expect(check(schema, "can(read, parent)", "read", "comment")).toBe("rule_circle 0-17");
    expect(check(schema, "can(read, created_by)")).toBe("expression_not_supported 0-21");
  });

  test("is evaluated on the related record", () => {
    const { expression } = checkRule(["can(read, shop)"], { schema, record: "listing", operation: "read" });
    const context = (shop: Row | null, roles: string[]): EvaluationContext => ({
      rows: {
        record: { values: { shop_id: shop === null ? null : ana }, related: shop === null ? {} : { shop_id: shop } },
      },
      user: { id: ana, email: null, roles },
    });
    const shop = (open: boolean, owner: string | null): Row => ({ values: { version: 1, open, owner_id: owner } });
    const judge = (...args: Parameters<typeof context>): boolean =>
      expression !== null && allows(expression, context(...args));
    expect(judge(shop(true, null), ["public"])).toBe(true);
    expect(judge(shop(false, ana), ["public"])).toBe(false);
    expect(judge(shop(false, ana), ["public", "user"])).toBe(true);
    expect(judge(shop(false, null), ["admin"])).toBe(true);
    expect(judge(null, ["public", "user", "admin"])).toBe(false);
  });
});

describe("deny", () => {
  const denying = (
    allow: (string | boolean)[],
    deny: (string | boolean)[],
    operation: RuleOperation = "read",
  ): string => {
    const { expression, problems } = checkRule(allow, { schema: sampleSchema, record: "listing", operation }, deny);
    return expression === null
      ? problems.map(({ code, item }) => `${code} in ${item}`).join()
      : printExpression(expression);
  };

  test("has priority inside its grant, for both rows of an update", () => {
    expect(denying(["published"], ["price > 1"])).toBe("published && !(price > 1)");
    expect(denying([true], ["price > 1", "has(title)"])).toBe("!(price > 1 || title != null)");
    expect(denying(["published"], [false])).toBe("published");
    expect(denying(["published"], [true])).toBe("false");
    expect(denying([false], ["published"])).toBe("false");
    expect(denying(["published"], ["price > 1"], "update")).toBe(
      "old.published && !(old.price > 1) && new.published && !(new.price > 1)",
    );
  });

  test("reports problems at their positions", () =>
    expect(denying(["published"], ["published", "titel == 'x'"])).toBe("unknown_name in 2"));

  test("also denies if it is unknown", () => {
    const { expression } = checkRule(["published"], { schema: sampleSchema, record: "listing", operation: "read" }, [
      "price > 1",
    ]);
    const rows = (price: number | null): EvaluationContext => ({
      rows: { record: { values: { published: true, price } } },
      user: { id: null, email: null, roles: [] },
    });
    expect(expression && allows(expression, rows(null))).toBe(false);
    expect(expression && allows(expression, rows(1))).toBe(true);
  });
});

describe("explain", () => {
  const user = { id: ana, email: null, roles: ["user"] };
  /** The culprit's text as its author wrote it. */
  function why(sources: string[], row: Row["values"], after?: Row["values"]): string {
    const operation = after === undefined ? "read" : "update";
    const schema = withRules({ mine: "created_by == current_user.id && price > 0" });
    const checked = checkRule(sources, { schema, record: "listing", operation });
    if (checked.expression === null) throw new Error(JSON.stringify(checked.problems));
    const rows = after === undefined ? { record: { values: row } } : { old: { values: row }, new: { values: after } };
    const { value, culprit } = explain(checked.expression, { rows, user });
    const place = culprit && placeOf(culprit, checked);
    if (culprit === null || place === null) return String(value);
    return `${value} ${place.item} ${sources[place.item]?.slice(place.start, place.end)}`;
  }

  test.each<[string, Row["values"], string]>([
    ["published", { published: true }, "true"],
    ["published", { published: false }, "false 0 published"],
    ["published && price > 1", { published: true, price: 1 }, "false 0 price > 1"],
    ["published && price > 1", { published: null, price: 1 }, "false 0 price > 1"],
    ["published && price > 1", { published: null, price: 2 }, "null 0 published"],
    ["published || price > 1", { published: false, price: 1 }, "false 0 published || price > 1"],
    ["published || price > 1", { published: false, price: null }, "null 0 price > 1"],
    ["!published", { published: true }, "false 0 published"],
    ["!(published || price > 1)", { published: false, price: 2 }, "false 0 price > 1"],
    ["!(published && price > 1)", { published: true, price: 2 }, "false 0 published && price > 1"],
    ["!(published && price > 1)", { published: true, price: null }, "null 0 price > 1"],
    ["published ? price > 1 : title == 'x'", { published: true, price: 1 }, "false 0 price > 1"],
    ["published ? price > 1 : title == 'x'", { published: false, title: "y" }, "false 0 title == 'x'"],
    ["published ? true : true", { published: null }, "null 0 published"],
    ["published && mine", { published: true, created_by: ana, price: 0 }, "false 0 mine"],
    [
      "published && (price > 1 && (title == 'x' && has(package)))",
      { published: true, price: 2, title: "x" },
      "false 0 has(package)",
    ],
  ])("%s of %j: %s", (text, row, expected) => expect(why([text], row)).toBe(expected));

  test("names the rule of a list that came closest", () => {
    expect(why(["published", "price > 1"], { published: false, price: null })).toBe("null 1 price > 1");
    expect(why(["published", "price > 1"], { published: false, price: 1 })).toBe("false 0 published");
  });

  test("names the row of an update that failed", () => {
    expect(why(["price > 1 && published"], { price: 2, published: true }, { price: 1, published: true })).toBe(
      "false 0 price > 1",
    );
  });
});
