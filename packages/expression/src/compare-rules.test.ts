// Every loosened rule is found, and no other rule is called looser: single cases, and generated rules against all
// values.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { COMPARISON_WORK_MAX, createBudget, DIFF_WORK_MAX } from "./compare-budget.ts";
import { compareRules, findLoosening, type RuleComparison } from "./compare-rules.ts";
import type { ComparisonTypes, FieldRange } from "./compare-variables.ts";
import type { Value } from "./datum.ts";
import { type EvaluationContext, evaluate } from "./evaluate.ts";
import type { Comparison, Expression, Operator, Type } from "./tree.ts";

const bool: Type = { kind: "bool" };
const text: Type = { kind: "text" };
const statuses = ["draft", "active", "sold"];
const fieldTypes: Readonly<Record<string, Type>> = {
  status: { kind: "enum", values: statuses },
  price: { kind: "int" },
  fee: { kind: "decimal" },
  rate: { kind: "float" },
  published: bool,
  sold: bool,
  title: text,
  brand: text,
  owner_id: { kind: "uuid" },
  seller_id: { kind: "uuid" },
  due: { kind: "date" },
  at: { kind: "datetime" },
  tags: { kind: "list", of: text },
  data: { kind: "opaque", name: "json" },
};

const op = (operator: Operator, ...args: Expression[]): Expression => ({
  kind: "operation",
  type: bool,
  operator,
  args,
});
const and = (...args: Expression[]): Expression => op("&&", ...args);
const or = (...args: Expression[]): Expression => op("||", ...args);
const not = (one: Expression): Expression => op("!", one);
const f = (name: string, row = "record"): Expression => ({
  kind: "field",
  type: fieldTypes[name] ?? text,
  row,
  path: [name],
});
const lit = (value: string | number | boolean, type: Type): Expression => ({ kind: "literal", type, value });
const nil: Expression = { kind: "literal", type: { kind: "null" }, value: null };
const yes = lit(true, bool);
const no = lit(false, bool);
const me: Expression = { kind: "user", type: { kind: "uuid" }, name: "id" };
const roles: Expression = { kind: "user", type: { kind: "list", of: text }, name: "roles" };
const is = (role: string): Expression => op("in", lit(role, text), roles);
const cmp = (operator: Comparison, name: string, value: string | number | boolean): Expression =>
  op(operator, f(name), lit(value, fieldTypes[name] ?? text));
const mine = op("==", f("owner_id"), me);

const places: Readonly<Record<string, number>> = { fee: 1 };
function typesWith(required: readonly string[] = []): ComparisonTypes {
  return {
    field: (_row, path): FieldRange | null => {
      const [name = ""] = path;
      const type = fieldTypes[name];
      if (path.length > 1 || type === undefined) return null;
      return { type, nullable: !required.includes(name), places: places[name] ?? null };
    },
    profile: () => null,
    rolesOfAll: ["public"],
    rolesOfUsers: ["user", "owner"],
  };
}

function verdict(
  before: Expression | null,
  after: Expression | null,
  required?: readonly string[],
): RuleComparison["kind"] {
  return compareRules(before, after, typesWith(required)).kind;
}

