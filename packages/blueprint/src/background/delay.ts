// Reads how long a step waits before it starts. In: `delay: 5m`, or `delay: { until: record.due, before: 1d }`. Out: the
// time in ms, or the moment; null after its problems were reported.
import type { Moment } from "@plinth/expression";
import { refuseKey } from "../declarations/expect.ts";
import { entryOf, type MapEntry, type MapNode } from "../text/syntax.ts";
import type { BackgroundContext } from "./context.ts";
import { readDuration, waitBounds } from "./durations.ts";
import { readExpression } from "./work-expression.ts";
import type { WorkPlace } from "./work-scope.ts";

export type Delay = { readonly delayMs: number } | { readonly delayUntil: Moment };

export function readDelay(context: BackgroundContext, entry: MapEntry, place: WorkPlace): Delay | null {
  if (entry.value.kind === "map") return readMoment(context, entry, entry.value, place);
  const delayMs = readDuration(context.reader, entry, waitBounds);
  return delayMs === null ? null : { delayMs };
}

const keys: readonly string[] = ["until", "before", "after"];

function readMoment(context: BackgroundContext, { key }: MapEntry, map: MapNode, place: WorkPlace): Delay | null {
  const { reader } = context;
  for (const option of map.entries) if (!keys.includes(option.key.text)) refuseKey(reader, option, "`delay`", keys, []);
  const [until, before, after] = keys.map((name) => entryOf(map, name));
  if (until === undefined) {
    reader.report.add("missing_key", key.range, "`delay` has no `until`.", "Write `until: record.due_at`.");
    return null;
  }
  if (before !== undefined && after !== undefined)
    reader.report.add(
      "invalid_option",
      after.key.range,
      "A step waits until `before` or `after` a time, not both.",
      "Remove one of them.",
    );
  const shift = before ?? after;
  const ms = shift === undefined ? 0 : readDuration(reader, shift, waitBounds);
  const time = readTime(context, until, place);
  if (ms === null || time === null) return null;
  return { delayUntil: { time, shiftMs: before === undefined ? ms : -ms } };
}

/** A datetime or a date. A value of JSON is checked when the step begins. */
function readTime(context: BackgroundContext, option: MapEntry, place: WorkPlace): Moment["time"] | null {
  const wanted = { what: "a time", example: "record.due_at", expected: null };
  const time = readExpression(context, option, place, wanted);
  if (time === null || ["datetime", "date", "opaque"].includes(time.type.kind)) return time;
  context.reader.report.add(
    "invalid_option",
    option.value.range,
    "`until` must be a date or a time.",
    "Name a `datetime` or `date`, such as `record.due_at`.",
  );
  return null;
}
