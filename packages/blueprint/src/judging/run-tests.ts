// Runs the tests of a model. In: the model. Out: for each expectation whether it is true and why not, and which
// branches of the permission rules the tests have decided both ways. It runs in memory, without a database, a clock or
// randomness.
import { type Expression, evaluate, explain, partsOf } from "@plinth/expression";
import type { Entity, Expectation, Model, Operation, Permission } from "../model/model.ts";
import { type Judged, judge, type Question, type Verdict } from "./judge.ts";
import { type World, type WorldRow, worldOf } from "./world.ts";

/**
 * The maximum number of rule nodes that one run evaluates, counted for every row; later tests are skipped. So the time
 * is limited for a blueprint of any size.
 */
const NODES_MAX = 1_000_000;

export interface TestReport {
  readonly results: readonly TestResult[];
  readonly coverage: readonly RuleCoverage[];
}

export interface TestResult {
  readonly expectation: Expectation;
  /** `skipped`: the earlier tests have used up the limit of the run. */
  readonly outcome: "passed" | "failed" | "skipped";
  /** Why it failed, for people. Null if it did not. */
  readonly reason: string | null;
  /** The smallest part of a rule that decided against the expectation; a node of the model. */
  readonly culprit: Expression | null;
}

export interface RuleCoverage {
  readonly entity: string;
  readonly permission: Permission;
  /** The alternatives of a rule: the operands of its `||`, or the rule itself. */
  readonly branches: readonly {
    readonly expression: Expression;
    /** Whether a test found it true, and whether a test found it not true. A literal is only ever one of both. */
    readonly held: boolean;
    readonly failed: boolean;
  }[];
}

export function runTests(model: Model): TestReport {
  if (model.tests === null) return { results: [], coverage: [] };
  const world = worldOf(model, model.tests);
  const run: Run = { model, world, seen: new Map(), left: NODES_MAX, costs: new Map(), verdicts: new Map() };
  const results = model.tests.expect.map((expectation) => runOne(expectation, run));
  return { results, coverage: coverageOf(model, run.seen) };
}

interface Run {
  readonly model: Model;
  readonly world: World;
  /** Branch > whether it was found true, and not true; one tree can be in several permissions. */
  readonly seen: Map<Permission, Map<Expression, { held: boolean; failed: boolean }>>;
  /** Caches who can read what, because tests ask this again and again. */
  readonly verdicts: Map<string, Verdict>;
  left: number;
  readonly costs: Map<Expression, number>;
}

function runOne(expectation: Expectation, run: Run): TestResult {
  const entity = run.model.entities.find((one) => one.name === expectation.entity);
  if (entity === undefined) throw new Error(`the model has no entity ${expectation.entity}`);
  if (run.left <= 0) return { expectation, outcome: "skipped", reason: null, culprit: null };
  const wrong = expectation.kind === "list" ? runList(expectation, entity, run) : runAllow(expectation, entity, run);
  if (wrong === null) return { expectation, outcome: "passed", reason: null, culprit: null };
  return { expectation, outcome: "failed", ...wrong };
}

interface Wrong {
  readonly reason: string;
  readonly culprit: Expression | null;
}

function runList(expectation: Extract<Expectation, { kind: "list" }>, entity: Entity, run: Run): Wrong | null {
  let wrong: Wrong | null = null;
  for (const row of run.world.rows) {
    if (row.entity.name !== entity.name || run.left <= 0) continue;
    const verdict = ask({ as: expectation.as, entity, operation: "read", row, input: {} }, run);
    const expected = expectation.sees.includes(row.name);
    if (verdict.allowed === expected || wrong !== null) continue;
    wrong = whyWrong(`${expectation.as} sees ${row.name}`, expected, verdict, { entity, operation: "read" });
  }
  return wrong;
}