describe("single rules", () => {
  test.each<[string, Expression | null, Expression | null, RuleComparison["kind"]]>([
    ["nobody, then all", null, yes, "looser"],
    ["all, then nobody", yes, null, "tighter"],
    ["false is nobody", null, no, "same"],
    ["another value as well", cmp("==", "status", "active"), cmp("!=", "status", "draft"), "looser"],
    [
      "all values, so not null",
      or(...statuses.map((one) => cmp("==", "status", one))),
      op("!=", f("status"), nil),
      "same",
    ],
    ["`!` over `==`", not(cmp("==", "status", "draft")), cmp("!=", "status", "draft"), "same"],
    [
      "null besides",
      cmp("!=", "status", "draft"),
      or(cmp("!=", "status", "draft"), op("==", f("status"), nil)),
      "looser",
    ],
    ["whole numbers leave no gap", cmp(">", "price", 3), cmp(">=", "price", 4), "same"],
    ["decimals of one place do", cmp(">", "fee", "3"), cmp(">=", "fee", "3.1"), "same"],
    ["and between them", cmp(">", "fee", "3"), cmp(">", "fee", "2.9"), "looser"],
    ["floats are dense", cmp(">", "rate", 3), cmp(">=", "rate", 3.0001), "tighter"],
    ["floats beside each other leave no gap", cmp(">", "rate", 1), cmp(">=", "rate", 1.0000000000000002), "same"],
    ["large floats do", cmp("==", "rate", 1e16), cmp("<", "rate", 1e16), "looser"],
    ["below the largest, too", cmp(">", "rate", Number.MAX_VALUE), cmp("<", "rate", Number.MAX_VALUE), "looser"],
    ["and another is none of them", not(cmp("!=", "rate", 1e150)), cmp("!=", "rate", 1e150), "looser"],
    ["a lower bound", cmp(">", "price", 3), cmp(">", "price", 2), "looser"],
    ["dates by day", cmp(">", "due", "2026-01-01"), cmp(">=", "due", "2026-01-02"), "same"],
    [
      "moments by microsecond",
      cmp(">", "at", "2026-01-01T00:00:00Z"),
      cmp(">=", "at", "2026-01-01T01:00:00.000001+01:00"),
      "same",
    ],
    ["texts, the next one", cmp(">", "title", "a"), cmp(">=", "title", "a\u0001"), "same"],
    ["texts, one further", cmp(">", "title", "a"), cmp(">=", "title", "b"), "tighter"],
    ["a colleague's rows", mine, or(mine, is("support")), "looser"],
    ["a role that all hold", yes, is("public"), "same"],
    ["whoever is signed in", is("user"), is("owner"), "looser"],
    ["a user, and their own", and(is("user"), mine), and(is("owner"), mine), "same"],
    [
      "transitive",
      and(op("<", f("title"), f("brand")), op("<", f("brand"), f("maker"))),
      op("<", f("title"), f("maker")),
      "looser",
    ],
    [
      "and the other way",
      op("<", f("title"), f("maker")),
      and(op("<", f("title"), f("brand")), op("<", f("brand"), f("maker"))),
      "tighter",
    ],
    [
      "two equal to one",
      and(mine, op("==", f("seller_id"), me)),
      and(mine, op("==", f("owner_id"), f("seller_id"))),
      "same",
    ],
    [
      "members of a list",
      op("in", lit("a", text), f("tags")),
      or(op("in", lit("a", text), f("tags")), op("in", lit("b", text), f("tags"))),
      "looser",
    ],
    ["a list that is not there", op("in", lit("a", text), f("tags")), op("!=", f("tags"), nil), "looser"],
    ["what is opaque, there or not", op("!=", f("data"), nil), not(op("==", f("data"), nil)), "same"],
    ["a choice", op("?:", f("sold"), f("published"), no), and(f("sold"), f("published")), "same"],
    ["null chooses nothing", yes, op("?:", f("sold"), yes, yes), "tighter"],
  ])("%s", (_, before, after, expected) => {
    expect(verdict(before, after)).toBe(expected);
  });

  test("a rule for the old row alone is looser than one for both rows", () => {
    const owned = (row: string): Expression => op("==", f("owner_id", row), me);
    expect(verdict(and(owned("old"), owned("new")), owned("old"))).toBe("looser");
    expect(verdict(owned("old"), and(owned("old"), owned("new")))).toBe("tighter");
  });

  test("a value that can't be null is never null in a witness", () => {
    expect(verdict(no, op("==", f("status"), nil), ["status"])).toBe("same");
    expect(verdict(yes, or(...statuses.map((one) => cmp("==", "status", one))), ["status"])).toBe("same");
  });

  test("a witness contains the values that decide", () => {
    const found = compareRules(mine, or(mine, cmp("==", "status", "sold")), typesWith());
    expect(found).toMatchObject({
      kind: "looser",
      witness: { context: { rows: { record: { values: { status: "sold" } } } } },
    });
  });
});

