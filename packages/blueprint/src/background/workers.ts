// Reads the section `workers`. In: its syntax. Out: the trigger of each, and its typed steps. A call to the customer's
// own service becomes one step.
import { expectMap, mapEntries, refuseKey } from "../declarations/expect.ts";
import type { Retry, Step, Workflow } from "../model/background.ts";
import { entryOf, type MapEntry, type MapNode, type Node } from "../text/syntax.ts";
import { type BackgroundContext, distinct } from "./context.ts";
import { checkCallTimeout, readDuration, readWhole, timeoutBounds } from "./durations.ts";
import { hostOf, readHttpCall } from "./http-step.ts";
import { checkPartName } from "./part-name.ts";
import { bareStep, patientRetry, retryOf } from "./step-options.ts";
import type { ReadSteps } from "./step-scope.ts";
import { readSteps } from "./steps.ts";
import { readTrigger, triggerKeys } from "./triggers.ts";
import type { WorkPlace } from "./work-scope.ts";

const workerKeys: readonly string[] = [...triggerKeys, "steps", "http", "concurrency", "timeout", "retry"];
const CONCURRENCY_MAX = 100;

export function readWorkers(context: BackgroundContext, node: Node): readonly Workflow[] {
  return mapEntries(context.reader, node, "`workers`").flatMap((entry) => {
    checkPartName(entry.key, "a worker", context);
    const map = expectMap(context.reader, entry.value, `The worker \`${entry.key.text}\``);
    return map === null ? [] : [readWorker(context, entry, map)];
  });
}

function readWorker(context: BackgroundContext, entry: MapEntry, map: MapNode): Workflow {
  const { reader } = context;
  for (const option of map.entries)
    if (!workerKeys.includes(option.key.text)) refuseKey(reader, option, "a worker", workerKeys, []);
  const { declaredFor, place } = readTrigger(context, map, "worker");
  const read = <T>(key: string, reading: (option: MapEntry) => T | null): T | null => {
    const option = entryOf(map, key);
    return option === undefined ? null : reading(option);
  };
  const retry: Retry | null = read("retry", (option) => retryOf(context, option));
  const [steps, http] = [entryOf(map, "steps"), entryOf(map, "http")];
  if (steps === undefined && http === undefined)
    reader.report.add(
      "missing_key",
      entry.key.range,
      `The worker \`${entry.key.text}\` has neither \`steps\` nor \`http\`.`,
      "Add `steps` or `http`.",
    );
  if (steps !== undefined && http !== undefined)
    reader.report.add(
      "invalid_step",
      http.key.range,
      "A worker can have `steps` or `http`, not both.",
      "Write the call as a step: `http.request`.",
    );
  const timeoutMs = read("timeout", (option) => readDuration(reader, option, timeoutBounds));
  if (http !== undefined) checkCallTimeout(context, entryOf(map, "timeout"), timeoutMs);
  const call =
    http === undefined ? [] : callOf(context, http, { ...place, steps: null }, retry ?? patientRetry, timeoutMs);
  const names = { ids: new Set<string>(), given: new Set<string>() };
  const scope = { place, outputs: new Map(), ...names, retry, inAction: false, inTransaction: false, depth: 0 };
  const body: ReadSteps = steps === undefined ? { steps: [], egress: [] } : readSteps(context, steps.value, scope);
  const calls = call.flatMap(({ action }) =>
    action.kind === "http.request" ? [{ to: "http", entity: place.entity, ...hostOf(action.url) }] : [],
  );
  const all = steps === undefined ? call : body.steps;
  return {
    name: entry.key.text,
    ...declaredFor(all),
    steps: all,
    concurrencyMax: read("concurrency", (option) => readWhole(reader, option, 1, CONCURRENCY_MAX)),
    // In a worker with `http`, it belongs to the call: attempts run one after the other.
    timeoutMs: http === undefined ? timeoutMs : null,
    egress: distinct([...body.egress, ...calls]),
  };
}

/** A worker with `http` has exactly one step: the call. */
function callOf(
  context: BackgroundContext,
  { key, value }: MapEntry,
  place: WorkPlace,
  retry: Retry,
  timeoutMs: number | null,
): readonly Step[] {
  const map = expectMap(context.reader, value, "`http`");
  const read = map === null ? null : readHttpCall(context, key, map, place, { what: "`http`", signed: true });
  if (read === null) return [];
  return [{ ...bareStep, id: "call", action: read.action, retry, timeoutMs: timeoutMs ?? bareStep.timeoutMs }];
}
