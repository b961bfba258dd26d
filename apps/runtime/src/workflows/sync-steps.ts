// Walks the steps of an action whose caller waits, in their transaction. In: the steps, and the input of the call. Out:
// the output of each, or the Fault of the first that failed. It commits nothing: the owner of the transaction does.
import type { BundleStep, JsonValue, StepAction, Values } from "@plinth/bundle";
import { allows, type EvaluationContext, type Value } from "@plinth/expression";
import { limitStatements, type TenantTransaction } from "@plinth/postgres";
import { Fault, type FieldError } from "@plinth/service";
import type { CallerPrincipal } from "../project/principal.ts";
import { type Room, roomOfRun } from "../project/room.ts";
import { undoable } from "../query/undoable.ts";
import { isBehindOthers } from "../query/within.ts";
import type { Acting } from "./acting.ts";
import type { Actions } from "./actions.ts";
import { errorOf } from "./retry.ts";
import type { Claimed } from "./run.ts";
import { seenError, unknownError } from "./step-failed.ts";
import { asksEachMember } from "./step-reads.ts";
import { fillTemplate } from "./template.ts";

export interface SyncWalk {
  readonly open: TenantTransaction;
  readonly actions: Actions;
  readonly caller: Acting<CallerPrincipal>;
  /** Replaces the run, which such a call doesn't have: its id, its action, its request. */
  readonly claimed: Claimed;
  /** The context of expressions, without the steps. */
  readonly context: EvaluationContext;
  /** Maximum time of a statement. */
  readonly statementMsMax: number;
  /** The deadline for the whole action, in ms of `now`. */
  readonly deadlineMs: number;
  readonly now: () => number;
}

type Outputs = Record<string, Value>;

interface Walking extends SyncWalk {
  /** Limits the outputs of its steps, because requests of all projects share the memory of this process. */
  readonly room: Room;
  readonly changes: ReadonlySet<string>;
}

/** The context of expressions after all steps. @throws Fault. */
export async function walkSteps(walk: SyncWalk, steps: readonly BundleStep[]): Promise<EvaluationContext> {
  const outputs: Outputs = {};
  await through({ ...walk, room: roomOfRun(), changes: new Set(changedBy(steps)) }, steps, "", outputs);
  return contextWith(walk, outputs);
}

/** Entities whose records the steps change. */
function changedBy(steps: readonly BundleStep[]): readonly string[] {
  return steps.flatMap(({ action, onError }) => [
    ...(CHANGING.has(action.kind) && "entity" in action ? [action.entity] : []),
    ...(onError.kind === "steps" ? changedBy(onError.steps) : []),
  ]);
}

const CHANGING: ReadonlySet<string> = new Set(["record.update", "record.delete", "record.transition"]);

async function through(walk: Walking, steps: readonly BundleStep[], prefix: string, outputs: Outputs): Promise<void> {
  for (const step of steps) outputs[step.id] = (await take(walk, step, `${prefix}${step.id}`, outputs)) as Value;
}

/** The step's output; null if it was skipped, or if its failure is ignored. */
async function take(walk: Walking, step: BundleStep, path: string, outputs: Outputs): Promise<JsonValue> {
  const context = contextWith(walk, outputs);
  const isEach = asksEachMember(step);
  if (step.if !== null && !isEach && !allows(step.if, context)) return null;
  if (step.forEach === null) return attempt(walk, step, path, outputs);
  const items = fillTemplate(step.forEach.items, context);
  if (!Array.isArray(items)) {
    throw new Fault("conflict", { detail: `The list for the step \`${path}\` is missing.` });
  }
  const results: JsonValue[] = [];
  for (const [at, each] of items.entries()) {
    const member = seeing(walk, { each: each as Value });
    const isSkipped = isEach && step.if !== null && !allows(step.if, contextWith(member, outputs));
    results.push(isSkipped ? null : await attempt(member, step, `${path}/${at}`, outputs));
  }
  return results;
}

async function attempt(walk: Walking, step: BundleStep, path: string, outputs: Outputs): Promise<JsonValue> {
  const { onError } = step;
  const context = contextWith(walk, outputs);
  try {
    if (onError.kind === "fail") return await perform(walk, step, path, context);
    return await undoable(walk.open, () => perform(walk, step, path, context));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    // A temporary failure is for the caller, who can repeat the whole action.
    if (onError.kind === "fail" || error.status >= 500 || isBehindOthers(error)) throw ofStep(step, path, error);
    if (onError.kind === "steps") {
      const failed = seenError(step.id, errorOf(error)?.error ?? unknownError, 1);
      await through(seeing(walk, { error: failed }), onError.steps, `${path}/on_error/`, outputs);
    }
    return null;
  }
}

async function perform(walk: Walking, step: BundleStep, path: string, context: EvaluationContext): Promise<JsonValue> {
  const { open, actions, caller, claimed, changes, statementMsMax } = walk;
  const leftMs = walk.deadlineMs - walk.now();
  if (leftMs <= 0) throw new Fault("timeout", { detail: "The action took too long." });
  const msMax = Math.max(1, Math.floor(Math.min(leftMs, step.timeoutMs, statementMsMax)));
  if (msMax < statementMsMax) await limitStatements(open.client, msMax);
  try {
    const result = await actions.perform({
      step,
      path,
      key: path,
      row: null,
      context,
      claimed,
      subject: null,
      caller,
      open,
      changes,
    });
    if (result.kind === "completed") return walk.room.take(result.output);
  } finally {
    // A failed transaction accepts no more settings, and needs none.
    if (msMax < statementMsMax) await limitStatements(open.client, statementMsMax).catch(() => {});
  }
  throw new Error(`the step ${path} waits, and its action is one transaction`);
}

/** The walk through a part of the action, with more values in its context. */
function seeing(walk: Walking, more: Readonly<Record<string, Value>>): Walking {
  return { ...walk, context: { ...walk.context, values: { ...walk.context.values, ...more } } };
}

function contextWith({ context }: SyncWalk, outputs: Outputs): EvaluationContext {
  return { ...context, values: { ...context.values, steps: { ...outputs } } };
}

/** Callers know their own input, but not the fields that a step writes with it. */
function ofStep({ action }: BundleStep, path: string, fault: Fault): Fault {
  const { code, headers } = fault;
  const errors = fault.errors.map((error) => ({ ...error, path: sentPath(action, path, error) }));
  const detail = `The step \`${path}\` failed: ${fault.message}`;
  return new Fault(code, { detail, errors, headers, cause: fault.cause ?? fault });
}

/** `/title` > `/name`, if the step was given `title: ${{ input.name }}`; otherwise the position among the steps. */
function sentPath(action: StepAction, path: string, { path: field }: FieldError): string {
  const [, name = "", ...rest] = field.split("/");
  const given = action.kind.startsWith("record.") && "values" in action ? (action.values as Values)[name] : undefined;
  if (given?.kind === "value" && given.expression.kind === "value" && given.expression.root === "input") {
    return ["", ...given.expression.path, ...rest].join("/");
  }
  return `/steps/${path}${field}`;
}
