// Reads what starts a worker or workflow: `on`, `when`, `record`, `ordered`, `after_failure`. In: their syntax. Out: the typed trigger,
// and the names that expressions can use.
import { checkValue, type ValueShape } from "@plinth/expression";
import { expectWords, mapEntries } from "../declarations/expect.ts";
import type { Step, Template, Values, Workflow } from "../model/background.ts";
import { suggestFor } from "../text/suggestions.ts";
import { entryOf, type MapEntry, type MapNode, type Node } from "../text/syntax.ts";
import type { BackgroundContext } from "./context.ts";
import { readWord } from "./durations.ts";
import { checkEvent, dataShape, subjectOf } from "./events.ts";
import { readFieldValues } from "./record-values.ts";
import { readCondition } from "./work-expression.ts";
import { carriedRecord, eventShape, json, runShape, scopeOf, type WorkPlace } from "./work-scope.ts";

export const triggerKeys: readonly string[] = ["on", "when", "record", "ordered", "after_failure"];

/** Triggers that are not events. */
const otherStarts: readonly string[] = ["schedule", "manual"];

type Declared = Pick<Workflow, "on" | "starts" | "when" | "entity" | "lookup" | "ordered" | "afterFailure">;

export interface Trigger {
  /**
   * The trigger in the model. The record whose id a declared event carries is looked up only if `when`, `ordered` or a
   * step reads it: a workflow that doesn't need the record then also runs after it was deleted.
   */
  readonly declaredFor: (steps: readonly Step[]) => Declared;
  /** The names that steps can use. */
  readonly place: Omit<WorkPlace, "steps">;
}

export function readTrigger(context: BackgroundContext, map: MapNode, kind: "workflow" | "worker"): Trigger {
  const on = entryOf(map, "on");
  const when = entryOf(map, "when");
  const record = entryOf(map, "record");
  const { starts, isKnown } =
    on === undefined ? { starts: [], isKnown: kind === "worker" } : readStarts(context, on.value);
  const startUnknown = !isKnown;
  const events = starts.filter((start) => !otherStarts.includes(start));
  const carried = entityOf(events, context);
  const shape = eventShape(dataOf(events, context), carriedRecord(carried, context.entities));
  const event: [string, ValueShape][] = events.length === 0 ? [] : [["event", shape]];
  const bare: WorkPlace = {
    entity: carried,
    rows: ["record", "old"],
    roots: new Map(event),
    steps: null,
    user: false,
    startUnknown,
  };
  const implied = record === undefined && carried === null ? impliedLookup(context, events, bare) : null;
  const lookup = record === undefined ? implied : readLookup(context, record, { ...bare, entity: null });
  const entity = lookup?.entity ?? (record === undefined ? carried : null);
  const seen: WorkPlace = { ...bare, entity, rows: lookup === null ? ["record", "old"] : ["record"] };
  const ordered = entryOf(map, "ordered");
  const isOrdered = ordered !== undefined && readWord(context.reader, ordered, ["record"]) !== null;
  if (isOrdered && entity === null && !startUnknown)
    context.reader.report.add(
      "invalid_option",
      ordered.value.range,
      "No record starts this work, so its runs can't be ordered by record.",
      "Remove `ordered`.",
    );
  const declared: Declared = {
    on: events,
    starts: starts.filter((start) => otherStarts.includes(start)),
    when: when === undefined ? null : readCondition(context, when, seen),
    entity,
    lookup: lookup?.values ?? null,
    ordered: isOrdered ? "record" : null,
    ...readAfterFailure(context, map, ordered !== undefined),
  };
  return {
    declaredFor: (steps) =>
      implied === null || isOrdered || readsRecord([declared.when, steps])
        ? declared
        : { ...declared, entity: null, lookup: null },
    place: {
      entity,
      rows: seen.rows,
      roots: new Map([...event, ["run", runShape], ...(kind === "worker" ? ([["input", json]] as const) : [])]),
      user: false,
      startUnknown: startUnknown && entity === null,
    },
  };
}

