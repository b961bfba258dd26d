// A minimal field. In: a name and a type. Out: a field of the model.
import type { Field, FieldType } from "./model.ts";

/** A field that callers write, with only a type. */
export function plainField(name: string, type: FieldType): Field {
  return {
    name,
    type,
    optional: false,
    default: null,
    limits: { min: null, max: null, pattern: null },
    writer: "caller",
    declared: true,
    was: null,
    immutable: false,
    internal: false,
    pii: false,
    searchable: false,
    deprecated: null,
    label: null,
    help: null,
  };
}

/** A field that the service writes and nobody declared. */
export function serviceField(name: string, parts: Partial<Field> & Pick<Field, "type">): Field {
  return { ...plainField(name, parts.type), writer: "service", declared: false, ...parts };
}