describe("free values", () => {
  const product: Expression = {
    kind: "operation",
    type: { kind: "int" },
    operator: "*",
    args: [f("price"), f("price")],
  };
  const large = op(">", product, lit(10, { kind: "int" }));
  const starts = op("startsWith", f("title"), lit("a", text));
  const commented: Expression = {
    kind: "each",
    type: bool,
    quantifier: "exists",
    row: "record",
    path: [],
    relation: "comments",
    entity: "comment",
    variable: "c",
    condition: op("==", f("author_id", "c"), me),
  };
  const member: Expression = { kind: "member", type: bool, organization: f("owner_id"), role: null };
  const shopOpen: Expression = { kind: "field", type: bool, row: "record", path: ["shop_id", "open"] };

  test("are the same on both sides, so a tighter rule is proven", () => {
    for (const part of [large, starts, commented, member, shopOpen]) {
      expect(verdict(part, and(part, cmp("==", "status", "sold")))).toBe("tighter");
      expect(verdict(or(part, cmp("==", "status", "sold")), part)).toBe("tighter");
      expect(verdict(or(part, not(part)), or(not(part), part))).toBe("same");
    }
  });

  test("may have another variable in `each`", () => {
    const renamed: Expression = {
      ...commented,
      variable: "d",
      condition: op("==", f("author_id", "d"), me),
    } as Expression;
    expect(verdict(commented, renamed)).toBe("same");
  });

  test("don't prevent a witness that doesn't depend on them", () => {
    for (const part of [large, starts, commented, member, shopOpen]) {
      expect(verdict(part, or(part, cmp("==", "status", "sold")))).toBe("looser");
    }
  });

  test("are undecided, never safe, if no witness can be built", () => {
    expect(verdict(commented, yes)).toBe("looser");
    expect(verdict(member, yes)).toBe("looser");
    expect(verdict(null, member)).toBe("looser");
    expect(verdict(shopOpen, yes)).toBe("looser");
    expect(verdict(no, shopOpen)).toBe("looser");
    expect(verdict(no, starts)).toBe("looser");
    expect(verdict(null, commented)).toBe("undecided");
    expect(verdict(op(">", product, lit(20, { kind: "int" })), large)).toBe("undecided");
  });

  test("are undecided beyond the budget", () => {
    const many = Array.from({ length: 90 }, (_, i) => op("==", f(`t${i}`), lit("x", text)));
    const all = and(...many);
    expect(compareRules(all, or(all, and(...many.slice(1))), typesWith())).toEqual({
      kind: "undecided",
      because: "budget",
    });
    const spent = createBudget(0);
    expect(compareRules(mine, yes, typesWith(), spent)).toEqual({ kind: "undecided", because: "budget" });
  });

  test("need no search if the structure decides, however many there are", () => {
    const many = Array.from({ length: 90 }, (_, i) => op("==", f(`t${i}`), lit("x", text)));
    expect(findLoosening(or(...many), and(...many), typesWith())).toBeNull();
    expect(findLoosening(and(...many), and(...many, mine), typesWith())).toBeNull();
  });
});

/** Values to try for a field: more than any rule below can distinguish. */
const ids = ["1", "2", "3", "4"].map((digit) => `0190f3a1-0000-7000-8000-00000000000${digit}`);
const letters = ["\u0001", "a", "b"];
const words = [
  "",
  ...letters,
  ...letters.flatMap((a) => letters.flatMap((b) => [a + b, ...letters.map((c) => a + b + c)])),
];
const tried: Readonly<Record<string, readonly Value[]>> = {
  status: [...statuses, null],
  price: [-1, 0, 1, 2, 3, 4, 5, null],
  fee: [...Array.from({ length: 81 }, (_, i) => ((i - 10) / 10).toFixed(1)), null],
  published: [true, false, null],
  title: [...words, null],
  brand: [...words, null],
  owner_id: [...ids, null],
  seller_id: [...ids, null],
};

const compared = fc.constantFrom<Comparison>("==", "!=", "<", "<=", ">", ">=");
const equality = fc.constantFrom<Comparison>("==", "!=");
const aField = (...names: string[]): fc.Arbitrary<Expression> => fc.constantFrom(...names).map((name) => f(name));
const atom: fc.Arbitrary<Expression> = fc.oneof(
  fc.tuple(equality, fc.constantFrom(...statuses)).map(([o, value]) => cmp(o, "status", value)),
  fc.subarray(statuses, { minLength: 1 }).map((values) =>
    op("in", f("status"), {
      kind: "list",
      type: { kind: "list", of: text },
      items: values.map((one) => lit(one, text)),
    }),
  ),
  fc.tuple(compared, fc.integer({ min: 0, max: 4 })).map(([o, value]) => cmp(o, "price", value)),
  fc.tuple(compared, fc.constantFrom("0", "0.5", "2", "2.1", "2.2")).map(([o, value]) => cmp(o, "fee", value)),
  compared.map((o) => op(o, f("price"), f("fee"))),
  fc.tuple(compared, fc.constantFrom("", "a", "b", "ab", "a\u0001")).map(([o, value]) => cmp(o, "title", value)),
  compared.map((o) => op(o, f("title"), f("brand"))),
  aField("published"),
  fc.tuple(equality, aField("owner_id", "seller_id")).map(([o, field]) => op(o, field, me)),
  equality.map((o) => op(o, f("owner_id"), f("seller_id"))),
  fc
    .tuple(equality, aField("status", "price", "owner_id", "published", "title"))
    .map(([o, field]) => op(o, field, nil)),
  fc.constantFrom("user", "support", "admin").map(is),
  fc.constant(op("==", me, nil)),
);
const rule: fc.Arbitrary<Expression> = fc.letrec<{ rule: Expression }>((tie) => ({
  rule: fc.oneof(
    { maxDepth: 3, depthIdentifier: "rule" },
    { weight: 4, arbitrary: atom },
    { weight: 3, arbitrary: fc.tuple(tie("rule"), tie("rule")).map(([a, b]) => and(a, b)) },
    { weight: 3, arbitrary: fc.tuple(tie("rule"), tie("rule")).map(([a, b]) => or(a, b)) },
    { weight: 1, arbitrary: tie("rule").map(not) },
    { weight: 1, arbitrary: fc.tuple(tie("rule"), tie("rule"), tie("rule")).map(([a, b, c]) => op("?:", a, b, c)) },
  ),
})).rule;

