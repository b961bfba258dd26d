// Reads durations, limited numbers, words and retries. In: their syntax. Out: the canonical form (in milliseconds), or
// a diagnostic.
import { expectText, isBroken, type Reader, refuseKey } from "../declarations/expect.ts";
import type { JsonValue } from "../model/model.ts";
import type { MapEntry } from "../text/syntax.ts";
import { type BackgroundContext, canonical } from "./context.ts";

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

interface Bounds {
  readonly minMs: number;
  readonly maxMs: number;
  readonly hint: string;
}

export const timeoutBounds: Bounds = { minMs: 100, maxMs: 86_400_000, hint: "Write a duration from `100ms` to `1d`." };
export const waitBounds: Bounds = {
  minMs: 1_000,
  maxMs: 31_536_000_000,
  hint: "Write a duration from `1s` to `365d`.",
};
const pauseBounds: Bounds = { minMs: 10, maxMs: 86_400_000, hint: "Write a duration from `10ms` to `1d`." };

/** `30s`, `5m`, `2h`, `1d`. */
export function readDuration(reader: Reader, entry: MapEntry, { minMs, maxMs, hint }: Bounds): number | null {
  const scalar = expectText(reader, entry.value, `\`${entry.key.text}\``);
  if (scalar === null) return null;
  const match = /^(\d{1,9}) ?(ms|s|m|h|d)$/.exec(scalar.text);
  const length = match === null ? Number.NaN : Number(match[1]) * (units[match[2] ?? ""] ?? Number.NaN);
  if (length >= minMs && length <= maxMs) return length;
  // `5 minutes`, `2 hrs`: the first letter of the unit decides.
  const [, count, unit = ""] = /^(\d{1,9})\s*(ms|milli|s|m|h|d)[a-z]*$/i.exec(scalar.text) ?? [];
  const short = count === undefined ? "" : `Write \`${count}${unit.toLowerCase().replace("milli", "ms")}\`. `;
  const bare = typeof scalar.value === "number" ? inUnits(scalar.value, { minMs, maxMs }) : "";
  const message = `\`${scalar.text}\` is not a valid value for \`${entry.key.text}\`.`;
  reader.report.add("invalid_duration", scalar.range, message, match === null ? `${short}${bare}${hint}` : hint);
  return null;
}

/** A number without a unit usually means milliseconds; a number that is too small for that means seconds. */
function inUnits(value: number, { minMs, maxMs }: Pick<Bounds, "minMs" | "maxMs">): string {
  const ms = value >= 100 ? value : value * 1_000;
  if (!Number.isInteger(value) || ms < minMs || ms > maxMs) return "";
  return `Write \`${durationText(ms)}\`${value >= 100 ? ` for ${value} milliseconds` : ""}. `;
}

/** The operator limits the time of a call to another service. @param entry Its `timeout`; absent if there is none. */
export function checkCallTimeout(
  { reader, callMsMax }: Pick<BackgroundContext, "reader" | "callMsMax">,
  entry: MapEntry | undefined,
  timeoutMs: number | null,
): void {
  if (entry === undefined || timeoutMs === null || callMsMax === null || timeoutMs <= callMsMax) return;
  reader.report.add(
    "invalid_limit",
    entry.value.range,
    "The operator of this Plinth doesn't allow calls of other services to take this long.",
    `The operator allows at most \`${durationText(callMsMax)}\`. Let the service answer at once, and use \`wait_for\` to wait for its result.`,
  );
}

/** In the largest unit that needs no fraction. */
function durationText(ms: number): string {
  const [name, factor] = Object.entries(units).findLast(([, each]) => ms % each === 0) ?? ["ms", 1];
  return `${ms / factor}${name}`;
}

export function readWhole(reader: Reader, entry: MapEntry, min: number, max: number): number | null {
  const node = entry.value;
  if (node.kind === "scalar" && typeof node.value === "number" && Number.isInteger(node.value)) {
    if (node.value >= min && node.value <= max) return node.value;
  }
  if (!isBroken(node))
    reader.report.add(
      "invalid_limit",
      node.range,
      `\`${entry.key.text}\` must be a whole number from ${min} to ${max}.`,
      `For example \`${entry.key.text}: ${Math.max(min, Math.min(max, 2))}\`.`,
    );
  return null;
}

export function readWord(reader: Reader, entry: MapEntry, words: readonly string[]): string | null {
  const scalar = expectText(reader, entry.value, `\`${entry.key.text}\``);
  if (scalar === null || words.includes(scalar.text)) return scalar?.text ?? null;
  const hint = `Use one of: ${words.join(", ")}.`;
  reader.report.add(
    "invalid_option",
    scalar.range,
    `\`${scalar.text}\` is not a valid value for \`${entry.key.text}\`.`,
    hint,
  );
  return null;
}

const retryKeys: readonly string[] = ["attempts", "backoff", "delay", "max_delay"];
const ATTEMPTS_MAX = 20;

/** `3`, or `{ attempts, backoff, delay, max_delay }`. */
export function readRetry(reader: Reader, entry: MapEntry, pauses: Bounds = pauseBounds): JsonValue | null {
  if (entry.value.kind !== "map") {
    const attempts = readWhole(reader, entry, 1, ATTEMPTS_MAX);
    return attempts === null ? null : canonical({ attempts });
  }
  const retry: Record<string, JsonValue | null> = {};
  for (const option of entry.value.entries) {
    switch (option.key.text) {
      case "attempts":
        retry["attempts"] = readWhole(reader, option, 1, ATTEMPTS_MAX);
        break;
      case "backoff":
        retry["backoff"] = readWord(reader, option, ["constant", "linear", "exponential"]);
        break;
      case "delay":
      case "max_delay":
        retry[option.key.text] = readDuration(reader, option, pauses);
        break;
      default:
        refuseKey(reader, option, "`retry`", retryKeys, []);
    }
  }
  return canonical(retry);
}
