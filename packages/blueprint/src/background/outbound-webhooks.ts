// Reads `webhooks.out`. In: its syntax. Out: the settings of the project's endpoints: which events they can receive,
// how deliveries are retried, and how long they are kept. The operator's limits apply at run time and are not known
// here.
import { readRetention } from "../check/retention.ts";
import { expectBoolean, expectMap, expectText, expectWords, refuseKey } from "../declarations/expect.ts";
import type { BackgroundPart } from "../model/background.ts";
import type { JsonValue } from "../model/model.ts";
import { entryOf, type Node } from "../text/syntax.ts";
import { type BackgroundContext, canonical, distinct, type Egress } from "./context.ts";
import { readDuration, readRetry, readWhole, readWord } from "./durations.ts";
import { checkEvent } from "./events.ts";
import { readVersions, VERSION_MAX } from "./payload-versions.ts";

const outKeys: readonly string[] = [
  "events",
  "enabled",
  "payload",
  "signing",
  "retry",
  "concurrency",
  "disable_after",
  "retention",
  "version",
  "versions",
];
/** The versions of a signature in Standard Webhooks: HMAC, and Ed25519. */
export const signingVersions: readonly string[] = ["v1", "v1a"];
export const payloadForms: readonly string[] = ["full", "thin"];
/** The maximum number of simultaneous calls to one endpoint. */
const CONCURRENCY_MAX = 20;
const pauses = { minMs: 1_000, maxMs: 86_400_000, hint: "Write a duration from `1s` to `1d`." };
const failing = { minMs: 3_600_000, maxMs: 365 * 86_400_000, hint: "Write a duration from `1h` to `365d`." };

export function readOutbound(context: BackgroundContext, node: Node): BackgroundPart | null {
  const { reader } = context;
  const map = expectMap(reader, node, "`out`");
  if (map === null) return null;
  const out: Record<string, JsonValue | null> = {};
  let egress: readonly Egress[] = [];
  for (const option of map.entries) {
    const key = option.key.text;
    switch (key) {
      case "retry":
        out[key] = readRetry(reader, option, pauses);
        break;
      case "signing":
        out[key] = readWord(reader, option, signingVersions);
        break;
      case "payload":
        out[key] = readWord(reader, option, payloadForms);
        break;
      case "concurrency":
        out[key] = readWhole(reader, option, 1, CONCURRENCY_MAX);
        break;
      case "disable_after":
        out[key] = readDuration(reader, option, failing);
        break;
      case "retention": {
        const text = expectText(reader, option.value, "`retention`");
        out[key] = text === null ? null : readRetention(text, reader.report);
        break;
      }
      case "version":
        out[key] = readWhole(reader, option, 1, VERSION_MAX);
        break;
      case "versions":
        // It is read below, when the current version is known.
        break;
      case "enabled":
        out[key] = expectBoolean(reader, option.value, "`enabled`");
        break;
      case "events": {
        const words = expectWords(reader, option.value, "`events`");
        for (const word of words) checkEvent(word, context);
        out[key] = [...new Set(words.map((word) => word.text))].sort();
        egress = words.map((word) => ({ to: "webhook", entity: context.events.get(word.text) ?? null }));
        break;
      }
      default:
        refuseKey(reader, option, "`out`", outKeys, []);
    }
  }
  const versions = entryOf(map, "versions");
  const current = typeof out["version"] === "number" ? out["version"] : 1;
  if (versions !== undefined) out["versions"] = readVersions(context, versions.value, current);
  return { name: "out", declaration: canonical(out), egress: out["enabled"] === false ? [] : distinct(egress) };
}
