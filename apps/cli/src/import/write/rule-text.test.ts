// Expressions of Postgres as rules with exactly the same meaning, or none.
import { expect, test } from "vitest";
import { defaultOf } from "../postgres/default-expression.ts";
import { parseSql } from "../postgres/sql-expression.ts";
import { type ColumnLookup, type RuleColumn, ruleOf, valueRuleOf } from "./rule-text.ts";

const known: Readonly<Record<string, RuleColumn>> = {
  price: { field: "price", kind: "number" },
  Stock: { field: "stock", kind: "number" },
  name: { field: "name", kind: "text" },
  status: { field: "status", kind: "enum", nameOfValue: (value) => value.replace(" ", "_") },
  paid: { field: "paid", kind: "bool" },
  due: { field: "due_on", kind: "time" },
  begun: { field: "begun_on", kind: "time" },
  tags: { field: "tags", kind: "list" },
  owner_id: { field: "owner_id", kind: "user" },
  a_id: { field: "a_id", kind: "reference", target: "part" },
  b_id: { field: "b_id", kind: "reference", target: "part" },
};
const columns: ColumnLookup = (name) => known[name] ?? null;

const rule = (sql: string): string | null => {
  const tree = parseSql(sql);
  return tree === null ? null : ruleOf(tree, columns);
};

test.each([
  ["(price >= (0)::numeric)", "price >= 0"],
  ["((price > 0) AND ((price < (100)::numeric) OR paid))", "(price > 0) && ((price < 100) || paid)"],
  ['((price * ("Stock")::numeric) <= 10.5)', "(price * stock) <= 10.5"],
  ["(0 < price)", "price > 0"],
  [
    "((status)::text = ANY ((ARRAY['a'::character varying, 'in work'::character varying])::text[]))",
    'status in ["a", "in_work"]',
  ],
  ["(status <> 'in work'::workshop.repair_state)", 'status != "in_work"'],
  ["(name <> ALL (ARRAY['a'::text, 'b''s'::text]))", `!(name in ["a", "b's"])`],
  ["(char_length((name)::text) <= 10)", "size(name) <= 10"],
  ["(cardinality(tags) > 0)", "size(tags) > 0"],
  ["(name ~ '^[a-z]+$'::text)", 'name.matches("^[a-z]+$")'],
  ["((name)::text ~~ 'a%'::text)", 'name.startsWith("a")'],
  ["((name)::text !~~ '%a%'::text)", '!(name.contains("a"))'],
  ["(upper((name)::text) = 'A1'::text)", 'name.matches("^[Aa]1$")'],
  ["((due IS NULL) OR (due >= begun))", "(due_on == null) || (due_on >= begun_on)"],
  ["(due >= '1990-01-31'::date)", 'due_on >= "1990-01-31"'],
  [
    "((due IS NOT NULL) <> (price IS NOT NULL))",
    "((due_on != null) && !(price != null)) || (!(due_on != null) && (price != null))",
  ],
  ["((due IS NULL) = (NOT paid))", "((due_on == null) && !(paid)) || (!(due_on == null) && !(!(paid)))"],
  ["(paid IS TRUE)", "(paid != null) && paid"],
  ["(paid IS NOT TRUE)", "(paid == null) || !(paid)"],
  ["(paid IS FALSE)", "(paid != null) && !(paid)"],
  ["(paid IS NOT FALSE)", "(paid == null) || paid"],
  ["(NOT paid)", "!(paid)"],
  ["(a_id <> b_id)", "a_id != b_id"],
  ["(owner_id = ( SELECT auth.uid() AS uid))", "owner_id == current_user.id"],
  ["((current_setting('app.user_id'::text, true))::uuid = owner_id)", "owner_id == current_user.id"],
])("%s", (sql, expected) => expect(rule(sql)).toBe(expected));

test.each([
  ["a cast that rounds", "((price)::integer = 3)"],
  ["a division of whole numbers", "((price / 2) > 1)"],
  ["the order of texts, which is the database's", "(name > 'a'::text)"],
  ["a subquery", "(name IN ( SELECT x FROM t))"],
  ["CASE", "CASE WHEN paid THEN true ELSE false END"],
  ["a function", "(reverse(name) = 'x'::text)"],
  ["a pattern with a wildcard for one sign", "(name ~~ 'a_'::text)"],
  ["a regular expression of Postgres alone", "(name ~ '\\mword'::text)"],
  ["an operator of an extension", "(name @> 'x')"],
  ["an unknown column", "(other = 1)"],
  ["a user compared with what is no reference to one", "(name = (auth.uid())::text)"],
  ["an interval", "(due <= (now() - '18 years'::interval))"],
  ["something behind the end", "(price > 0) price"],
])("%s has no rule", (_, sql) => expect(rule(sql)).toBeNull());

test("a generated column", () => {
  const value = (sql: string): string | null => {
    const tree = parseSql(sql);
    return tree === null ? null : valueRuleOf(tree, columns);
  };
  expect(value("round((price / 60.0), 2)")).toBe("round(price / 60.0, 2)");
  expect(value("((price)::numeric + 1)")).toBe("price + 1");
  expect(value("(name || 'x'::text)")).toBeNull();
});

test("constant defaults are values", () => {
  const text = { kind: "text", max: null } as const;
  expect(defaultOf("'it''s'::text", text, false)).toEqual({ kind: "literal", value: "it's" });
  expect(defaultOf("'{}'::text[]", text, true)).toEqual({ kind: "literal", value: [] });
  expect(defaultOf("ARRAY['a'::text, 'b'::text]", text, true)).toEqual({ kind: "literal", value: ["a", "b"] });
  expect(defaultOf("'{\"a\": 1}'::jsonb", { kind: "json" }, false)).toEqual({ kind: "literal", value: { a: 1 } });
  expect(defaultOf("'-1'::integer", { kind: "int" }, false)).toEqual({ kind: "literal", value: -1 });
  expect(defaultOf("0.0", { kind: "float" }, false)).toEqual({ kind: "literal", value: 0 });
  expect(defaultOf("'1e-05'::double precision", { kind: "float" }, false)).toEqual({ kind: "literal", value: 0.00001 });
  const money = { kind: "decimal", precision: 10, scale: 2 } as const;
  expect(defaultOf("0.00", money, false)).toEqual({ kind: "literal", value: 0 });
  expect(defaultOf("'-1.50'::numeric", money, false)).toEqual({ kind: "literal", value: -1.5 });
  expect(defaultOf("12345678901234567.5", money, false)).toEqual({ kind: "literal", value: "12345678901234567.5" });
  expect(defaultOf("'t'::boolean", { kind: "bool" }, false)).toEqual({ kind: "literal", value: true });
  expect(defaultOf("('now'::text)::date", { kind: "date" }, false)?.kind).toBe("literal");
  expect(defaultOf("lower('A'::text)", text, false)).toEqual({ kind: "expression", text: "lower('A'::text)" });
});
