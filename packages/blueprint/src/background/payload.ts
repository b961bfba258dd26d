// In: fields of an event's payload or of an action's input. Out: their short notations, checked like an entity's fields.
import { checkField } from "../check/fields.ts";
import { mapEntries } from "../expect.ts";
import type { Field } from "../model.ts";
import { fieldText } from "../notation.ts";
import { readField } from "../read-field.ts";
import type { Node } from "../syntax.ts";
import { type BackgroundContext, type Canonical, canonical } from "./context.ts";

const FIELDS_MAX = 100;

export function readPayload(
  { reader, entities, modules }: BackgroundContext,
  node: Node,
  what: string,
): { readonly notations: Canonical; readonly fields: readonly Field[] } {
  const entries = mapEntries(reader, node, what);
  const over = entries[FIELDS_MAX];
  if (over !== undefined) reader.report.add("too_many", over.key.range, `${what} has at most ${FIELDS_MAX} fields.`);
  const names = new Set(entities.keys());
  const fields = entries.slice(0, FIELDS_MAX).flatMap((entry): Field[] => {
    const field = checkField(readField(reader, entry), { entities: names, modules, report: reader.report });
    return field === null || field === "not_served" ? [] : [field];
  });
  return { notations: canonical(Object.fromEntries(fields.map((field) => [field.name, fieldText(field)]))), fields };
}