/** What a failed run means for the later runs of its record. */
function readAfterFailure(
  { reader }: BackgroundContext,
  map: MapNode,
  isOrdered: boolean,
): Pick<Workflow, "afterFailure"> {
  const entry = entryOf(map, "after_failure");
  if (entry === undefined) return {};
  if (!isOrdered)
    reader.report.add(
      "invalid_option",
      entry.key.range,
      "`after_failure` has no effect without `ordered`.",
      "Add `ordered: record`, or remove `after_failure`.",
    );
  return readWord(reader, entry, ["block", "skip"]) === "block" ? { afterFailure: "block" } : {};
}

/** The one entity whose records all of the events carry. */
function entityOf(events: readonly string[], context: BackgroundContext): string | null {
  const about = new Set(events.map((event) => context.events.get(event) ?? nounOf(event, context)));
  const [only] = about;
  return about.size === 1 ? (only ?? null) : null;
}

/** For a declared event with the id of a record: that record. */
function impliedLookup(context: BackgroundContext, events: readonly string[], place: WorkPlace): Lookup | null {
  const [only, second] = events;
  const subject = only === undefined || second !== undefined ? null : subjectOf(only, context);
  if (subject === null) return null;
  const scope = scopeOf({ ...place, entity: null }, context.schema);
  const { expression } = checkValue(`event.data.${subject.field}`, scope, { kind: "uuid" });
  return expression === null ? null : { entity: subject.entity, values: { id: { kind: "value", expression } } };
}

/** Whether an expression in it reads a field of the record. */
function readsRecord(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false;
  const isField = "kind" in part && part.kind === "field" && "row" in part && part.row === "record";
  return isField || Object.values(part).some(readsRecord);
}

/** For an event that nothing emits, a guess of what its author meant, so that the rest is checked. */
function nounOf(event: string, { events, entities }: BackgroundContext): string | null {
  const noun = event.split(".")[0] ?? "";
  return !events.has(event) && entities.has(noun) ? noun : null;
}

function dataOf(events: readonly string[], context: BackgroundContext): ValueShape {
  const [only, second] = events;
  return only !== undefined && second === undefined ? dataShape(only, context) : json;
}

function readStarts(context: BackgroundContext, node: Node): { readonly starts: string[]; readonly isKnown: boolean } {
  const { report } = context.reader;
  const words = expectWords(context.reader, node, "`on`");
  const seen = new Set<string>();
  let isKnown = words.length > 0;
  for (const word of words) {
    if (seen.size === seen.add(word.text).size)
      report.add("duplicate_value", word.range, `\`${word.text}\` is listed twice.`, "Remove one of them.");
    else if (!otherStarts.includes(word.text) && !checkEvent(word, context)) isKnown = false;
  }
  return { starts: [...seen].sort(), isKnown };
}

interface Lookup {
  readonly values: Values;
  readonly entity: string | null;
}

/** `{ shipment: { tracking_number: "${{ event.data.code }}" } }`: one entity, and the fields to look it up by. */
function readLookup(context: BackgroundContext, entry: MapEntry, place: WorkPlace): Lookup {
  const { reader, entities } = context;
  const [only, second] = mapEntries(reader, entry.value, "`record`");
  if (only === undefined || second !== undefined) {
    if (entry.value.kind === "map")
      reader.report.add(
        "invalid_lookup",
        (second ?? entry).key.range,
        "`record` must look up exactly one record.",
        "For example `{ shipment: { tracking_number: ... } }`.",
      );
    return { values: {}, entity: null };
  }
  const found = entities.get(only.key.text);
  if (found === undefined) {
    const message = `There is no entity \`${only.key.text}\`.`;
    const hint = suggestFor(only.key.text, entities.keys(), reader.report);
    reader.report.add("unknown_entity", only.key.range, message, hint);
  }
  const fields = mapEntries(reader, only.value, "The look-up of a record");
  if (fields.length === 0 && only.value.kind === "map")
    reader.report.add(
      "invalid_lookup",
      only.key.range,
      "The look-up has no field, so it can't find a record.",
      "Name a field of the entity and its value.",
    );
  if (found === undefined) return { values: {}, entity: null };
  const writing = { place, inAction: false, as: "find", edge: null, at: entry.key.range } as const;
  const values: Readonly<Record<string, Template>> = readFieldValues(context, found, fields, writing) ?? {};
  return { values, entity: found.entity.name };
}
