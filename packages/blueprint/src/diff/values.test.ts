// No change of a value that the service sets gives access silently: generated blueprints, each with one change of a
// default, or of a read-only, forced or computed field; new records from callers under both versions, and the
// operations on them.
import { type EvaluationContext, evaluate, evaluateValue, type Value } from "@plinth/expression";
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import type { Entity, Field, Model, Operation } from "../model/model.ts";
import { diffModels } from "./diff.ts";
import { protect } from "./protect.ts";

interface Parts {
  readonly tier: string;
  readonly tierReadonly: boolean;
  readonly flag: string;
  readonly flagReadonly: boolean;
  readonly plan: string;
  readonly lucky: string;
  readonly forced: string;
  readonly named: string;
  readonly rules: readonly string[];
}

const operations = ["read", "update", "delete"] as const;
const roles = ["public", "user", "support"] as const;

const tier = fc.constantFrom("", " = free", " = gold", " = vip");
const flag = fc.constantFrom("", " = true", " = false");
const lucky = fc.constantFrom("tier == gold", "flag", "tier != null && flag", "tier == vip || flag", "name == null");
const forced = fc.constantFrom("", "tier: gold", "tier: vip", "flag: true", "flag: false", "tier: current_user.plan");
const named = fc.constantFrom("flag", "tier == gold", "lucky", "tier in [gold, vip]");
const atom = fc.constantFrom(
  "tier == gold",
  "tier != free",
  "tier == null",
  "tier in [free, vip]",
  "flag",
  "!flag",
  "flag == null",
  "lucky",
  "!lucky",
  "sample",
  "made_by == current_user.id",
  "current_user.plan == gold",
  "current_user.plan != free",
  "current_user.plan == null",
  "name != null",
);
const rule = fc.oneof(
  atom,
  fc.tuple(atom, atom).map(([a, b]) => `${a} && ${b}`),
  fc.tuple(atom, atom).map(([a, b]) => `${a} || ${b}`),
  fc.tuple(atom, atom).map(([a, b]) => `!(${a} && ${b})`),
  fc.constantFrom("true", "false"),
);
const parts: fc.Arbitrary<Parts> = fc.record({
  tier,
  tierReadonly: fc.boolean(),
  flag,
  flagReadonly: fc.boolean(),
  plan: tier,
  lucky,
  forced,
  named,
  rules: fc.array(rule, { minLength: 9, maxLength: 9 }),
});
/** One part of it is changed. */
const change: fc.Arbitrary<Partial<Parts>> = fc.oneof(
  tier.map((value) => ({ tier: value })),
  tier.map((value) => ({ plan: value })),
  flag.map((value) => ({ flag: value })),
  fc.boolean().map((value) => ({ tierReadonly: value })),
  fc.boolean().map((value) => ({ flagReadonly: value })),
  fc.tuple(tier, fc.boolean()).map(([value, only]) => ({ tier: value, tierReadonly: only })),
  forced.map((value) => ({ forced: value })),
  lucky.map((value) => ({ lucky: value })),
  named.map((value) => ({ named: value })),
);

function blueprintOf(one: Parts): string {
  const grants = roles.map((role, at) => {
    const own = operations.map((operation, index) => `${operation}: ${JSON.stringify(one.rules[at * 3 + index])}`);
    const create =
      role === "public" ? `create: { allow: true${one.forced === "" ? "" : `, set: { ${one.forced} }`} }, ` : "";
    return `      ${role}: { ${create}${own.join(", ")} }\n`;
  });
  return [
    "project: fresh-rows\nmodules: [auth, users, roles]\nroles: { support: {} }\n",
    `rules:\n  sample: ${JSON.stringify(one.named)}\n`,
    `users:\n  fields:\n    plan: "enum[free, gold, vip]? readonly${one.plan}"\n`,
    "entities:\n  report:\n    fields:\n      name: string?\n      made_by: user_ref? = current_user.id\n",
    `      tier: "enum[free, gold, vip]?${one.tierReadonly ? " readonly" : ""}${one.tier}"\n`,
    `      flag: "bool?${one.flagReadonly ? " readonly" : ""}${one.flag}"\n`,
    `      lucky: ${JSON.stringify(`computed(${one.lucky})`)}\n`,
    `    permissions:\n${grants.join("")}`,
  ].join("");
}

