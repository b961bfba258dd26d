// In: `steps` (or `actions`) of background work. Out: the steps in their long form, and what leaves by them.
// A plain name, a map of one and the long form are one thing; each step has an id, and ids are told apart.
import { checkRole } from "../check/permissions.ts";
import { describe, expectList, expectMap, expectText, expectWords, isBroken, refuseKey } from "../expect.ts";
import type { JsonValue } from "../model.ts";
import { suggestFor } from "../suggestions.ts";
import { entryOf, type MapEntry, type MapNode, type Node, type Word, wordOf } from "../syntax.ts";
import { checkAction } from "./actions-known.ts";
import { type BackgroundContext, type Canonical, canonical, type Egress, jsonOf } from "./context.ts";
import { readDuration, readRetry, readWhole, readWord, timeoutBounds, waitBounds } from "./durations.ts";
import { checkEvent } from "./events.ts";
import { checkCondition, checkTemplates } from "./templates.ts";

const stepKeys: readonly string[] = [
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
];
const STEPS_MAX = 100;
const PARALLEL_MAX = 100;
const NESTING_MAX = 5;

export interface StepScope {
  /** The entity of `record`; null where it is not known. */
  readonly entity: string | null;
  /** Ids of the steps before; this reader adds to it. */
  readonly known: Set<string>;
  readonly depth: number;
}

export interface ReadSteps {
  readonly steps: readonly Canonical[];
  readonly egress: readonly Egress[];
}

export function readSteps(context: BackgroundContext, node: Node, scope: StepScope): ReadSteps {
  const { report } = context.reader;
  const items = expectList(context.reader, node, "The steps")?.items ?? [];
  if (node.kind === "list" && items.length === 0)
    report.add("invalid_step", node.range, "There are no steps.", "For example `[audit.write]`.");
  const over = items[STEPS_MAX];
  if (over !== undefined) report.add("too_many", over.range, `There are at most ${STEPS_MAX} steps.`);
  const steps: Canonical[] = [];
  const egress: Egress[] = [];
  for (const item of items.slice(0, STEPS_MAX)) {
    const step = readStep(context, item, scope);
    if (step === null) continue;
    steps.push(step.declaration);
    egress.push(...step.egress);
  }
  return { steps, egress };
}

interface Step {
  readonly declaration: Canonical;
  readonly egress: readonly Egress[];
}

function readStep(context: BackgroundContext, node: Node, scope: StepScope): Step | null {
  const { report } = context.reader;
  if (isBroken(node)) return null;
  if (node.kind === "scalar" && typeof node.value === "string")
    return makeStep(context, wordOf(node), { kind: "map", entries: [], range: node.range }, scope);
  if (node.kind !== "map") {
    report.add(
      "invalid_step",
      node.range,
      `A step is an action's name or a map, not ${describe(node)}.`,
      "For example `audit.write`, or `record.update: { with: { status: sent } }`.",
    );
    return null;
  }
  if (node.entries.some((entry) => stepKeys.includes(entry.key.text))) return readLongStep(context, node, scope);
  const [only, second] = node.entries;
  if (only === undefined || second !== undefined) {
    report.add(
      "invalid_step",
      second?.key.range ?? node.range,
      second === undefined ? "This step is empty." : "A step has one action.",
      "Begin each step with `- `.",
    );
    return null;
  }
  if (only.value.kind === "scalar" && only.value.value === null)
    return makeStep(context, wordOf(only.key), { kind: "map", entries: [], range: only.value.range }, scope);
  const map = expectMap(context.reader, only.value, `The step \`${only.key.text}\``);
  return map === null ? null : makeStep(context, wordOf(only.key), map, scope);
}

function readLongStep(context: BackgroundContext, map: MapNode, scope: StepScope): Step | null {
  const action = entryOf(map, "action");
  if (action !== undefined) {
    const text = expectText(context.reader, action.value, "`action`");
    return text === null ? null : makeStep(context, wordOf(text), map, scope);
  }
  // A step that only waits says so by what it waits for.
  const waiting = entryOf(map, "approval") ?? entryOf(map, "wait_for") ?? entryOf(map, "delay");
  if (waiting === undefined) {
    context.reader.report.add("missing_key", map.range, "This step has no `action`.", "Write `action: record.update`.");
    return null;
  }
  const name = waiting.key.text === "approval" ? "approve" : "wait";
  return makeStep(context, { text: name, range: waiting.key.range }, map, scope);
}

