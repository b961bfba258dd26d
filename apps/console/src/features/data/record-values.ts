// The values of a record in a form. In: the live entity, the stored record, and the texts in the form. Out: the fields that can be
// entered, and the values to send: only those that the person changed. Pure.
import type { Entity, Field } from "@plinth/blueprint";
import type { DataRow } from "@plinth/control/router";
import { isRequired, readValue, textOf } from "../../typed-fields/values.ts";

/** Field > its text. A field without a text is untouched. */
export type Texts = Readonly<Record<string, string>>;

/** The fields that the API accepts from an admin. The state of a record only changes by its transitions. */
export function fieldsToWrite(entity: Pick<Entity, "fields" | "stateMachine">, isNew: boolean): readonly Field[] {
  return entity.fields.filter(
    ({ name, type, writer, internal, immutable }) =>
      writer !== "service" &&
      !internal &&
      !["computed", "sequence", "file", "image"].includes(type.kind) &&
      name !== entity.stateMachine?.field &&
      (isNew || !immutable),
  );
}

export interface ChangedValues {
  readonly values: DataRow;
  /** By field; empty if the values can be sent. */
  readonly problems: Readonly<Record<string, string>>;
}

/** @param stored Null for a new record: then empty fields aren't sent, and the API uses their defaults. */
export function changedValues(fields: readonly Field[], stored: DataRow | null, texts: Texts): ChangedValues {
  const values: DataRow = {};
  const problems: Record<string, string> = {};
  for (const field of fields) {
    const before = textOf(stored?.[field.name], field.type);
    const text = texts[field.name] ?? before;
    if (stored !== null && text === before) continue;
    if (text.trim() === "") {
      const empty = emptyValue(field, stored === null);
      if (empty === "missing") problems[field.name] = "A value is required.";
      else if (empty !== "default") values[field.name] = empty.value;
      continue;
    }
    const read = readValue(field, text);
    if ("problem" in read) problems[field.name] = read.problem;
    else values[field.name] = read.value;
  }
  return { values, problems };
}

/** What an empty form field stands for. */
function emptyValue(field: Field, isNew: boolean): { readonly value: unknown } | "missing" | "default" {
  if (isNew) return isRequired(field) ? "missing" : "default";
  if (field.optional) return { value: null };
  if (field.type.kind === "refs") return { value: [] };
  return ["string", "text", "markdown"].includes(field.type.kind) ? { value: "" } : "missing";
}
