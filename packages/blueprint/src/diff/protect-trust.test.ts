// Values that rules trust: those that the service sets, and those made from hidden values. If a change of them can give
// access, it is looser and touches the protected core; the reverse change is not.
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import type { Model } from "../model/model.ts";
import { diffModels } from "./diff.ts";
import { protect } from "./protect.ts";

function modelOf(text: string): Model {
  const { model, diagnostics } = checkBlueprint(text);
  if (model === null) throw new Error(JSON.stringify(diagnostics.filter((one) => one.severity === "error")));
  return model;
}

interface Parts {
  readonly profile?: readonly string[];
  readonly fields?: readonly string[];
  readonly transitions?: string;
  readonly permissions: readonly string[];
  readonly more?: string;
}

function blueprintOf({ profile = [], fields = [], transitions = "", permissions, more = "" }: Parts): string {
  const lines = (list: readonly string[], indent: string): string => list.map((one) => `${indent}${one}\n`).join("");
  return [
    "project: trust-desk\nmodules: [auth, users, roles]\nroles: { support: {} }\n",
    profile.length === 0 ? "" : `users:\n  fields:\n${lines(profile, "    ")}`,
    `entities:\n  report:\n    fields:\n      title: string?\n${lines(fields, "      ")}`,
    transitions,
    `    permissions:\n${lines(permissions, "      ")}`,
    more,
  ].join("");
}

const goldReads = ["user: { read: current_user.tier == gold, create: true }"];
const publicReadsActive = ["user: { create: true }", "public: { read: status == active }"];
const withStatus = (value: string): Parts => ({
  fields: [`status: "enum[draft, active] = ${value}"`],
  permissions: publicReadsActive,
});
const profileOf = (field: string, rule: string): Parts => ({
  profile: [field],
  permissions: [`user: { read: ${JSON.stringify(rule)}, create: true }`],
});
const forced = (value: string | null): Parts => ({
  fields: ['status: "enum[draft, active] readonly = draft"'],
  permissions: [
    `user: { create: ${value === null ? "true" : `{ allow: true, set: { status: ${value} } }`} }`,
    "public: { read: status == active }",
  ],
});

describe("a value that a rule trusts", () => {
  test.each<[string, Parts, Parts]>([
    [
      "a read-only value of the profile",
      { profile: ['tier: "enum[free, gold] readonly = free"'], permissions: goldReads },
      { profile: ['tier: "enum[free, gold] readonly = gold"'], permissions: goldReads },
    ],
    [
      "a read-only bool",
      profileOf("vip: bool readonly = false", "current_user.vip"),
      profileOf("vip: bool readonly = true", "current_user.vip"),
    ],
    [
      "a read-only time that is there from now on",
      profileOf('approved_at: "datetime? readonly"', "current_user.approved_at != null"),
      profileOf('approved_at: "datetime? readonly = now"', "current_user.approved_at != null"),
    ],
    ["the default of a state that the public reads", withStatus("draft"), withStatus("active")],
    ["a value that a grant begins to force", forced(null), forced("active")],
    ["a read-only field of the record", trusted("hidden = true"), trusted("hidden = false")],
  ])("%s: looser with a witness, and the change back is not", (_, before, after) => {
    const [was, is] = [modelOf(blueprintOf(before)), modelOf(blueprintOf(after))];
    const looser = diffModels(was, is).filter((one) => one.classes.includes("loosens_access"));
    expect(looser.map((one) => one.witness?.decided)).toEqual([true]);
    expect(protect(was, is, "ai").map((one) => one.outcome)).toContain("refused");
    const back = diffModels(is, was).filter((one) => one.classes.includes("loosens_access"));
    // A value that is no longer forced can be chosen again, which is a separate loosening.
    expect(back.filter((one) => one.kind === "default_changed")).toEqual([]);
  });

  function trusted(fallback: string): Parts {
    const [name, value] = fallback.split(" = ");
    return { fields: [`${name}: bool readonly = ${value}`], permissions: ["user: { read: '!hidden', create: true }"] };
  }

  test("loosens nothing if it is a default that no rule reads", () => {
    const of = (value: string): Model =>
      modelOf(blueprintOf({ fields: [`note: string = "${value}"`], permissions: publicReads }));
    const publicReads = ["public: { read: true }", "user: { create: true }"];
    expect(diffModels(of("a"), of("b")).map((one) => one.classes)).toEqual([["safe"]]);
    expect(protect(of("a"), of("b"), "ai")).toEqual([]);
  });

  test("can't be decided if a rule reads it through a reference, and counts as looser", () => {
    const more = (value: string): string =>
      `  note:\n    fields:\n      report_id: ref(report)\n    permissions:\n      public: { read: report.open }\n` +
      `      user: { create: true }\n#${value}`;
    const of = (value: string): Model =>
      modelOf(
        blueprintOf({
          fields: [`open: bool readonly = ${value}`],
          permissions: ["user: { create: true }"],
          more: more(value),
        }),
      );
    const [change] = diffModels(of("false"), of("true"));
    expect(change).toMatchObject({ kind: "default_changed", classes: ["loosens_access"], witness: { decided: false } });
  });
});