function makeStep(context: BackgroundContext, action: Word, map: MapNode, scope: StepScope): Step | null {
  const { reader } = context;
  // A worker called by its name is `worker.run` of it.
  const isWorker = context.workers.has(action.text);
  const leaving = isWorker ? [] : checkAction(action, context);
  const id = idOf(context, action, entryOf(map, "id"), scope);
  const sent: Egress[] = [];
  const options = readOptions(context, map, scope, sent);
  checkInput(context, action.text, entryOf(map, "with")?.value, scope);
  if (isWorker) options["with"] = canonical({ worker: action.text });
  const parallel = entryOf(map, "max_parallel");
  if (parallel !== undefined && entryOf(map, "for_each") === undefined)
    reader.report.add(
      "invalid_step",
      parallel.key.range,
      "`max_parallel` says nothing without `for_each`.",
      "Give the list that it runs over.",
    );
  scope.known.add(id);
  if (leaving === null) return null;
  return {
    declaration: canonical({ ...options, id, action: isWorker ? "worker.run" : action.text }),
    egress: [...leaving.map((to) => ({ to, entity: scope.entity })), ...sent],
  };
}

function idOf({ reader }: BackgroundContext, action: Word, given: MapEntry | undefined, { known }: StepScope): string {
  const { report } = reader;
  const scalar = given === undefined ? null : expectText(reader, given.value, "`id`");
  const id = scalar?.text ?? action.text.split(".").at(-1) ?? action.text;
  const range = scalar?.range ?? action.range;
  if (scalar !== null && !/^[a-z][a-z0-9_]{0,47}$/.test(id))
    report.add("invalid_name", range, `\`${id.slice(0, 60)}\` can't name a step.`, "Lower-case words joined by `_`.");
  if (known.has(id))
    report.add(
      "duplicate_step",
      range,
      `Two steps are called \`${id}\`.`,
      `Give this one a name of its own: \`id: ${id}_again\`.`,
    );
  return id;
}

function readOptions(
  context: BackgroundContext,
  map: MapNode,
  scope: StepScope,
  /** What leaves by steps within this one. */
  sent: Egress[],
): Record<string, JsonValue | null> {
  const { reader } = context;
  const options: Record<string, JsonValue | null> = {};
  for (const option of map.entries) {
    const key = option.key.text;
    switch (key) {
      case "id":
      case "action":
        break;
      case "connection":
        options[key] = readConnection(context, option.value);
        break;
      case "with":
        expectMap(reader, option.value, "`with`");
        checkTemplates(reader, option.value, scope.known);
        options[key] = jsonOf(option.value);
        break;
      case "if":
        options[key] = readCondition(context, option, scope.known);
        break;
      case "for_each":
        options[key] = readForEach(context, option, scope);
        break;
      case "retry":
        options[key] = readRetry(reader, option);
        break;
      case "timeout":
        options[key] = readDuration(reader, option, timeoutBounds);
        break;
      case "delay":
        options[key] = readDuration(reader, option, waitBounds);
        break;
      case "max_parallel":
        options[key] = readWhole(reader, option, 1, PARALLEL_MAX);
        break;
      case "on_error":
        options[key] = readOnError(context, option, scope, sent);
        break;
      case "wait_for":
        options[key] = readWaitFor(context, option);
        break;
      case "approval":
        options[key] = readApproval(context, option.value);
        break;
      default:
        refuseKey(reader, option, "a step", stepKeys, []);
    }
  }
  return options;
}

/** A condition over `event`, `record`, `old` and the steps before, with or without `${{ }}`. */
export function readCondition(
  { reader }: BackgroundContext,
  option: MapEntry,
  known: ReadonlySet<string> | null,
): JsonValue | null {
  const node = option.value;
  if (node.kind === "scalar" && typeof node.value === "boolean") return node.value;
  const scalar = expectText(reader, node, `\`${option.key.text}\``);
  if (scalar === null) return null;
  if (typeof scalar.value === "number") {
    const message = `\`${option.key.text}\` is a condition, not ${describe(scalar)}.`;
    reader.report.add("invalid_rule", scalar.range, message, "For example `record.price > 0`.");
    return null;
  }
  const wrapped = /^\s*\$\{\{([\s\S]*)\}\}\s*$/.exec(scalar.text);
  const start = wrapped === null ? 0 : scalar.text.indexOf("${{") + 3;
  const end = wrapped === null ? scalar.text.length : start + (wrapped[1] ?? "").length;
  checkCondition(reader, scalar, { start, end }, known);
  return scalar.text.slice(start, end).trim();
}

function readForEach({ reader }: BackgroundContext, option: MapEntry, scope: StepScope): JsonValue | null {
  const node = option.value;
  checkTemplates(reader, node, scope.known);
  if (node.kind === "list") return jsonOf(node);
  const scalar = expectText(reader, node, "`for_each`");
  if (scalar !== null && !scalar.text.includes("${{"))
    reader.report.add("invalid_step", scalar.range, "`for_each` is a list.", "For example `${{ record.items }}`.");
  return scalar?.text ?? null;
}