function namesIn(one: Expression): string[] {
  if (one.kind === "field") return [...one.path];
  return one.kind === "operation" ? one.args.flatMap(namesIn) : [];
}

/** All possible callers: a key with at most one role, a user with any roles. */
const callers: readonly EvaluationContext["user"][] = [
  ...[[], ["user"], ["support"], ["admin"]].map((held) => ({ id: null, email: null, roles: ["public", ...held] })),
  ...ids.slice(0, 3).flatMap((id) =>
    [[], ["support"], ["admin"], ["support", "admin"]].map((held) => ({
      id,
      email: "a@b.c",
      roles: ["public", "user", "owner", ...held],
    })),
  ),
];

function* contexts(names: readonly string[], roleMatters: boolean): Generator<EvaluationContext> {
  const rows: Record<string, Value>[] = [{}];
  let all: Record<string, Value>[] = rows;
  for (const name of names) all = all.flatMap((row) => (tried[name] ?? []).map((value) => ({ ...row, [name]: value })));
  for (const values of all) {
    for (const user of roleMatters ? callers : callers.slice(0, 1)) yield { rows: { record: { values } }, user };
  }
}

function truth(before: Expression, after: Expression): RuleComparison["kind"] {
  const names = [...new Set([...namesIn(before), ...namesIn(after)])];
  const roleMatters = JSON.stringify([before, after]).includes('"kind":"user"');
  let tighter = false;
  for (const context of contexts(names, roleMatters)) {
    const [was, now] = [evaluate(before, context) === true, evaluate(after, context) === true];
    if (now && !was) return "looser";
    if (was && !now) tighter = true;
  }
  return tighter ? "tighter" : "same";
}

function sizeOf(before: Expression, after: Expression): number {
  const names = [...new Set([...namesIn(before), ...namesIn(after)])];
  return names.reduce((size, name) => size * (tried[name]?.length ?? 1), 16);
}

test("property: the result is the same as that of trying all values", { timeout: 120_000 }, () => {
  const counts: Record<string, number> = {};
  const costs: number[] = [];
  const pair = fc.oneof(
    fc.tuple(rule, rule),
    fc.tuple(rule, atom).map(([one, more]): [Expression, Expression] => [one, and(one, more)]),
    fc.tuple(rule, atom).map(([one, more]): [Expression, Expression] => [one, or(one, more)]),
    fc.tuple(rule, rule).map(([a, b]): [Expression, Expression] => [not(and(a, b)), or(not(b), not(a))]),
  );
  fc.assert(
    fc.property(pair, ([before, after]) => {
      fc.pre(sizeOf(before, after) < 30_000);
      const expected = truth(before, after);
      const budget = createBudget();
      const found = compareRules(before, after, typesWith(), budget);
      costs.push(DIFF_WORK_MAX - budget.left());
      counts[found.kind] = (counts[found.kind] ?? 0) + 1;
      expect(found.kind).toBe(expected);
      if (found.kind !== "looser") return;
      expect(evaluate(before, found.witness.context)).not.toBe(true);
      expect(evaluate(after, found.witness.context)).toBe(true);
    }),
    { numRuns: 600, seed: 20260131 },
  );
  costs.sort((a, b) => a - b);
  const [median, most] = [costs[Math.floor(costs.length / 2)] ?? 0, costs.at(-1) ?? 0];
  console.info("compared with all values:", counts, { median, most, of: COMPARISON_WORK_MAX });
  expect(most).toBeLessThan(COMPARISON_WORK_MAX / 10);
});
