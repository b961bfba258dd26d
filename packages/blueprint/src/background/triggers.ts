// In: what starts a worker or workflow: `on`, `when`, `record`. Out: it in canonical form, and the entity that it is about.
import { expectWords, mapEntries } from "../expect.ts";
import type { JsonValue } from "../model.ts";
import { suggestFor } from "../suggestions.ts";
import { entryOf, type MapEntry, type MapNode, type Node } from "../syntax.ts";
import { type BackgroundContext, canonical, jsonOf } from "./context.ts";
import { checkEvent } from "./events.ts";
import { readCondition } from "./steps.ts";
import { checkTemplates } from "./templates.ts";

export const triggerKeys: readonly string[] = ["on", "when", "record"];

/** Starts that are no event. */
const otherStarts: readonly string[] = ["schedule", "manual"];

export interface Trigger {
  readonly declaration: Readonly<Record<string, JsonValue | null>>;
  /** The entity of `record`; null where there is none, or more than one. */
  readonly entity: string | null;
}

export function readTrigger(context: BackgroundContext, map: MapNode): Trigger {
  const on = entryOf(map, "on");
  const when = entryOf(map, "when");
  const record = entryOf(map, "record");
  const starts = on === undefined ? [] : readStarts(context, on.value);
  const about = new Set(starts.map((start) => context.events.get(start) ?? null));
  const [only] = about;
  const lookup = record === undefined ? null : readLookup(context, record);
  return {
    declaration: {
      on: on === undefined ? null : starts,
      when: when === undefined ? null : readCondition(context, when, null),
      record: lookup?.declaration ?? null,
    },
    entity: lookup?.entity ?? (about.size === 1 ? (only ?? null) : null),
  };
}

function readStarts(context: BackgroundContext, node: Node): string[] {
  const { report } = context.reader;
  const words = expectWords(context.reader, node, "`on`");
  const seen = new Set<string>();
  for (const word of words) {
    if (seen.size === seen.add(word.text).size)
      report.add("duplicate_value", word.range, `\`${word.text}\` stands here twice.`, "Remove one of them.");
    else if (!otherStarts.includes(word.text)) checkEvent(word, context);
  }
  return words.map((word) => word.text).sort();
}

/** `{ shipment: { tracking_number: "${{ event.data.code }}" } }`: one entity, and the fields it is found by. */
function readLookup(
  { reader, entities }: BackgroundContext,
  entry: MapEntry,
): { readonly declaration: JsonValue; readonly entity: string | null } {
  const [only, second] = mapEntries(reader, entry.value, "`record`");
  if (only === undefined || second !== undefined) {
    if (entry.value.kind === "map")
      reader.report.add(
        "invalid_lookup",
        (second ?? entry).key.range,
        "`record` looks one record up.",
        "For example `{ shipment: { tracking_number: ... } }`.",
      );
    return { declaration: canonical({}), entity: null };
  }
  const found = entities.get(only.key.text);
  if (found === undefined) {
    const message = `There is no entity \`${only.key.text}\`.`;
    reader.report.add(
      "unknown_entity",
      only.key.range,
      message,
      suggestFor(only.key.text, entities.keys(), reader.report),
    );
  }
  const fields = mapEntries(reader, only.value, "What a record is found by");
  if (fields.length === 0 && only.value.kind === "map")
    reader.report.add("invalid_lookup", only.key.range, "Nothing says which record is meant.", "Name a field of it.");
  const names = new Set(found?.entity.fields.map((field) => field.name));
  for (const { key, value } of fields) {
    checkTemplates(reader, value, new Set());
    if (found === undefined || names.has(key.text) || found.brokenFields.has(key.text)) continue;
    const message = `\`${found.entity.name}\` has no field \`${key.text}\`.`;
    reader.report.add("unknown_field", key.range, message, suggestFor(key.text, names, reader.report));
  }
  return { declaration: jsonOf(entry.value), entity: found?.entity.name ?? null };
}
