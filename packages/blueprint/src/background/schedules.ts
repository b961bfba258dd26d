// Reads the section `schedules`. In: its syntax. Out: the time, the time zone, and the work of each schedule.
import { expectMap, expectText, mapEntries, refuseKey } from "../declarations/expect.ts";
import type { Schedule } from "../model/background.ts";
import { suggestFor } from "../text/suggestions.ts";
import { entryOf, type MapEntry, type MapNode, type Node } from "../text/syntax.ts";
import type { BackgroundContext } from "./context.ts";
import { cronProblem, storedCron } from "./cron.ts";
import { readWord } from "./durations.ts";
import { checkPartName } from "./part-name.ts";

const scheduleKeys: readonly string[] = ["cron", "timezone", "run", "overlap", "catch_up"];

export function readSchedules(context: BackgroundContext, node: Node): readonly Schedule[] {
  return mapEntries(context.reader, node, "`schedules`").flatMap((entry) => {
    checkPartName(entry.key, "a schedule", context);
    const map = expectMap(context.reader, entry.value, `The schedule \`${entry.key.text}\``);
    return map === null ? [] : [readSchedule(context, entry, map)];
  });
}

function readSchedule(context: BackgroundContext, { key }: MapEntry, map: MapNode): Schedule {
  const { reader } = context;
  for (const option of map.entries)
    if (!scheduleKeys.includes(option.key.text)) refuseKey(reader, option, "a schedule", scheduleKeys, []);
  const read = <T>(name: string, reading: (option: MapEntry) => T | null): T | null => {
    const option = entryOf(map, name);
    return option === undefined ? null : reading(option);
  };
  const overlap = read("overlap", (option) => readWord(reader, option, ["skip", "queue", "allow"]));
  const catchUp = read("catch_up", (option) => readWord(reader, option, ["none", "last", "all"]));
  for (const needed of ["cron", "run"])
    if (entryOf(map, needed) === undefined)
      reader.report.add(
        "missing_key",
        key.range,
        `The schedule \`${key.text}\` has no \`${needed}\`.`,
        needed === "cron" ? 'For example `cron: "0 2 * * *"`.' : "Name a worker or a workflow.",
      );
  return {
    name: key.text,
    cron: read("cron", (option) => readCron(context, option.value)) ?? "",
    timezone: read("timezone", (option) => readTimezone(context, option.value)) ?? "UTC",
    run: read("run", (option) => readRun(context, option.value)) ?? "",
    overlap: (overlap ?? "skip") as Schedule["overlap"],
    catchUp: (catchUp ?? "none") as Schedule["catchUp"],
  };
}

function readCron({ reader }: BackgroundContext, node: Node): string | null {
  const scalar = expectText(reader, node, "`cron`");
  if (scalar === null) return null;
  const problem = cronProblem(scalar.text);
  if (problem !== null)
    reader.report.add(
      "invalid_schedule",
      scalar.range,
      `\`${scalar.text.slice(0, 60)}\` is not a valid cron expression.`,
      problem,
    );
  return storedCron(scalar.text);
}

function readTimezone({ reader }: BackgroundContext, node: Node): string | null {
  const scalar = expectText(reader, node, "`timezone`");
  if (scalar === null) return null;
  const zone = isTimezone(scalar.text) ? scalar.text : null;
  if (zone === null)
    reader.report.add(
      "invalid_schedule",
      scalar.range,
      `The time zone \`${scalar.text.slice(0, 60)}\` does not exist.`,
      "Use a name from the IANA database: `Europe/Berlin`.",
    );
  return zone;
}

function isTimezone(name: string): boolean {
  if (!/^(?:UTC|[A-Z][A-Za-z_]+(?:\/[A-Za-z0-9_+-]+){1,2})$/.test(name)) return false;
  try {
    // Throws a RangeError for a time zone that is not in the IANA database.
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

function readRun({ reader, workers, workflows }: BackgroundContext, node: Node): string | null {
  const scalar = expectText(reader, node, "`run`");
  if (scalar === null) return null;
  if (!workers.has(scalar.text) && !workflows.has(scalar.text)) {
    const hint = suggestFor(scalar.text, [...workers, ...workflows], reader.report) ?? "Declare it under `workers`.";
    reader.report.add("unknown_worker", scalar.range, `\`${scalar.text}\` is neither a worker nor a workflow.`, hint);
  }
  return scalar.text;
}
