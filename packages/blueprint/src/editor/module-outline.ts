// What modules add, for completion: their events, and the fields of their records and data. In: an outline. Out: names,
// and fields with their notation.
import type { Field, FieldType } from "../model/model.ts";
import type { ModuleEvent } from "../modules/description.ts";
import { moduleEvents } from "../modules/modules.ts";
import type { Outline } from "./outline.ts";

export function moduleEventsOf({ modules }: Outline): ReadonlyMap<string, ModuleEvent> {
  return moduleEvents(modules);
}

/** Field > notation, for what a module's event carries in addition to its record. */
export function moduleData(event: string, outline: Outline): ReadonlyMap<string, string> | undefined {
  const data = moduleEventsOf(outline).get(event)?.data;
  return data === undefined
    ? undefined
    : notations(
        data,
        data.map(({ name }) => name),
      );
}

/** Field > notation, for the named fields. */
export function notations(fields: readonly Field[], names: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    fields.filter(({ name }) => names.includes(name)).map(({ name, type }) => [name, notationOf(type)] as const),
  );
}

function notationOf(type: FieldType): string {
  if (type.kind === "enum") return `enum[${type.values.join(", ")}]`;
  return type.kind === "list" ? `list<${notationOf(type.of)}>` : type.kind;
}
