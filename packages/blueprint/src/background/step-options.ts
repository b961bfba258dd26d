// Reads the long form of a step. In: its syntax. Out: its options with their defaults: conditions, retries, times, and
// what follows a failure. The action is read elsewhere.
import { type Expression, someNode, type ValueShape } from "@plinth/expression";
import { neverTrue } from "../check/permissions/never-true.ts";
import { expectText, refuseKey } from "../declarations/expect.ts";
import type { Retry, Step, StepFailure } from "../model/background.ts";
import { suggestFor } from "../text/suggestions.ts";
import { entryOf, type MapEntry, type MapNode, type Node } from "../text/syntax.ts";
import type { BackgroundContext, Egress } from "./context.ts";
import { type Delay, readDelay } from "./delay.ts";
import { readDuration, readRetry, readWhole, readWord, timeoutBounds } from "./durations.ts";
import type { ReadSteps, StepScope } from "./step-scope.ts";
import { readTemplate } from "./templates.ts";
import { readCondition } from "./work-expression.ts";
import { errorShape, json, typed, type WorkPlace } from "./work-scope.ts";

export const stepKeys: readonly string[] = [
  "id",
  "action",
  "connection",
  "with",
  "if",
  "retry",
  "timeout",
  "on_error",
  "for_each",
  "max_parallel",
  "delay",
  "wait_for",
  "approval",
  "compensate",
  "as",
];
const PARALLEL_MAX = 100;
const NESTING_MAX = 5;
const TIMEOUT_MS = 30_000;

/** The default retries for steps that can fail temporarily. */
export const defaultRetry: Retry = { attempts: 3, backoff: "exponential", delayMs: 1_000, delayMsMax: 300_000 };
/**
 * The default retries for calls of other services and for mails: 17 minutes together, longer than a restart of the
 * service, and than a mail server makes an unknown sender wait (greylisting).
 */
export const patientRetry: Retry = { attempts: 10, backoff: "exponential", delayMs: 2_000, delayMsMax: 600_000 };
/** A wait is not retried. */
export const noRetry: Retry = { ...defaultRetry, attempts: 1 };

/** The options of a step that has none of its own. */
export const bareStep: Omit<Step, "id" | "action" | "retry"> = {
  if: null,
  forEach: null,
  delayMs: null,
  timeoutMs: TIMEOUT_MS,
  onError: { kind: "fail" },
  compensate: [],
  as: "service",
};

type ReadNested = (node: Node, scope: StepScope) => ReadSteps;

export interface StepOptions {
  readonly if: Expression | null;
  readonly forEach: Step["forEach"];
  /** The shape of `each`; null without `for_each`. */
  readonly each: ValueShape | null;
  readonly delay: Delay | null;
  readonly retry: Retry | null;
  readonly timeoutMs: number;
  /** Null if there is none. */
  readonly as: Step["as"] | null;
  /** The steps inside this one. They are read last, because they can use its output. */
  readonly within: (readNested: ReadNested) => {
    readonly onError: StepFailure;
    readonly compensate: readonly Step[];
    readonly egress: readonly Egress[];
  };
}

export function readOptions(context: BackgroundContext, map: MapNode, scope: StepScope): StepOptions {
  const { reader } = context;
  const place = { ...scope.place, steps: scope.outputs };
  const read = <T>(key: string, reading: (entry: MapEntry) => T | null): T | null => {
    const entry = entryOf(map, key);
    return entry === undefined ? null : reading(entry);
  };
  const parallel = entryOf(map, "max_parallel");
  const parallelMax = parallel === undefined ? null : readWhole(reader, parallel, 1, PARALLEL_MAX);
  const members = read("for_each", (entry) => readForEach(context, entry, scope));
  if (parallel !== undefined && entryOf(map, "for_each") === undefined)
    reader.report.add(
      "invalid_step",
      parallel.key.range,
      "`max_parallel` has no effect without `for_each`.",
      "Add `for_each` with the list to run over.",
    );
  const as = read("as", (entry) => readAs(context, entry, scope));
  const each = members?.each ?? (entryOf(map, "for_each") === undefined ? null : json);
  return {
    if: read("if", (entry) => conditionOf(context, entry, withEach(place, each), scope)),
    forEach: members === null ? null : { items: members.items, parallelMax: parallelMax ?? 1 },
    each,
    delay: read("delay", (entry) => readDelay(context, entry, place)),
    retry: read("retry", (entry) => retryOf(context, entry)),
    timeoutMs: read("timeout", (entry) => readDuration(reader, entry, timeoutBounds)) ?? TIMEOUT_MS,
    as,
    within: (readNested) => readWithin(context, map, { scope, each }, readNested),
  };
}

