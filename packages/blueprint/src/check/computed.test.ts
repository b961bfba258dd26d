// Computed fields and named rules in rules about one row: both are inserted where they are used, so the model only
// contains columns.
import { evaluateValue, printExpression, someNode } from "@plinth/expression";
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import type { Entity } from "../model/model.ts";

const head = "project: demo\nmodules: [auth, users, roles, audit_logs]\n";

interface Parts {
  readonly fields?: string;
  readonly rules?: string;
  readonly checks?: string;
  readonly permissions?: string;
}

function blueprint({ fields = "", rules = "", checks = "", permissions = "" }: Parts): string {
  const lines = (text: string, by: number): string => text.replace(/^(?=.)/gm, " ".repeat(by));
  return [
    head,
    rules === "" ? "" : `rules:\n${lines(rules, 2)}\n`,
    "entities:\n  order:\n    fields:\n      price: int\n      quantity: int = 1\n      cap: int?\n",
    `      total: computed(price * quantity)\n${lines(fields, 6)}\n`,
    checks === "" ? "" : `    checks:\n${lines(checks, 6)}\n`,
    `    permissions:\n      admin: { all: true }\n${lines(permissions, 6)}\n`,
    "  part:\n    fields:\n      order_id: ref(order)\n    permissions:\n      user: { read: order.total > 10 }\n",
  ].join("");
}

const found = (parts: Parts): readonly string[] =>
  checkBlueprint(blueprint(parts)).diagnostics.map(({ code, message }) => `${code}: ${message}`);

function order(parts: Parts): Entity {
  const { model, diagnostics } = checkBlueprint(blueprint(parts));
  const entity = model?.entities.find((one) => one.name === "order");
  if (entity === undefined) throw new Error(JSON.stringify(diagnostics, null, 1));
  return entity;
}

function ruleOf(parts: Parts, operation: string): string {
  const rule = order(parts).permissions.find((one) => one.role === "user" && one.operation === operation)?.rule;
  return rule === undefined ? "" : printExpression(rule);
}

describe("a computed field in a rule", () => {
  test.each([
    ["read", "total > 10", "price * quantity > 10"],
    ["read", "record.total > 10 && cap == null", "price * quantity > 10 && cap == null"],
    ["read", "has(total)", "price * quantity != null"],
    ["create", "total <= 10", "new.price * new.quantity <= 10"],
    ["update", "total > 10", "old.price * old.quantity > 10 && new.price * new.quantity > 10"],
    ["update", "new.total >= old.total", "new.price * new.quantity >= old.price * old.quantity"],
    ["read", "twice > cap", "price * quantity * 2 > cap"],
    ["read", "dear", "price * quantity > 100"],
  ])("%s: %s", (operation, rule, expected) => {
    const fields = "twice: computed(total * 2)\ndear: computed(total > 100)";
    expect(ruleOf({ fields, permissions: `user: { ${operation}: "${rule}" }` }, operation)).toBe(expected);
  });

  test("through a reference", () => {
    const { model } = checkBlueprint(blueprint({}));
    const rule = model?.entities.find((one) => one.name === "part")?.permissions[0]?.rule;
    expect(rule && printExpression(rule)).toBe("order_id.price * order_id.quantity > 10");
  });

  test("of each record in a relation", () => {
    const permissions = 'user: { read: "parts.exists(p, p.order.total > 10)" }';
    expect(ruleOf({ permissions }, "read")).toBe("parts.exists(p, p.order_id.price * p.order_id.quantity > 10)");
  });

  test("is not in the model by its name", () => {
    const { permissions } = order({ permissions: 'user: { read: "total > 10 || has(total)" }' });
    const named = permissions.some(({ rule }) =>
      someNode(rule, (node) => node.kind === "field" && node.path.includes("total")),
    );
    expect(named).toBe(false);
  });

  test("has its nodes where the rule uses it", () => {
    const text = blueprint({ permissions: 'user: { read: "total > 10" }' });
    const { model, places } = checkBlueprint(text);
    const rule = model?.entities
      .find((one) => one.name === "order")
      ?.permissions.find((one) => one.role === "user")?.rule;
    const [left] = rule?.kind === "operation" ? rule.args : [];
    const inner = left?.kind === "operation" ? left.args[1] : undefined;
    const place = inner === undefined ? null : places.get(inner);
    expect(text.slice(place?.start.offset, place?.end.offset)).toBe("total");
  });

  test("never counts as sent", () => {
    expect(found({ permissions: 'user: { create: "input.total > 1" }' })).toEqual([
      "expression_not_supported: `total` is computed, so it is never part of the input.",
    ]);
  });

  test("can't be used as a reference", () => {
    expect(found({ permissions: 'user: { read: "total.price > 1" }' })).toEqual([
      "unknown_name: `total` is not a reference, so it has no `price`.",
    ]);
  });
});

