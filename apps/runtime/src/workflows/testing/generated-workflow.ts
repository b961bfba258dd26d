// Random workflows. In: a seed. Out: a plan of one workflow with the workers that it calls, what happens to each of its
// calls, waits and approvals, and the same plan as the bundle's definitions. A plan contains everything that its end
// depends on.
import type { BundleStep, BundleWorkflow, StepAction, Template } from "@plinth/bundle";
import type { Expression } from "@plinth/expression";
import { Random } from "@plinth/testkit";
import { stepOf, workflowOf } from "./work-cell.ts";

/** The trouble of a call. `times`: how often it fails before it succeeds; null for always. */
export interface Trouble {
  readonly how: "none" | "busy" | "slow_down" | "lost" | "late" | "unheard" | "refused";
  readonly times: number | null;
}

export type PlannedAction =
  | { readonly kind: "note"; readonly of: string | null }
  /** On the ticket: the last one stays. */
  | { readonly kind: "mark" }
  | { readonly kind: "erase"; readonly of: string }
  | { readonly kind: "invalid" }
  | { readonly kind: "find"; readonly exists: boolean }
  | { readonly kind: "audit" }
  | { readonly kind: "emit" }
  | { readonly kind: "call"; readonly trouble: Trouble; readonly repeat: "idempotent" | "unsafe" }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "wait_for"; readonly comes: "before" | "after" | "never" }
  /** `none`: until the step's timeout. `never`: until the run's. `cancel`: the run is cancelled instead. */
  | {
      readonly kind: "approve";
      readonly answer: "yes" | "no" | "none" | "never" | "cancel";
      readonly onReject: "fail" | "continue";
    }
  | { readonly kind: "worker"; readonly worker: Plan };

export type Condition =
  | { readonly kind: "constant"; readonly holds: boolean }
  /** Whether an earlier step has returned its own text. */
  | { readonly kind: "has_run"; readonly step: string };

export interface PlannedStep {
  readonly id: string;
  readonly action: PlannedAction;
  readonly if: Condition | null;
  /** Members; null if it runs once. */
  readonly members: readonly string[] | null;
  /** The position of the member whose call is refused; null for none. */
  readonly brokenMember: number | null;
  readonly delayMs: number | null;
  readonly attempts: number;
  readonly onError: "fail" | "continue" | readonly PlannedStep[];
  readonly compensate: readonly PlannedStep[];
}

export interface Plan {
  /** The name of its workflow, of its ticket, and of all its effects. */
  readonly name: string;
  readonly steps: readonly PlannedStep[];
  readonly timeoutMs: number | null;
}

export const refused: Trouble = { how: "refused", times: null };

/** Deaths of one plan's processes: a death costs a call one of its attempts. */
export const DEATHS_MAX = 4;
const CALL_TIMEOUT_MS = 250;
const HOUR_MS = 3_600_000;
/** Longer than the sum of a step's own waits. */
const RUN_TIMEOUT_MS = 10_000 * HOUR_MS;