/** @param each The shape of `each`; null for none. */
export function withEach(place: WorkPlace, each: ValueShape | null): WorkPlace {
  return each === null ? place : { ...place, roots: new Map([...place.roots, ["each", each]]) };
}

function conditionOf(
  context: BackgroundContext,
  entry: MapEntry,
  place: WorkPlace,
  { given }: StepScope,
): Expression | null {
  const condition = readCondition(context, entry, place);
  if (condition !== null && someNode(condition, (node) => asksWhetherGiven(node, given)))
    context.reader.report.add(
      "approval_always_given",
      entry.value.range,
      "A refusal ends the run at this approval, so `approved` is always true here.",
      "Add `on_reject: continue` to the approval if the run should go on after a refusal.",
    );
  if (condition !== null && neverTrue(condition))
    context.reader.report.add(
      "step_never_runs",
      entry.value.range,
      "This condition can never be true, so the step never runs.",
      "Remove the step if it should never run.",
    );
  return condition;
}

function asksWhetherGiven(node: Expression, given: ReadonlySet<string>): boolean {
  if (node.kind !== "value" || node.root !== "steps") return false;
  const [step = "", member] = node.path;
  return member === "approved" && given.has(step);
}

/** Without options, it has the defaults. */
export function retryOf({ reader }: BackgroundContext, entry: MapEntry): Retry | null {
  const given = readRetry(reader, entry);
  if (given === null) return null;
  const { attempts, backoff, delay, max_delay } = given as {
    readonly attempts?: number;
    readonly backoff?: Retry["backoff"];
    readonly delay?: number;
    readonly max_delay?: number;
  };
  const delayMs = delay ?? defaultRetry.delayMs;
  return {
    attempts: attempts ?? defaultRetry.attempts,
    backoff: backoff ?? defaultRetry.backoff,
    delayMs,
    delayMsMax: Math.max(delayMs, max_delay ?? defaultRetry.delayMsMax),
  };
}

/** Reports keys that no step has. */
export function checkStepKeys({ reader }: BackgroundContext, map: MapNode): void {
  for (const option of map.entries)
    if (!stepKeys.includes(option.key.text)) refuseKey(reader, option, "a step", stepKeys, []);
}

function readWithin(
  context: BackgroundContext,
  map: MapNode,
  { scope, each }: { readonly scope: StepScope; readonly each: ValueShape | null },
  readNested: ReadNested,
): ReturnType<StepOptions["within"]> {
  const egress: Egress[] = [];
  const nested = (node: Node, within: Pick<StepScope, "place" | "outputs">): readonly Step[] => {
    if (scope.depth >= NESTING_MAX) {
      context.reader.report.add("too_many", node.range, `Steps can be nested at most ${NESTING_MAX} deep.`);
      return [];
    }
    const read = readNested(node, { ...scope, ...within, depth: scope.depth + 1 });
    egress.push(...read.egress);
    return read.steps;
  };
  const failure = entryOf(map, "on_error");
  const undo = entryOf(map, "compensate");
  // For a list, they run for the member that failed.
  const member: [string, ValueShape][] = each === null ? [] : [["each", each]];
  const onError = { ...scope.place, roots: new Map([...scope.place.roots, ...member, ["error", errorShape]]) };
  const failing: StepFailure =
    failure === undefined
      ? { kind: "fail" }
      : failureOf(context, failure, (node) => nested(node, { place: onError, outputs: scope.outputs }));
  // The steps that undo a step can use the earlier steps and the step itself, but no later one.
  const compensate =
    undo === undefined ? [] : nested(undo.value, { place: scope.place, outputs: new Map(scope.outputs) });
  return { onError: failing, compensate, egress };
}

