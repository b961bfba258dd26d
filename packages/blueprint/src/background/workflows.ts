// In: the section `workflows`. Out: its parts: what starts each, and its steps.
import { expectMap, mapEntries, refuseKey } from "../expect.ts";
import type { BackgroundPart } from "../model-background.ts";
import { entryOf, type MapEntry, type MapNode, type Node } from "../syntax.ts";
import { type BackgroundContext, canonical, distinct } from "./context.ts";
import { checkPartName } from "./part-name.ts";
import { readSteps } from "./steps.ts";
import { readTrigger, triggerKeys } from "./triggers.ts";

const workflowKeys: readonly string[] = [...triggerKeys, "actions", "steps"];

export function readWorkflows(context: BackgroundContext, node: Node): readonly BackgroundPart[] {
  return mapEntries(context.reader, node, "`workflows`").flatMap((entry) => {
    checkPartName(entry.key, "a workflow", context);
    const map = expectMap(context.reader, entry.value, `The workflow \`${entry.key.text}\``);
    return map === null ? [] : [readWorkflow(context, entry, map)];
  });
}

function readWorkflow(context: BackgroundContext, { key }: MapEntry, map: MapNode): BackgroundPart {
  const { report } = context.reader;
  for (const option of map.entries)
    if (!workflowKeys.includes(option.key.text)) refuseKey(context.reader, option, "a workflow", workflowKeys, []);
  if (entryOf(map, "on") === undefined)
    report.add(
      "missing_key",
      key.range,
      `Nothing starts the workflow \`${key.text}\`.`,
      "Write `on:` with an event, or `on: manual`.",
    );
  const [actions, steps] = [entryOf(map, "actions"), entryOf(map, "steps")];
  if (actions === undefined && steps === undefined)
    report.add("missing_key", key.range, `The workflow \`${key.text}\` does nothing.`, "Write `steps:`.");
  if (actions !== undefined && steps !== undefined)
    report.add(
      "invalid_step",
      steps.key.range,
      "`actions` and `steps` are two words for one thing.",
      "Keep one of them.",
    );
  const { declaration, entity } = readTrigger(context, map);
  const body = steps ?? actions;
  const read =
    body === undefined
      ? { steps: [], egress: [] }
      : readSteps(context, body.value, { entity, known: new Set(), depth: 0 });
  return {
    name: key.text,
    declaration: canonical({ ...declaration, steps: read.steps }),
    egress: distinct(read.egress),
  };
}
