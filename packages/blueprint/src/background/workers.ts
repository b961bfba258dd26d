// In: the section `workers`. Out: its parts: steps, or a signed call to the customer's own service.
import { expectMap, expectText, mapEntries, refuseKey } from "../expect.ts";
import type { JsonValue } from "../model.ts";
import type { BackgroundPart } from "../model-background.ts";
import { entryOf, type MapEntry, type MapNode, type Node } from "../syntax.ts";
import { type BackgroundContext, canonical, distinct, jsonOf } from "./context.ts";
import { readDuration, readRetry, readWhole, readWord, timeoutBounds } from "./durations.ts";
import { checkPartName } from "./part-name.ts";
import { readSteps } from "./steps.ts";
import { checkTemplates } from "./templates.ts";
import { readTrigger, triggerKeys } from "./triggers.ts";

const workerKeys: readonly string[] = [...triggerKeys, "steps", "http", "concurrency", "timeout", "retry"];
const httpKeys: readonly string[] = ["url", "method", "headers", "body"];
const CONCURRENCY_MAX = 100;

export function readWorkers(context: BackgroundContext, node: Node): readonly BackgroundPart[] {
  return mapEntries(context.reader, node, "`workers`").flatMap((entry) => {
    checkPartName(entry.key, "a worker", context);
    const map = expectMap(context.reader, entry.value, `The worker \`${entry.key.text}\``);
    return map === null ? [] : [readWorker(context, entry, map)];
  });
}

function readWorker(context: BackgroundContext, entry: MapEntry, map: MapNode): BackgroundPart {
  const { reader } = context;
  const { declaration, entity } = readTrigger(context, map);
  const worker: Record<string, JsonValue | null> = { ...declaration };
  let egress: BackgroundPart["egress"] = [];
  for (const option of map.entries) {
    const key = option.key.text;
    switch (key) {
      case "steps": {
        const read = readSteps(context, option.value, { entity, known: new Set(), depth: 0 });
        worker[key] = read.steps;
        egress = [...egress, ...read.egress];
        break;
      }
      case "http":
        worker[key] = readHttp(context, option.value);
        egress = [...egress, { to: "http", entity }];
        break;
      case "concurrency":
        worker[key] = readWhole(reader, option, 1, CONCURRENCY_MAX);
        break;
      case "timeout":
        worker[key] = readDuration(reader, option, timeoutBounds);
        break;
      case "retry":
        worker[key] = readRetry(reader, option);
        break;
      default:
        if (!triggerKeys.includes(key)) refuseKey(reader, option, "a worker", workerKeys, []);
    }
  }
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
  return { name: entry.key.text, declaration: canonical(worker), egress: distinct(egress) };
}

function readHttp({ reader }: BackgroundContext, node: Node): JsonValue | null {
  const map = expectMap(reader, node, "`http`");
  if (map === null) return null;
  const call: Record<string, JsonValue | null> = {};
  for (const option of map.entries) {
    const key = option.key.text;
    switch (key) {
      case "url": {
        const url = expectText(reader, option.value, "`url`");
        if (url !== null) {
          checkTemplates(reader, url, new Set());
          if (!/^https:\/\/[^\s/$?#]+/.test(url.text))
            reader.report.add(
              "invalid_option",
              url.range,
              "`url` is no https address.",
              "For example `https://example.com/jobs`.",
            );
        }
        call[key] = url?.text ?? null;
        break;
      }
      case "method":
        call[key] = readWord(reader, option, ["POST", "PUT", "PATCH", "GET", "DELETE"]);
        break;
      case "headers":
      case "body":
        for (const member of mapEntries(reader, option.value, `\`${key}\``))
          if (key === "headers") expectText(reader, member.value, `The header \`${member.key.text}\``);
        checkTemplates(reader, option.value, new Set());
        call[key] = jsonOf(option.value);
        break;
      default:
        refuseKey(reader, option, "`http`", httpKeys, []);
    }
  }
  if (entryOf(map, "url") === undefined)
    reader.report.add("missing_key", map.range, "`http` has no `url`.", "Write `url: https://example.com/jobs`.");
  return canonical(call);
}
