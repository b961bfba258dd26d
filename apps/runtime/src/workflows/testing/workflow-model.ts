// The expected end of a plan. In: a plan. Out: the run's end, its steps, and all its effects. A plain walk: it knows
// nothing about rows, claims, parking or time, and was written from the language's description, not from the engine.
import { type Condition, labelOf, type Plan, type PlannedStep, refused } from "./generated-workflow.ts";

export interface Expected {
  readonly status: "completed" | "failed" | "undo_failed" | "cancelled" | "needs_attention";
  readonly code: string | null;
  readonly output: Output;
  readonly left: Left;
  /** `<workflow>: <path>` > status, for steps that have ended. */
  readonly steps: ReadonlyMap<string, string>;
}

/** All sorted. */
export interface Left {
  readonly notes: readonly string[];
  readonly mark: string | null;
  /** Notes that were ever created, and erased. */
  readonly created: readonly string[];
  readonly erased: readonly string[];
  readonly audits: readonly string[];
  readonly events: readonly string[];
  /** Effects at the other service. */
  readonly effects: readonly string[];
}

/** The relevant part of a step's output. `other`: there is one, without a text. */
export type Output = string | { readonly kind: "other" } | null | readonly Output[];

type Ending =
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly code: string }
  | { readonly kind: "attention" };

class Stopped extends Error {
  readonly how: "cancelled" | "timeout";

  constructor(how: "cancelled" | "timeout") {
    super(how);
    this.how = how;
  }
}

const done: Ending = { kind: "done" };
const failed = (code: string): Ending => ({ kind: "failed", code });

interface World {
  /** Number > text. */
  readonly notes: Map<number, string>;
  readonly created: string[];
  readonly erased: string[];
  readonly audits: string[];
  readonly events: string[];
  readonly effects: string[];
  readonly steps: Map<string, string>;
  mark: string | null;
  /** Unsafe calls whose process died meanwhile. */
  readonly unknown: ReadonlySet<string>;
}

/** @param unknown Labels of unsafe calls that may or may not have been made, because their process died. */
export function expect(plan: Plan, unknown: ReadonlySet<string>): Expected {
  const world: World = {
    notes: new Map(),
    created: [],
    erased: [],
    audits: [],
    events: [],
    effects: [],
    steps: new Map(),
    mark: null,
    unknown,
  };
  const { status, code, output } = new ModelRun(plan, world).end();
  const { notes, created, erased, audits, events, effects, mark, steps } = world;
  const left = {
    notes: [...notes.values()].sort(),
    mark,
    created: created.sort(),
    erased: erased.sort(),
    audits: audits.sort(),
    events: events.sort(),
    effects: effects.sort(),
  };
  return { status, code, output, left, steps };
}

class ModelRun {
  readonly #plan: Plan;
  readonly #world: World;
  readonly #outputs = new Map<string, Output>();
  /** Steps that can be compensated: completed ones, and lists with a completed member. */
  readonly #completed = new Set<string>();
  /** Step > the note that it has created. */
  readonly #notes = new Map<string, number>();

  constructor(plan: Plan, world: World) {
    this.#plan = plan;
    this.#world = world;
  }

  end(): Pick<Expected, "status" | "code" | "output"> {
    const { steps } = this.#plan;
    let status: Expected["status"] = "completed";
    let code: string | null = null;
    try {
      const ending = this.#walk(steps, "");
      if (ending.kind === "attention") return { status: "needs_attention", code: "no_answer", output: null };
      if (ending.kind === "failed") [status, code] = ["failed", ending.code];
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      [status, code] = error.how === "cancelled" ? ["cancelled", null] : ["failed", "timeout"];
    }
    if (status === "completed") return { status, code, output: this.#outputs.get(steps.at(-1)?.id ?? "") ?? null };
    for (const step of [...steps].reverse()) {
      const undone = this.#completed.has(step.id) ? this.#walk(step.compensate, `${step.id}/compensate/`) : done;
      if (undone.kind === "failed" && status !== "undo_failed") [status, code] = ["undo_failed", undone.code];
    }
    return { status, code, output: null };
  }

  #walk(steps: readonly PlannedStep[], prefix: string): Ending {
    for (const step of steps) {
      const ending = this.#step(step, `${prefix}${step.id}`);
      if (ending.kind !== "done") return ending;
    }
    return done;
  }