function readConnection({ reader, connections }: BackgroundContext, node: Node): JsonValue | null {
  const scalar = expectText(reader, node, "`connection`");
  if (scalar === null) return null;
  const names = connections.map((one) => one.name);
  if (!names.includes(scalar.text))
    reader.report.add(
      "unknown_connection",
      scalar.range,
      `There is no integration \`${scalar.text}\`.`,
      suggestFor(scalar.text, names, reader.report) ?? "Declare it under `integrations`.",
    );
  return scalar.text;
}

function readOnError(context: BackgroundContext, option: MapEntry, scope: StepScope, sent: Egress[]): JsonValue | null {
  if (option.value.kind !== "list") return readWord(context.reader, option, ["fail", "continue"]);
  if (scope.depth >= NESTING_MAX) {
    context.reader.report.add("too_many", option.value.range, `Steps nest at most ${NESTING_MAX} deep.`);
    return null;
  }
  const { steps, egress } = readSteps(context, option.value, { ...scope, depth: scope.depth + 1 });
  sent.push(...egress);
  return steps;
}

function readWaitFor(context: BackgroundContext, option: MapEntry): JsonValue | null {
  const { reader } = context;
  if (option.value.kind !== "map") {
    const event = expectText(reader, option.value, "`wait_for`");
    if (event !== null) checkEvent(wordOf(event), context);
    return event === null ? null : canonical({ event: event.text });
  }
  const wait: Record<string, JsonValue | null> = {};
  for (const one of option.value.entries) {
    switch (one.key.text) {
      case "event": {
        const event = expectText(reader, one.value, "`event`");
        if (event !== null) checkEvent(wordOf(event), context);
        wait["event"] = event?.text ?? null;
        break;
      }
      case "timeout":
        wait["timeout"] = readDuration(reader, one, waitBounds);
        break;
      case "if":
        wait["if"] = readCondition(context, one, null);
        break;
      default:
        refuseKey(reader, one, "`wait_for`", ["event", "timeout", "if"], []);
    }
  }
  if (!option.value.entries.some((one) => one.key.text === "event"))
    reader.report.add(
      "missing_key",
      option.key.range,
      "`wait_for` has no `event`.",
      "Write `event: payment.succeeded`.",
    );
  return canonical(wait);
}

function readApproval(context: BackgroundContext, node: Node): JsonValue | null {
  const map = expectMap(context.reader, node, "`approval`");
  if (map === null) return null;
  const approval: Record<string, JsonValue | null> = {};
  for (const one of map.entries) {
    if (one.key.text === "roles") {
      const roles = expectWords(context.reader, one.value, "`roles`");
      for (const role of roles) checkRole(role, context.roles, context.reader.report);
      approval["roles"] = roles.map((role) => role.text);
    } else if (one.key.text === "timeout") approval["timeout"] = readDuration(context.reader, one, waitBounds);
    else refuseKey(context.reader, one, "`approval`", ["roles", "timeout"], []);
  }
  return canonical(approval);
}

/** What can be known of a built-in action's input before it runs: names that are written out. */
function checkInput(context: BackgroundContext, action: string, input: Node | undefined, scope: StepScope): void {
  const given = input?.kind === "map" ? input : null;
  const named = given === null ? undefined : (entryOf(given, "name") ?? entryOf(given, "worker"));
  const written = named?.value.kind === "scalar" && !named.value.text.includes("${{") ? wordOf(named.value) : null;
  if (action === "event.emit") {
    if (written !== null && entryOf(given as MapNode, "name") !== undefined) checkEvent(written, context);
  } else if (action === "worker.run") {
    if (written !== null && !context.workers.has(written.text)) {
      const hint = suggestFor(written.text, context.workers, context.reader.report) ?? "Declare it under `workers`.";
      context.reader.report.add("unknown_worker", written.range, `There is no worker \`${written.text}\`.`, hint);
    }
  } else if (action === "record.update") checkRecordFields(context, given, scope.entity);
}

function checkRecordFields(
  { entities, reader }: BackgroundContext,
  input: MapNode | null,
  entity: string | null,
): void {
  const found = entity === null ? undefined : entities.get(entity);
  if (found === undefined || input === null) return;
  const names = new Set(found.entity.fields.map((field) => field.name));
  for (const { key } of input.entries) {
    if (key.broken || names.has(key.text) || found.brokenFields.has(key.text)) continue;
    const message = `\`${found.entity.name}\` has no field \`${key.text}\`.`;
    reader.report.add("unknown_field", key.range, message, suggestFor(key.text, names, reader.report));
  }
}
