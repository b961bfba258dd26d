// Reads `steps` (or `actions`) of background work. In: their syntax. Out: typed steps with all defaults, and the data
// that leaves through them. A plain name, a map with one key, and the long form mean the same. Each step has a unique
// id.
import { type Expression, joined, type ValueShape } from "@plinth/expression";
import { isActionServed } from "../check/unserved.ts";
import { describe, expectList, expectMap, expectText, isBroken } from "../declarations/expect.ts";
import type { Egress, Step, StepAction } from "../model/background.ts";
import { entryOf, type MapEntry, type MapNode, type Node, type Word, wordOf } from "../text/syntax.ts";
import { checkAction } from "./actions-known.ts";
import type { BackgroundContext } from "./context.ts";
import { checkCallTimeout } from "./durations.ts";
import { hostOf } from "./http-step.ts";
import { refuseOutsideTransaction } from "./in-transaction.ts";
import { readAction } from "./step-action.ts";
import {
  checkConnection,
  checkStepKeys,
  defaultRetry,
  noRetry,
  patientRetry,
  readOptions,
  stepKeys,
  withEach,
} from "./step-options.ts";
import type { ReadSteps, StepScope } from "./step-scope.ts";
import { readApproval, readWaitFor } from "./waits.ts";
import { json } from "./work-scope.ts";

const STEPS_MAX = 100;

export function readSteps(context: BackgroundContext, node: Node, scope: StepScope): ReadSteps {
  const { report } = context.reader;
  const items = expectList(context.reader, node, "The steps", listHint(node))?.items ?? [];
  if (node.kind === "list" && items.length === 0)
    report.add("invalid_step", node.range, "The list of steps is empty.", "For example `[audit.write]`.");
  const over = items[STEPS_MAX];
  if (over !== undefined) report.add("too_many", over.range, `The list can have at most ${STEPS_MAX} steps.`);
  const read = items.slice(0, STEPS_MAX).map((item) => readStep(context, item, scope));
  return { steps: read.flatMap((one) => one.steps), egress: read.flatMap((one) => one.egress) };
}

/** A single step that its author didn't write as a list. */
function listHint(node: Node): string | null {
  if (node.kind === "map" && node.entries.length > 0) {
    const [first] = node.entries;
    return `Write \`- \` before \`${first?.key.text.slice(0, 60)}:\`, and indent the lines below it by two more spaces.`;
  }
  return node.kind === "scalar" && typeof node.value === "string" ? `Write \`[${node.text.slice(0, 60)}]\`.` : null;
}

const nothing: ReadSteps = { steps: [], egress: [] };

function readStep(context: BackgroundContext, node: Node, scope: StepScope): ReadSteps {
  const { report } = context.reader;
  if (isBroken(node)) return nothing;
  if (node.kind === "scalar" && typeof node.value === "string")
    return makeStep(context, wordOf(node), { kind: "map", entries: [], range: node.range }, scope);
  if (node.kind !== "map") {
    report.add(
      "invalid_step",
      node.range,
      `A step is an action's name or a map, not ${describe(node)}.`,
      "For example `audit.write`, or `record.update: { with: { status: sent } }`.",
    );
    return nothing;
  }
  if (node.entries.some((entry) => stepKeys.includes(entry.key.text))) return readLongStep(context, node, scope);
  const [only, second] = node.entries;
  if (only === undefined || second !== undefined) {
    report.add(
      "invalid_step",
      second?.key.range ?? node.range,
      second === undefined ? "This step is empty." : "A step must have exactly one action.",
      "Start each step with `- `.",
    );
    return nothing;
  }
  if (only.value.kind === "scalar" && only.value.value === null)
    return makeStep(context, wordOf(only.key), { kind: "map", entries: [], range: only.value.range }, scope);
  const map = expectMap(context.reader, only.value, `The step \`${only.key.text}\``, stepHint(only.key.text));
  return map === null ? nothing : makeStep(context, wordOf(only.key), map, scope);
}

/** A key of a step can be used alone: `delay: 5m` is a step, but `wait: 5m` is not. */
function stepHint(name: string): string {
  if (name === "wait") return "Write `delay: 5m`.";
  return name === "approve"
    ? "Write `approval: { roles: [admin] }`."
    : `Put the input of an action under \`with\`: \`${name.slice(0, 60)}: { with: { ... } }\`.`;
}

