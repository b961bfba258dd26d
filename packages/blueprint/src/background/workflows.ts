// Reads the section `workflows`. In: its syntax. Out: the trigger of each, and its typed steps.
import { expectMap, mapEntries, refuseKey } from "../declarations/expect.ts";
import type { Workflow } from "../model/background.ts";
import { entryOf, type MapEntry, type MapNode, type Node } from "../text/syntax.ts";
import { type BackgroundContext, distinct } from "./context.ts";
import { checkPartName } from "./part-name.ts";
import { readSteps } from "./steps.ts";
import { readTrigger, triggerKeys } from "./triggers.ts";

const workflowKeys: readonly string[] = [...triggerKeys, "actions", "steps"];

export function readWorkflows(context: BackgroundContext, node: Node): readonly Workflow[] {
  return mapEntries(context.reader, node, "`workflows`").flatMap((entry) => {
    checkPartName(entry.key, "a workflow", context);
    if (context.workers.has(entry.key.text)) {
      const message = `A worker has the name \`${entry.key.text}\` too.`;
      const hint = "Schedules and runs refer to both by name, so rename one of them.";
      context.reader.report.add("duplicate_value", entry.key.range, message, hint);
    }
    const map = expectMap(context.reader, entry.value, `The workflow \`${entry.key.text}\``);
    return map === null ? [] : [readWorkflow(context, entry, map)];
  });
}

function readWorkflow(context: BackgroundContext, { key }: MapEntry, map: MapNode): Workflow {
  const { report } = context.reader;
  for (const option of map.entries)
    if (!workflowKeys.includes(option.key.text)) refuseKey(context.reader, option, "a workflow", workflowKeys, []);
  if (entryOf(map, "on") === undefined)
    report.add(
      "missing_key",
      key.range,
      `Nothing starts the workflow \`${key.text}\`.`,
      "Write `on:` with an event, or `on: schedule` and a schedule that runs it.",
    );
  const [actions, steps] = [entryOf(map, "actions"), entryOf(map, "steps")];
  if (actions === undefined && steps === undefined)
    report.add("missing_key", key.range, `The workflow \`${key.text}\` has no steps.`, "Write `steps:`.");
  if (actions !== undefined && steps !== undefined)
    report.add("invalid_step", steps.key.range, "`actions` and `steps` mean the same.", "Keep only one of them.");
  const { declaredFor, place } = readTrigger(context, map, "workflow");
  const body = steps ?? actions;
  const scope = {
    place,
    outputs: new Map(),
    ids: new Set<string>(),
    given: new Set<string>(),
    retry: null,
    inAction: false,
    inTransaction: false,
    depth: 0,
  };
  const read = body === undefined ? { steps: [], egress: [] } : readSteps(context, body.value, scope);
  return {
    name: key.text,
    ...declaredFor(read.steps),
    steps: read.steps,
    concurrencyMax: null,
    timeoutMs: null,
    egress: distinct(read.egress),
  };
}
