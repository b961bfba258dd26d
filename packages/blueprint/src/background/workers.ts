// In: the section `workers`. Out: what starts each, and its steps, typed; a call to the customer's own service is checked.
import { expectMap, expectText, mapEntries, refuseKey } from "../expect.ts";
import type { Retry, Workflow } from "../model-background.ts";
import { entryOf, type MapEntry, type MapNode, type Node } from "../syntax.ts";
import { type BackgroundContext, distinct } from "./context.ts";
import { readDuration, readWhole, readWord, timeoutBounds } from "./durations.ts";
import { checkPartName } from "./part-name.ts";
import { retryOf } from "./step-options.ts";
import type { ReadSteps } from "./step-scope.ts";
import { readSteps } from "./steps.ts";
import { readTemplate } from "./templates.ts";
import { readTrigger, triggerKeys } from "./triggers.ts";
import { refuseWorkerKey } from "./unserved.ts";
import type { WorkPlace } from "./work-scope.ts";

const workerKeys: readonly string[] = [...triggerKeys, "steps", "http", "concurrency", "timeout", "retry"];
const httpKeys: readonly string[] = ["url", "method", "headers", "body"];
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
  const { declared, place } = readTrigger(context, map, "worker");
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
      `The worker \`${entry.key.text}\` does nothing.`,
      "Give it `steps`, or `http`.",
    );
  if (steps !== undefined && http !== undefined)
    reader.report.add(
      "invalid_step",
      http.key.range,
      "A worker has `steps` or `http`, not both.",
      "Make the call a step: `http.request`.",
    );
  if (http !== undefined) {
    refuseWorkerKey("http", http.key.range, reader.report);
    checkHttp(context, http.value, { ...place, steps: null });
  }
  const scope = { place, outputs: new Map(), ids: new Set<string>(), retry, inAction: false, depth: 0 };
  const body: ReadSteps = steps === undefined ? { steps: [], egress: [] } : readSteps(context, steps.value, scope);
  const calls = http === undefined ? [] : [{ to: "http", entity: declared.entity }];
  return {
    name: entry.key.text,
    ...declared,
    steps: body.steps,
    concurrencyMax: read("concurrency", (option) => readWhole(reader, option, 1, CONCURRENCY_MAX)),
    timeoutMs: read("timeout", (option) => readDuration(reader, option, timeoutBounds)),
    egress: distinct([...body.egress, ...calls]),
  };
}

function checkHttp(context: BackgroundContext, node: Node, place: WorkPlace): void {
  const { reader } = context;
  const map = expectMap(reader, node, "`http`");
  if (map === null) return;
  for (const option of map.entries) {
    const key = option.key.text;
    switch (key) {
      case "url": {
        const url = expectText(reader, option.value, "`url`");
        if (url === null) break;
        readTemplate(context, url, place);
        if (!/^https:\/\/[^\s/$?#]+/.test(url.text)) {
          const hint = "For example `https://example.com/jobs`.";
          reader.report.add("invalid_option", url.range, "`url` is no https address.", hint);
        }
        break;
      }
      case "method":
        readWord(reader, option, ["POST", "PUT", "PATCH", "GET", "DELETE"]);
        break;
      case "headers":
      case "body":
        for (const member of mapEntries(reader, option.value, `\`${key}\``))
          if (key === "headers") expectText(reader, member.value, `The header \`${member.key.text}\``);
        readTemplate(context, option.value, place);
        break;
      default:
        refuseKey(reader, option, "`http`", httpKeys, []);
    }
  }
  if (entryOf(map, "url") === undefined)
    reader.report.add("missing_key", map.range, "`http` has no `url`.", "Write `url: https://example.com/jobs`.");
}