export function planOf(name: string, seed: number): Plan {
  const random = new Random(seed);
  const timeoutMs = random.chance(0.3) ? RUN_TIMEOUT_MS : null;
  let ids = 0;
  let workers = 0;
  /** Calls with trouble take real time. */
  let slow = 0;

  interface Place {
    /** The earlier steps. */
    readonly before: readonly string[];
    readonly depth: number;
    /** In the plan's own list of steps: nested steps can't be compensated. */
    readonly isTop: boolean;
    readonly inWorker: boolean;
    readonly isMember: boolean;
    readonly mayFail: boolean;
    readonly isUndoing: boolean;
  }

  function steps(count: number, place: Place): PlannedStep[] {
    const planned: PlannedStep[] = [];
    for (let at = 0; at < count; at++) {
      planned.push(step({ ...place, before: [...place.before, ...planned.map(({ id }) => id)] }));
    }
    return planned;
  }

  function step(place: Place): PlannedStep {
    ids++;
    const id = `s${ids}`;
    const { before, depth } = place;
    const members = random.chance(0.2) ? Array.from({ length: random.whole(0, 4) }, (_, at) => `m${at}`) : null;
    const mayFail = place.mayFail && members === null;
    const chosen = chooseAction({ ...place, isMember: members !== null, mayFail });
    const mayBreak = place.mayFail && chosen.kind === "call" && members !== null && members.length > 0;
    const fails = mayFail && random.chance(0.6);
    const inner = { ...place, depth: depth + 1, isTop: false, isMember: false, mayFail: depth < 1 };
    const takesBack = place.isTop && random.chance(0.45);
    return {
      id,
      action: chosen,
      if: random.chance(0.2) ? condition(before) : null,
      members,
      brokenMember: mayBreak && random.chance(0.5) ? random.whole(0, members.length - 1) : null,
      delayMs: random.chance(0.1) ? random.whole(1, 60) * 60_000 : null,
      attempts: attemptsOf(chosen),
      onError: !fails ? "fail" : random.chance(0.5) ? "continue" : steps(random.whole(1, 2), inner),
      compensate: takesBack ? undo(id, chosen, members !== null, place.inWorker) : [],
    };
  }

  function condition(before: readonly string[]): Condition {
    if (before.length > 0 && random.chance(0.6)) return { kind: "has_run", step: random.pick(before) };
    return { kind: "constant", holds: random.chance(0.5) };
  }

  function chooseAction({ before, depth, inWorker, isMember, mayFail, isUndoing }: Place): PlannedAction {
    const roll = random.next();
    if (roll < 0.25)
      return { kind: "note", of: !isMember && before.length > 0 && random.chance(0.5) ? random.pick(before) : null };
    if (roll < 0.5) return call(mayFail, isUndoing);
    if (roll < 0.55 && !inWorker) return { kind: "mark" };
    if (roll < 0.6) return { kind: "audit" };
    if (roll < 0.65) return { kind: "emit" };
    if (roll < 0.69) return { kind: "find", exists: random.chance(0.5) };
    if (roll < 0.74) return { kind: "wait", ms: random.whole(1, 60) * 60_000 };
    if (mayFail && roll < 0.8) return { kind: "invalid" };
    if (roll < 0.86 && !isMember && !isUndoing) {
      return { kind: "wait_for", comes: random.pick(["before", "after", "never"]) };
    }
    if (roll < 0.92 && mayFail && !isUndoing) {
      const answers: ("yes" | "no" | "none" | "never" | "cancel")[] = ["yes", "yes", "no", "none"];
      if (!inWorker) answers.push("cancel");
      if (!inWorker && timeoutMs !== null) answers.push("never");
      const answer = random.pick(answers);
      return { kind: "approve", answer, onReject: random.chance(0.5) ? "fail" : "continue" };
    }
    if (depth === 0 && workers < 2 && !isUndoing) return worker(mayFail);
    return { kind: "note", of: null };
  }

  function call(mayFail: boolean, isUndoing: boolean): PlannedAction {
    const calm: Trouble = { how: "none", times: 0 };
    const repeat = mayFail && !isUndoing && random.chance(0.2) ? "unsafe" : "idempotent";
    if (random.chance(0.4)) return { kind: "call", trouble: calm, repeat };
    const hows: Trouble["how"][] = ["busy", "slow_down", "lost", "unheard"];
    if (slow++ < 1) hows.push("late");
    if (mayFail) hows.push("refused");
    const how = random.pick(hows);
    const times = how === "refused" || (mayFail && how !== "late" && random.chance(0.3)) ? null : random.whole(1, 2);
    return { kind: "call", trouble: { how, times }, repeat };
  }

  function worker(mayFail: boolean): PlannedAction {
    workers++;
    const place = { before: [], depth: 1, isTop: true, inWorker: true, isMember: false, mayFail, isUndoing: false };
    return {
      kind: "worker",
      worker: { name: `${name}w${workers}`, steps: steps(random.whole(1, 3), place), timeoutMs: null },
    };
  }

  function undo(id: string, undone: PlannedAction, isList: boolean, inWorker: boolean): PlannedStep[] {
    const plain = (action: PlannedAction): PlannedStep => ({
      id: `u${++ids}`,
      action,
      if: null,
      members: null,
      brokenMember: null,
      delayMs: null,
      attempts: attemptsOf(action),
      onError: "fail",
      compensate: [],
    });
    const erased = undone.kind === "note" && !isList ? [plain({ kind: "erase", of: id })] : [];
    const mayFail = random.chance(0.2);
    const place = { before: [], depth: 2, isTop: false, inWorker, isMember: false, mayFail, isUndoing: true };
    return [...erased, ...steps(random.whole(erased.length === 0 ? 1 : 0, 2), place)];
  }

  const top = { before: [], depth: 0, isTop: true, inWorker: false, isMember: false, mayFail: true, isUndoing: false };
  return { name, steps: steps(random.whole(2, 7), top), timeoutMs };
}

/** A call that can succeed does: attempts that deaths cost must not make the difference. */
function attemptsOf(action: PlannedAction): number {
  if (action.kind !== "call") return 3;
  return action.trouble.times === null ? 2 : action.trouble.times + DEATHS_MAX + 1;
}

/** The plan's own workflow, and one for each worker that it calls. */
export function definitionsOf(plan: Plan, serviceUrl: string): readonly BundleWorkflow[] {
  const on = { on: ["ticket.created"], entity: "ticket", when: equal(field("title"), plan.name) };
  return definitions(plan, serviceUrl, workflowOf({ name: plan.name, timeoutMs: plan.timeoutMs, steps: [], ...on }));
}