function runAllow(expectation: Extract<Expectation, { kind: "allow" }>, entity: Entity, run: Run): Wrong | null {
  const { as, operation, allow } = expectation;
  const row = run.world.rows.find((one) => one.entity.name === entity.name && one.name === expectation.row) ?? null;
  const input = run.world.resolve(entity, expectation.input);
  const verdict = ask({ as, entity, operation, row, input }, run);
  if (verdict.allowed === allow) return null;
  const target = row === null ? entity.name : `${entity.name}.${row.name}`;
  return whyWrong(`${as} can ${operation} ${target}`, allow, verdict, { entity, operation });
}

function ask(question: Question, run: Run): Verdict {
  const key = question.operation === "read" ? keyOf(question.as, question.row) : null;
  const known = key === null ? undefined : run.verdicts.get(key);
  if (known !== undefined) return known;
  const verdict = judge(question, run.world);
  for (const { permission } of verdict.judged) run.left -= costOf(permission.rule, run);
  run.left -= 1;
  if (key !== null) run.verdicts.set(key, verdict);
  // If something else already prevents it, no rule decided anything.
  if (verdict.reason === null) for (const judged of verdict.judged) note(judged, run.seen);
  return verdict;
}

/** A to-many relation can lead to every row. */
function costOf(rule: Expression, run: Run): number {
  const known = run.costs.get(rule);
  if (known !== undefined) return known;
  const parts = partsOf(rule).reduce((sum, part) => sum + costOf(part, run), 1);
  const cost = rule.kind === "each" ? parts * (run.world.rows.length + 1) : parts;
  run.costs.set(rule, cost);
  return cost;
}

function keyOf(as: string, row: WorldRow | null): string {
  return `${as} ${row?.entity.name} ${row?.name}`;
}

function note({ permission, context }: Judged, seen: Run["seen"]): void {
  const branches = seen.get(permission) ?? new Map<Expression, { held: boolean; failed: boolean }>();
  seen.set(permission, branches);
  for (const branch of branchesOf(permission.rule)) {
    const before = branches.get(branch) ?? { held: false, failed: false };
    const holds = evaluate(branch, context) === true;
    branches.set(branch, { held: before.held || holds, failed: before.failed || !holds });
  }
}

/** The operands of the outermost `||`: each is an alternative. */
export function branchesOf(rule: Expression): readonly Expression[] {
  if (rule.kind !== "operation") return [rule];
  if (rule.operator === "||") return rule.args.flatMap(branchesOf);
  if (rule.operator !== "&&") return [rule];
  const parted = rule.args.flatMap((one) => (branchesOf(one).length > 1 ? branchesOf(one) : []));
  return parted.length === 0 ? [rule] : parted;
}

function whyWrong(
  claim: string,
  expected: boolean,
  verdict: Verdict,
  { entity, operation }: { readonly entity: Entity; readonly operation: Operation },
): Wrong {
  if (!expected) {
    const by = verdict.judged.find((one) => one.allowed);
    const role = by?.permission.role ?? "";
    return {
      reason: `Unexpected: ${claim}. The rule of \`${role}\` allows it.`,
      culprit: by?.permission.rule ?? null,
    };
  }
  const not = `Expected: ${claim}`;
  if (verdict.reason !== null) return { reason: `${not}, but ${verdict.reason}.`, culprit: null };
  const [first] = verdict.judged;
  if (first === undefined)
    return { reason: `${not}, but none of their roles has \`${operation}\` on \`${entity.name}\`.`, culprit: null };
  const { culprit, value } = explain(first.permission.rule, first.context);
  const came = value === null ? "unknown" : "not true";
  return { reason: `${not}, but the rule of \`${first.permission.role}\` is ${came}.`, culprit };
}

function coverageOf(model: Model, seen: Run["seen"]): readonly RuleCoverage[] {
  return model.entities.flatMap((entity) =>
    entity.permissions.map((permission) => ({
      entity: entity.name,
      permission,
      branches: branchesOf(permission.rule).map((expression) => ({
        expression,
        ...(seen.get(permission)?.get(expression) ?? { held: false, failed: false }),
      })),
    })),
  );
}