  #step(step: PlannedStep, path: string): Ending {
    if (step.if !== null && !this.#holds(step.if)) {
      this.#note(path, "skipped");
      return done;
    }
    if (step.members === null) {
      const { ending, output } = this.#once(step, path, null);
      if (output !== undefined) {
        this.#outputs.set(step.id, output);
        this.#completed.add(step.id);
      }
      return ending;
    }
    const outputs: Output[] = [];
    for (const [at, member] of step.members.entries()) {
      const { ending, output } = this.#once(memberOf(step, at), `${path}/${at}`, member);
      if (ending.kind !== "done") return ending;
      if (output !== undefined) this.#completed.add(step.id);
      outputs.push(output ?? null);
    }
    this.#note(path, "completed");
    this.#completed.add(step.id);
    this.#outputs.set(step.id, outputs);
    return done;
  }

  /** `output` undefined: it did not complete. */
  #once(step: PlannedStep, path: string, member: string | null): { ending: Ending; output?: Output } {
    const result = this.#perform(step, labelOf(this.#plan.name, step, member));
    if (result === "attention") {
      this.#note(path, "started");
      return { ending: { kind: "attention" } };
    }
    if ("output" in result) {
      this.#note(path, "completed");
      return { ending: done, output: result.output };
    }
    this.#note(path, "failed");
    if (step.onError === "fail") return { ending: failed(result.code) };
    if (step.onError === "continue") return { ending: done };
    return { ending: this.#walk(step.onError, `${path}/on_error/`) };
  }

  #perform(step: PlannedStep, label: string): { readonly output: Output } | { readonly code: string } | "attention" {
    const { action } = step;
    const world = this.#world;
    switch (action.kind) {
      case "note": {
        const text =
          action.of === null ? label : `${this.#plan.name}-${step.id}:${textOf(this.#outputs.get(action.of))}`;
        world.notes.set(world.created.push(text), text);
        this.#notes.set(step.id, world.created.length);
        return { output: text };
      }
      case "mark":
        world.mark = label;
        return { output: other };
      case "erase": {
        const note = this.#notes.get(action.of) ?? 0;
        world.erased.push(world.notes.get(note) ?? "");
        world.notes.delete(note);
        return { output: other };
      }
      case "invalid":
        return { code: "validation_failed" };
      case "find":
        return { output: action.exists ? other : null };
      case "audit":
        world.audits.push(label);
        return { output: null };
      case "emit":
        world.events.push(label);
        return { output: label };
      case "call":
        return this.#call(action, label);
      case "wait":
        return { output: null };
      case "wait_for":
        return { output: action.comes === "never" ? null : other };
      case "approve":
        return approval(action);
      case "worker": {
        const { status, code, output } = new ModelRun(action.worker, world).end();
        return status === "completed" ? { output } : { code: code ?? status };
      }
    }
  }

  #call(
    { trouble, repeat }: Extract<PlannedStep["action"], { readonly kind: "call" }>,
    label: string,
  ): { readonly output: Output } | { readonly code: string } | "attention" {
    const { effects, unknown } = this.#world;
    const { how, times } = trouble;
    const isLost = how === "lost" || how === "late" || how === "unheard";
    const hasEffect = how !== "refused" && (times !== null || how === "lost" || how === "late");
    if (repeat === "unsafe" && (isLost || unknown.has(label))) {
      if (how === "lost" || how === "late") effects.push(label);
      return "attention";
    }
    if (hasEffect) effects.push(label);
    if (how === "refused" || times === null) return { code: isLost ? "no_answer" : "http_status" };
    return { output: other };
  }

  #holds(condition: Condition): boolean {
    if (condition.kind === "constant") return condition.holds;
    return this.#outputs.get(condition.step) === `${this.#plan.name}-${condition.step}`;
  }

  #note(path: string, status: string): void {
    this.#world.steps.set(`${this.#plan.name}: ${path}`, status);
  }
}

/** The step as it is for one member. */
function memberOf(step: PlannedStep, at: number): PlannedStep {
  const { action } = step;
  return at === step.brokenMember && action.kind === "call"
    ? { ...step, action: { ...action, trouble: refused } }
    : step;
}

const other: Output = { kind: "other" };

function textOf(output: Output | undefined): string {
  return typeof output === "string" ? output : "";
}

function approval({
  answer,
  onReject,
}: Extract<PlannedStep["action"], { readonly kind: "approve" }>):
  | { readonly output: Output }
  | { readonly code: string } {
  switch (answer) {
    case "yes":
      return { output: other };
    case "no":
      return onReject === "continue" ? { output: other } : { code: "rejected" };
    case "none":
      return { code: "timeout" };
    case "never":
      throw new Stopped("timeout");
    case "cancel":
      throw new Stopped("cancelled");
  }
}