function readLongStep(context: BackgroundContext, map: MapNode, scope: StepScope): ReadSteps {
  const action = entryOf(map, "action");
  if (action !== undefined) {
    const text = expectText(context.reader, action.value, "`action`");
    return text === null ? nothing : makeStep(context, wordOf(text), map, scope);
  }
  // The action of a step that only waits is what it waits for.
  const waiting = entryOf(map, "approval") ?? entryOf(map, "wait_for") ?? entryOf(map, "delay");
  if (waiting === undefined) {
    context.reader.report.add("missing_key", map.range, "This step has no `action`.", "Write `action: record.update`.");
    return nothing;
  }
  const names: Readonly<Record<string, string>> = { approval: "approve", wait_for: "wait_for", delay: "wait" };
  return makeStep(context, { text: names[waiting.key.text] ?? "wait", range: waiting.key.range }, map, scope);
}

function makeStep(context: BackgroundContext, action: Word, map: MapNode, scope: StepScope): ReadSteps {
  const { report } = context.reader;
  checkStepKeys(context, map);
  const known = checkAction(action, context);
  const id = idOf(context, action, entryOf(map, "id"), scope);
  const place = { ...scope.place, steps: scope.outputs };
  const served = known !== null && isActionServed(action.text, known.kind, action.range, report);
  checkConnection(context, map, known?.kind ?? null);
  if (scope.inTransaction) refuseOutsideTransaction(context, action, map, known?.kind ?? null);
  const options = readOptions(context, map, scope);
  const each = withEach(place, options.each);
  const approvals = approvalBefore(context, action, map, id, scope);
  const waits = [...waitBefore(context, action, map, id, scope), ...approvals];
  const inAction = scope.inAction && options.as !== "service";
  const read = served ? readAction(context, action, map, { place: each, inAction }) : null;
  const output = read?.output ?? json;
  scope.outputs.set(id, options.each === null ? output : { kind: "list", of: output });
  const { compensate, onError, egress } = options.within((inner, within) => readSteps(context, inner, within));
  if (read === null) return { steps: [], egress };
  if (read.action.kind === "http.request") checkCallTimeout(context, entryOf(map, "timeout"), options.timeoutMs);
  const isOnRecords = read.action.kind.startsWith("record.");
  if (options.as === "caller" && !isOnRecords)
    report.add(
      "invalid_step",
      action.range,
      "`as` has no effect here: only steps that work on records have rights of their own.",
      "Remove `as`.",
    );
  const isWait = ["wait", "wait_for", "approve"].includes(read.action.kind);
  refuseVainRetry(context, entryOf(map, "retry"), read.action);
  const step: Step = {
    id,
    action: read.action,
    if: options.if,
    forEach: options.forEach,
    delayMs: null,
    ...(read.action.kind === "wait" ? {} : options.delay),
    retry: options.retry ?? (isWait ? noRetry : (scope.retry ?? usualRetry(read.action))),
    timeoutMs: options.timeoutMs,
    onError,
    compensate,
    as: options.as ?? (scope.inAction && isOnRecords ? "caller" : "service"),
  };
  const { delayUntil: _, ...plain } = step;
  const before = waits.map((wait): Step => ({ ...plain, ...wait, forEach: null, compensate: [], as: "service" }));
  if (step.action.kind === "approve" && isAlwaysGiven(step, step.action)) scope.given.add(id);
  const leaving = known?.egress ?? [];
  return {
    steps: [...before, approvals.length === 0 ? step : onceApproved(step, approvals)],
    egress: [...leaving.map((to) => ({ to, entity: scope.place.entity, ...calledBy(read.action) })), ...egress],
  };
}

function usualRetry({ kind }: StepAction): Step["retry"] {
  return kind === "http.request" || kind === "email.send" ? patientRetry : defaultRetry;
}

