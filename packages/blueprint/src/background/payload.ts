// Reads fields of an event's payload or of an action's input. In: their syntax. Out: the fields, checked like an
// entity's fields, and the values that a step gives them.
import { checkField } from "../check/fields/fields.ts";
import { expectMap, mapEntries } from "../declarations/expect.ts";
import { readField } from "../declarations/read-field.ts";
import type { Template } from "../model/background.ts";
import type { Field } from "../model/model.ts";
import { suggestFor } from "../text/suggestions.ts";
import type { MapEntry, Node } from "../text/syntax.ts";
import type { BackgroundContext } from "./context.ts";
import { readValue } from "./record-values.ts";
import { holdsTemplate, readTemplate } from "./templates.ts";
import type { WorkPlace } from "./work-scope.ts";

const FIELDS_MAX = 100;

export function readPayload(
  { reader, entities, modules }: Pick<BackgroundContext, "reader" | "entities" | "modules">,
  node: Node,
  what: string,
): readonly Field[] {
  const entries = mapEntries(reader, node, what);
  const over = entries[FIELDS_MAX];
  if (over !== undefined)
    reader.report.add("too_many", over.key.range, `${what} can have at most ${FIELDS_MAX} fields.`);
  const names = new Set(entities.keys());
  return entries.slice(0, FIELDS_MAX).flatMap((entry): Field[] => {
    const field = checkField(readField(reader, entry), { entities: names, modules, report: reader.report });
    return field === null || field === "not_served" ? [] : [field];
  });
}

/** The values that a step gives an event: one for each required field. Null after problems were reported. */
export function readPayloadValues(
  context: BackgroundContext,
  payload: readonly Field[],
  { key, value: node }: Pick<MapEntry, "key" | "value">,
  place: WorkPlace,
  what = "The event",
): Template | null {
  const { report } = context.reader;
  if (node.kind === "scalar" && holdsTemplate(node)) return readTemplate(context, node, place);
  const map = expectMap(context.reader, node, `\`${key.text}\``);
  if (map === null) return null;
  const members = new Map<string, Template>();
  let fine = true;
  for (const entry of map.entries) {
    const field = payload.find((one) => one.name === entry.key.text);
    if (field === undefined) {
      const known = payload.map((one) => one.name);
      const message = `${what} has no \`${entry.key.text}\`.`;
      report.add("unknown_field", entry.key.range, message, suggestFor(entry.key.text, known, report));
    }
    const value = field === undefined ? null : readValue(context, field, entry.value, { place });
    if (value === null) fine = false;
    else members.set(entry.key.text, value);
  }
  const given = new Set(map.entries.map((entry) => entry.key.text));
  const missing = payload.filter((field) => !field.optional && field.default === null && !given.has(field.name));
  if (missing.length > 0) {
    const names = missing.map((field) => `\`${field.name}\``).join(", ");
    const hint = `Write it under \`with\`: \`${key.text}: { ${missing[0]?.name}: ... }\`.`;
    report.add("step_value_missing", key.range, `${what} needs ${names}, but no value is given.`, hint);
    return null;
  }
  if (!fine) return null;
  const sorted = [...members].sort(([a], [b]) => (a < b ? -1 : 1));
  return { kind: "object", members: Object.fromEntries(sorted) };
}