function failureOf(
  { reader }: BackgroundContext,
  entry: MapEntry,
  steps: (node: Node) => readonly Step[],
): StepFailure {
  if (entry.value.kind === "list") return { kind: "steps", steps: steps(entry.value) };
  return readWord(reader, entry, ["fail", "continue"]) === "continue" ? { kind: "continue" } : { kind: "fail" };
}

function readAs(context: BackgroundContext, entry: MapEntry, scope: StepScope): Step["as"] | null {
  const word = readWord(context.reader, entry, ["service", "caller"]);
  if (word !== "caller") return word === "service" ? word : null;
  if (scope.inAction) return "caller";
  context.reader.report.add(
    "invalid_step",
    entry.value.range,
    "A workflow has no caller, so its steps can't act as the caller.",
    "Remove `as`.",
  );
  return null;
}

function readForEach(
  context: BackgroundContext,
  option: MapEntry,
  scope: StepScope,
): { readonly items: NonNullable<Step["forEach"]>["items"]; readonly each: ValueShape } | null {
  const { report } = context.reader;
  const node = option.value;
  const place = { ...scope.place, steps: scope.outputs };
  if (node.kind === "list") {
    const items = readTemplate(context, node, place);
    return items === null ? null : { items, each: json };
  }
  const scalar = expectText(context.reader, node, "`for_each`");
  if (scalar === null) return null;
  if (!scalar.text.includes("${{")) {
    const isPath = /^(?:record|event|input|steps|each|run)(?:\.\w+)+$/.test(scalar.text);
    const hint = isPath ? `Write \`"\${{ ${scalar.text.slice(0, 80)} }}"\`.` : forEachHint;
    report.add("invalid_step", scalar.range, "`for_each` must be a list.", hint);
    return null;
  }
  const items = readTemplate(context, node, place);
  if (items === null) return null;
  const { type } = items.kind === "value" ? items.expression : { type: null };
  if (type?.kind === "list") return { items, each: typed(type.of) };
  if (type?.kind === "opaque") return { items, each: memberShape(items, scope) };
  const what = scalar.text.replace(/^\s*\$\{\{\s*|\s*\}\}\s*$/g, "").slice(0, 80);
  const message =
    type === null
      ? "`for_each` must be a list, not a text."
      : `\`for_each\` must be a list, but \`${what}\` has the type \`${type.kind}\`.`;
  report.add("invalid_step", scalar.range, message, forEachHint);
  return null;
}

const forEachHint = "For example `${{ steps.find }}`, the records that an earlier `record.find` found.";

/** The members of a list that an earlier step returned. */
function memberShape(items: NonNullable<Step["forEach"]>["items"], scope: StepScope): ValueShape {
  if (items.kind !== "value" || items.expression.kind !== "value") return json;
  const { root, path } = items.expression;
  let shape: ValueShape | undefined =
    root === "steps" ? { kind: "object", members: scope.outputs } : scope.place.roots.get(root);
  for (const name of path) shape = shape?.kind === "object" ? shape.members.get(name) : undefined;
  return shape?.kind === "list" ? shape.of : json;
}

/** Whether the connection exists, and whether the action uses one. */
export function checkConnection({ reader, connections }: BackgroundContext, map: MapNode, kind: string | null): void {
  const entry = entryOf(map, "connection");
  const scalar = entry === undefined ? null : expectText(reader, entry.value, "`connection`");
  if (entry === undefined || scalar === null) return;
  const names = connections.map((one) => one.name);
  if (!names.includes(scalar.text))
    reader.report.add(
      "unknown_connection",
      scalar.range,
      `There is no integration \`${scalar.text}\`.`,
      suggestFor(scalar.text, names, reader.report) ?? "Declare it under `integrations`.",
    );
  else if (kind !== null && kind !== "connector" && !kind.startsWith("email."))
    reader.report.add(
      "connection_unused",
      entry.key.range,
      `\`${kind}\` doesn't use a connection.`,
      "Remove `connection`.",
    );
}