describe("a computed field over fields that its readers can't read", () => {
  const salary = 'salary: "int? internal"';
  const open = ["public: { read: true }", "user: { create: true }"];
  const of = (fields: readonly string[], permissions: readonly string[] = open): Model =>
    modelOf(blueprintOf({ fields: ["bonus: int?", ...fields], permissions }));
  const narrow = ["public: { read: { allow: true, fields: [title, high] } }", "user: { create: true }"];

  test.each<[string, Model, Model]>([
    ["added", of([salary]), of([salary, 'high: "computed(salary > 10)"'])],
    ["added together with what it reads", of([]), of([salary, 'high: "computed(salary > 10)"'])],
    ["changed", of([salary, 'high: "computed(bonus > 10)"']), of([salary, 'high: "computed(salary > 10)"'])],
    [
      "over a field that becomes internal",
      of(["salary: int?", 'high: "computed(salary > 10)"']),
      of([salary, 'high: "computed(salary > 10)"']),
    ],
    [
      "over a field that becomes pii",
      of(["salary: int?", 'high: "computed(salary > 10)"']),
      of(['salary: "int? pii"', 'high: "computed(salary > 10)"']),
    ],
    ["over pii", of(['salary: "int? pii"']), of(['salary: "int? pii"', 'high: "computed(salary > 10)"'])],
    [
      "by way of another computed field",
      of([salary, 'low: "computed(bonus > 1)"', 'high: "computed(!low)"'], narrow),
      of([salary, 'low: "computed(salary > 1)"', 'high: "computed(!low)"'], narrow),
    ],
    [
      "over a field that the reader has no grant for",
      of(
        ["salary: int?", 'high: "computed(bonus > 10)"'],
        ["public: { read: { allow: true, fields: [title, bonus, high] } }", "user: { create: true }"],
      ),
      of(
        ["salary: int?", 'high: "computed(salary > 10)"'],
        ["public: { read: { allow: true, fields: [title, bonus, high] } }", "user: { create: true }"],
      ),
    ],
  ])("%s", (_, before, after) => {
    const looser = diffModels(before, after).filter((one) => one.classes.includes("loosens_access"));
    expect(looser.length).toBeGreaterThan(0);
    for (const one of looser) expect(one.witness).toBeDefined();
    expect(protect(before, after, "ai").map((one) => one.rule)).toContain("computed");
  });

  test.each<[string, Model, Model]>([
    ["over what everybody reads", of([]), of(['high: "computed(bonus > 10)"'])],
    ["over a new field that they read too", of([]), of(["pay: int?", 'high: "computed(pay > 10)"'])],
    ["that goes", of([salary, 'high: "computed(salary > 10)"']), of([salary])],
  ])("%s: not looser", (_, before, after) => {
    expect(diffModels(before, after).filter((one) => one.classes.includes("loosens_access"))).toEqual([]);
    expect(protect(before, after, "ai")).toEqual([]);
  });
});