function definitions(plan: Plan, url: string, empty: BundleWorkflow): readonly BundleWorkflow[] {
  const workers = workersOf(plan.steps).flatMap((worker) =>
    definitions(worker, url, workflowOf({ name: worker.name, kind: "worker", on: [], steps: [] })),
  );
  return [{ ...empty, steps: plan.steps.map((step) => bundled(step, plan.name, url)) }, ...workers];
}

function workersOf(steps: readonly PlannedStep[]): readonly Plan[] {
  return steps.flatMap(({ action, onError, compensate }) => [
    ...(action.kind === "worker" ? [action.worker] : []),
    ...(typeof onError === "string" ? [] : workersOf(onError)),
    ...workersOf(compensate),
  ]);
}

function bundled(step: PlannedStep, plan: string, url: string): BundleStep {
  const nested = (steps: readonly PlannedStep[]): BundleStep[] => steps.map((each) => bundled(each, plan, url));
  const { onError, members } = step;
  return stepOf(step.id, actionOf(step, plan, url), {
    if: step.if === null ? null : conditionOf(step.if, plan),
    forEach: members === null ? null : { items: { kind: "literal", value: members }, parallelMax: 1 },
    delayMs: step.delayMs,
    retry: { attempts: step.attempts, backoff: "exponential", delayMs: 1_000, delayMsMax: 60_000 },
    timeoutMs: CALL_TIMEOUT_MS,
    onError: typeof onError === "string" ? { kind: onError } : { kind: "steps", steps: nested(onError) },
    compensate: nested(step.compensate),
  });
}

/** A step's effects are named after it, and after its member. */
export function labelOf(plan: string, step: PlannedStep, member: string | null): string {
  return step.members === null ? `${plan}-${step.id}` : `${plan}-${step.id}-${member ?? ""}`;
}

function actionOf(step: PlannedStep, plan: string, url: string): StepAction {
  const { action, members } = step;
  const label: Template =
    members === null ? literal(`${plan}-${step.id}`) : { kind: "text", parts: [`${plan}-${step.id}-`, value("each")] };
  const key = literal(`${plan}-${step.id}`);
  switch (action.kind) {
    case "note": {
      const text: Template =
        action.of === null
          ? label
          : { kind: "text", parts: [`${plan}-${step.id}:`, value("steps", action.of, "text")] };
      return { kind: "record.create", entity: "note", values: { owner: literal(plan), text } };
    }
    case "mark":
      return {
        kind: "record.update",
        entity: "ticket",
        id: { kind: "value", expression: field("id") },
        values: { mark: label },
      };
    case "erase":
      return {
        kind: "record.delete",
        entity: "note",
        id: { kind: "value", expression: value("steps", action.of, "id") },
      };
    case "invalid":
      return { kind: "record.create", entity: "note", values: { owner: literal(plan), text: literal(7) } };
    case "find":
      return {
        kind: "record.find",
        entity: "ticket",
        where: { title: action.exists ? literal("always") : literal("never") },
        limit: null,
      };
    case "audit":
      return { kind: "audit.write", note: label };
    case "emit":
      return { kind: "event.emit", event: "ping.sent", data: { kind: "object", members: { text: label } } };
    case "call":
      return {
        kind: "http.request",
        method: "POST",
        url: { kind: "text", parts: [`${url}/`, ...(label.kind === "text" ? label.parts : [`${plan}-${step.id}`])] },
        headers: {},
        body: null,
        signed: false,
        repeat: action.repeat,
      };
    case "wait":
      return { kind: "wait", forMs: action.ms };
    case "wait_for":
      return {
        kind: "wait_for",
        event: "signal.created",
        if: equal(field("key"), `${plan}-${step.id}`),
        timeoutMs: action.comes === "never" ? 48 * HOUR_MS : null,
      };
    case "approve":
      return {
        kind: "approve",
        roles: ["admin"],
        bySelf: true,
        onReject: action.onReject,
        message: null,
        timeoutMs: action.answer === "none" ? 48 * HOUR_MS : null,
      };
    case "worker":
      return { kind: "worker.run", worker: action.worker.name, input: key };
  }
}

const text = { kind: "text" } as const;
const literal = (json: string | number): Template => ({ kind: "literal", value: json });
const field = (name: string): Expression => ({ kind: "field", type: text, row: "record", path: [name] });
const value = (root: string, ...path: readonly string[]): Expression => ({ kind: "value", type: text, root, path });

function equal(one: Expression, other: string): Expression {
  return {
    kind: "operation",
    type: { kind: "bool" },
    operator: "==",
    args: [one, { kind: "literal", type: text, value: other }],
  };
}

function conditionOf(condition: Condition, plan: string): Expression {
  if (condition.kind === "constant") return { kind: "literal", type: { kind: "bool" }, value: condition.holds };
  return equal(value("steps", condition.step, "text"), `${plan}-${condition.step}`);
}