function modelOf(one: Parts): Model {
  const { model, diagnostics } = checkBlueprint(blueprintOf(one));
  if (model === null) throw new Error(JSON.stringify(diagnostics.filter(({ severity }) => severity === "error")));
  return model;
}

type Caller = EvaluationContext["user"];

/** People as they are right after they signed up. */
function callersOf(model: Model): readonly Caller[] {
  const profile = Object.fromEntries(model.userFields.map((field) => [field.name, literalOf(field)]));
  const person = (digit: string, held: readonly string[]): Caller => ({
    id: `0190f3a1-0000-7000-8000-00000000000${digit}`,
    email: "a@b.c",
    roles: ["public", "user", "owner", ...held],
    profile,
  });
  return [{ id: null, email: null, roles: ["public"] }, person("1", []), person("2", []), person("3", ["support"])];
}

function literalOf({ default: fallback }: Field): Value {
  return fallback?.kind === "literal" ? (fallback.value as Value) : null;
}

/** The record that the service makes from this input; null if it refuses. */
function created(entity: Entity, input: Readonly<Record<string, Value>>, user: Caller): Record<string, Value> | null {
  const values: Record<string, Value> = {};
  for (const field of entity.fields) {
    values[field.name] = field.default?.kind === "current_user_id" ? user.id : literalOf(field);
  }
  for (const [name, value] of Object.entries(input)) {
    const field = entity.fields.find((one) => one.name === name);
    const [grant] = entity.permissions.filter((one) => one.operation === "create");
    if (grant?.set.some((one) => one.field === name)) continue;
    if (field?.writer !== "caller") return null;
    values[name] = value;
  }
  const [grant] = entity.permissions.filter((one) => one.operation === "create");
  for (const { field, value } of grant?.set ?? []) values[field] = evaluateValue(value, { rows: {}, user });
  return values;
}

function mayDo(entity: Entity, operation: Operation, values: Record<string, Value>, user: Caller): boolean {
  const row = { values };
  const context: EvaluationContext = { rows: { record: row, old: row, new: row }, user };
  return entity.permissions.some(
    (one) => one.operation === operation && user.roles.includes(one.role) && evaluate(one.rule, context) === true,
  );
}

const inputs: readonly Readonly<Record<string, Value>>[] = [
  {},
  { tier: "gold" },
  { tier: "free" },
  { flag: true },
  { name: "x" },
];

function somebodyGains(before: Model, after: Model): string | null {
  const [was, is] = [before.entities[0], after.entities[0]];
  if (was === undefined || is === undefined) throw new Error("there is no entity");
  const [old, now] = [callersOf(before), callersOf(after)];
  for (const [maker, user] of now.entries()) {
    for (const input of inputs) {
      const [record, former] = [created(is, input, user), created(was, input, old[maker] ?? user)];
      if (record === null || former === null) continue;
      for (const [index, reader] of now.entries()) {
        for (const operation of operations) {
          if (!mayDo(is, operation, record, reader)) continue;
          if (!mayDo(was, operation, former, old[index] ?? reader)) return `caller ${index} may ${operation}`;
        }
      }
    }
  }
  return null;
}

test("property: if a value of the service gives somebody access, the change is reported as looser", {
  timeout: 120_000,
}, () => {
  const counts = { changes: 0, gained: 0, "gained and named": 0, "not gained, safe": 0, "not gained, named": 0 };
  fc.assert(
    fc.property(parts, change, (one, other) => {
      const [before, after] = [modelOf(one), modelOf({ ...one, ...other })];
      const changes = diffModels(before, after);
      fc.pre(changes.length > 0);
      counts.changes++;
      const named = changes.some(({ classes }) => classes.includes("loosens_access"));
      const gained = somebodyGains(before, after);
      if (gained !== null) {
        counts.gained++;
        if (named) counts["gained and named"]++;
        expect(named, `${gained}: ${JSON.stringify(other)}`).toBe(true);
        const isValue = !("lucky" in other) && !("named" in other);
        if (isValue) expect(protect(before, after, "ai").length).toBeGreaterThan(0);
      } else counts[named ? "not gained, named" : "not gained, safe"]++;
    }),
    { numRuns: 400, seed: 78 },
  );
  console.info("values that rules trust:", counts);
  expect(counts.gained).toBeGreaterThan(60);
  expect(counts["not gained, safe"]).toBeGreaterThan(60);
});