describe("a computed field that uses other computed fields", () => {
  test("can be declared in any order", () => {
    const { fields } = order({ fields: "four: computed(twice * 2)\ntwice: computed(total + total)" });
    const type = fields.find((one) => one.name === "four")?.type;
    if (type?.kind !== "computed") throw new Error("it is computed");
    expect(printExpression(type.expression)).toBe("(price * quantity + price * quantity) * 2");
    const record = { values: { price: 3, quantity: 4 } };
    const context = { rows: { record }, user: { id: null, email: null, roles: ["public"] } };
    expect(evaluateValue(type.expression, context)).toBe(48);
  });

  test.each([
    ["a: computed(a + 1)", ["rule_circle: `a` is computed from itself."]],
    ["a: computed(b + 1)\nb: computed(a + 1)", ["rule_circle: `a` is computed from itself."]],
    ["a: computed(prise + 1)\nb: computed(a + 1)", ["unknown_name: `order` has no field `prise`."]],
    ["a: computed(b > 1)\nb: computed(price + 1)\nc: computed(a + 1)", ["type_mismatch"]],
  ])("%j", (fields, expected) => {
    const problems = found({ fields, permissions: 'user: { read: "a == a" }', checks: "some: a == a" });
    expect(problems.length).toBe(expected.length);
    for (const [index, one] of expected.entries()) expect(problems[index]).toMatch(new RegExp(`^${escaped(one)}`));
  });

  test("has a limited size", () => {
    const fields = Array.from({ length: 30 }, (_, i) => `x${i + 1}: computed(x${i} + x${i})`).join("\n");
    const problems = found({ fields: `x0: computed(price + 1)\n${fields}` });
    expect(problems).toEqual(["expression_too_large: The rule is too large after named rules are inserted."]);
  });
});

describe("a computed field over other records", () => {
  const parts = "total_parts: computed(parts.sum(p, p.weight))\nheavy: computed(total_parts > 10)";
  const withWeight = (text: string, weight = "weight: int"): string =>
    text.replace("order_id: ref(order)", `order_id: ref(order)\n      ${weight}`);
  const foundIn = (text: string): readonly string[] =>
    checkBlueprint(text).diagnostics.flatMap(({ code, message, severity }) =>
      severity === "error" ? [`${code}: ${message}`] : [],
    );

  test("is inserted where it is used, with separate variables", () => {
    const permissions = 'user: { read: "heavy && parts.exists(p, p.order.total_parts > p.weight)" }';
    const { model, diagnostics } = checkBlueprint(withWeight(blueprint({ fields: parts, permissions })));
    const rule = model?.entities[0]?.permissions.find(({ role }) => role === "user")?.rule;
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(rule && printExpression(rule)).toBe(
      "parts.sum(p, p.weight) > 10 && parts.exists(p_2, p_2.order_id.parts.sum(p_3, p_3.weight) > p_2.weight)",
    );
  });

  test.each([
    ["weight: int\n      net: computed(weight * 2)", "parts.sum(p, p.net)", []],
    [
      "weight: int\n      net: computed(order.it * 2)",
      "parts.sum(p, p.net)",
      ["rule_circle: `it` is computed from itself."],
    ],
    [
      "weight: int\n      net: computed(wieght * 2)",
      "parts.sum(p, p.net)",
      ["unknown_name: `part` has no field `wieght`."],
    ],
    ["weight: int", "parts.sum(p, p.weight)", []],
    ["weight: int", "parts.sum(p, p.order.parts.sum(q, q.order.parts.sum(r, r.weight)))", []],
    [
      "weight: int\n      net: computed(order.parts.sum(a, a.order.parts.sum(b, b.weight)))",
      "parts.sum(p, p.order.parts.sum(q, q.net))",
      ["expression_too_large: Relations can be nested at most 3 deep in a rule."],
    ],
    ["weight: int", "current_user.id == created_by", ["name_not_available: `current_user` can't be used here."]],
    ["weight: int", "parts.exists(p, now > p.created_at)", ["name_not_available: `now` can't be used here."]],
  ])("%s, %s", (weight, it, expected) => {
    expect(foundIn(withWeight(blueprint({ fields: `it: computed(${it})` }), weight))).toEqual(expected);
  });

  test("can't be used in a check, in `fill` or in background work", () => {
    const beyond = "name_not_available: Only the row itself can be used here, not other records.";
    expect(foundIn(withWeight(blueprint({ fields: parts, checks: "light: total_parts < 10" })))).toEqual([beyond]);
    expect(foundIn(withWeight(blueprint({ fields: `${parts}\nfirst: int? fill(total_parts)` })))).toEqual([
      "name_not_available: Relations to many records can't be used here.",
    ]);
    const work = `workflows:\n  tell:\n    on: order.updated\n    when: record.heavy\n    actions: [audit.write]\n`;
    const text = withWeight(blueprint({ fields: parts })).replace("audit_logs]", "audit_logs, workers]") + work;
    expect(foundIn(text)).toContain("expression_not_supported: `heavy` is computed from other records.");
  });
});

describe("a check", () => {
  test("can use computed fields and named rules", () => {
    const parts = { rules: "cheap: total < 100\nsmall: cheap && quantity < 5", checks: "fits: small || cap == null" };
    const [check] = order(parts).checks;
    expect(check && printExpression(check.condition)).toBe("price * quantity < 100 && quantity < 5 || cap == null");
    expect(found(parts)).toEqual([]);
  });

  test("can be used together with a named rule in a computed field", () => {
    const { fields } = order({ rules: "cheap: price < 100", fields: "label: 'computed(cheap ? 1 : 2)'" });
    const type = fields.find((one) => one.name === "label")?.type;
    expect(type?.kind === "computed" && printExpression(type.expression)).toBe("price < 100 ? 1 : 2");
  });

  test.each([
    [
      "mine: created_by == current_user.id",
      ["name_not_available: In the rule `mine`: `current_user` can't be used here."],
    ],
    ["mine: price > 0 && mine", ["rule_circle: In the rule `mine`: The rule `mine` uses itself."]],
    ["mine: prise > 0", ["unknown_name: In the rule `mine`: `order` has no field `prise`."]],
    ["mine: true", ["constant_check: This expression reads no field, so its value is the same for every record."]],
  ])("%j", (rules, expected) => expect(found({ rules, checks: "is: mine" })).toEqual(expected));
});

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