/** A step that waits for something is not retried itself. */
function refuseVainRetry(
  { reader, workers }: BackgroundContext,
  retry: MapEntry | undefined,
  action: StepAction,
): void {
  if (retry === undefined) return;
  const refuse = (message: string, hint: string): void =>
    reader.report.add("invalid_step", retry.key.range, message, hint);
  if (action.kind === "worker.run") {
    const inWorker = workers.has(action.worker) ? ` \`${action.worker}\`` : "";
    refuse(
      "A step that runs a worker is not retried as a whole: the steps of the worker are.",
      `Put \`retry\` in the worker${inWorker}. Use \`on_error\` for what happens after the last attempt has failed.`,
    );
  } else if (action.kind === "wait" || action.kind === "wait_for" || action.kind === "approve")
    refuse(
      "A step that only waits is not retried.",
      "Remove `retry`. Use `on_error` for what happens after a failure.",
    );
}

/** No later step runs if the approval was refused, left out or not given in time. */
function isAlwaysGiven(step: Step, { onReject }: Extract<StepAction, { kind: "approve" }>): boolean {
  return onReject === "fail" && step.onError.kind === "fail" && step.if === null && step.forEach === null;
}

/** `on_error` lets the run go on after a refusal, as `on_reject: continue` does. The action itself is then skipped. */
function onceApproved(step: Step, approvals: readonly Pick<Step, "id">[]): Step {
  const given = approvals.map(
    ({ id }): Expression => ({ kind: "value", type: { kind: "bool" }, root: "steps", path: [id, "approved"] }),
  );
  return { ...step, if: joined("&&", step.if === null ? given : [step.if, ...given]) };
}

/** The host, if the action calls one. */
function calledBy(action: StepAction): Pick<Egress, "host"> {
  return action.kind === "http.request" ? hostOf(action.url) : {};
}

/** A step that waits before its action is two steps, because the wait has its own output. */
function waitBefore(
  context: BackgroundContext,
  action: Word,
  map: MapNode,
  id: string,
  scope: StepScope,
): Pick<Step, "id" | "action" | "delayMs" | "retry">[] {
  const entry = entryOf(map, "wait_for");
  if (entry === undefined || action.text === "wait_for") return [];
  const read = readWaitFor(context, entry, { ...scope.place, steps: scope.outputs });
  return read === null ? [] : [before(`${id}_wait`, read, action, context, scope)];
}

function approvalBefore(
  context: BackgroundContext,
  action: Word,
  map: MapNode,
  id: string,
  scope: StepScope,
): Pick<Step, "id" | "action" | "delayMs" | "retry">[] {
  const entry = entryOf(map, "approval");
  if (entry === undefined || action.text === "approve") return [];
  const read = readApproval(context, entry.value, { ...scope.place, steps: scope.outputs });
  return read === null ? [] : [before(`${id}_approval`, read, action, context, scope)];
}

function before(
  id: string,
  { action, output }: { readonly action: Step["action"]; readonly output: ValueShape },
  word: Word,
  context: BackgroundContext,
  scope: StepScope,
): Pick<Step, "id" | "action" | "delayMs" | "retry"> {
  claimId(context, { text: id, range: word.range }, scope);
  scope.outputs.set(id, output);
  return { id, action, delayMs: null, retry: noRetry };
}

function idOf(context: BackgroundContext, action: Word, given: MapEntry | undefined, scope: StepScope): string {
  const { report } = context.reader;
  const scalar = given === undefined ? null : expectText(context.reader, given.value, "`id`");
  const id = scalar?.text ?? action.text.split(".").at(-1) ?? action.text;
  const range = scalar?.range ?? action.range;
  if (scalar !== null && !/^[a-z][a-z0-9_]{0,47}$/.test(id))
    report.add(
      "invalid_name",
      range,
      `\`${id.slice(0, 60)}\` is not a valid name for a step.`,
      "Use lower-case words joined by `_`.",
    );
  claimId(context, { text: id, range }, scope);
  return id;
}

function claimId({ reader }: BackgroundContext, { text, range }: Word, { ids }: StepScope): void {
  if (ids.has(text))
    reader.report.add(
      "duplicate_step",
      range,
      `Two steps have the name \`${text}\`.`,
      `Give this step its own name: \`id: ${text}_again\`.`,
    );
  ids.add(text);
}
