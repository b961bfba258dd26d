// The names that expressions of background work can use. In: the trigger, and the earlier steps. Out: the shapes of
// values that are not rows, and the scope for the checker of expressions. It reports nothing.
import { type Schema, type Scope, stepErrorCodes, type Type, type ValueShape } from "@plinth/expression";
import type { Field, FieldType } from "../model/model.ts";
import { typeInRules } from "../rules/expression-schema.ts";

/** The place of an expression. */
export interface WorkPlace {
  /** The entity of `record`; null if there is none. */
  readonly entity: string | null;
  readonly rows: readonly ("record" | "old")[];
  /** `event`, `input`, `run`, `each`, `error`: those that exist. */
  readonly roots: ReadonlyMap<string, ValueShape>;
  /** The outputs of the earlier steps; null if no step can be named. */
  readonly steps: ReadonlyMap<string, ValueShape> | null;
  /** Whether there can be a signed-in user: only in actions. */
  readonly user: boolean;
  /** The trigger has problems that are reported already, so problems that follow from them are not reported. */
  readonly startUnknown?: boolean;
}

export const json: ValueShape = { kind: "json" };
const uuid = typed({ kind: "uuid" });
const text = typed({ kind: "text" });
const datetime = typed({ kind: "datetime" });

export function scopeOf(place: WorkPlace, schema: Schema): Scope {
  const values = new Map(place.roots);
  if (place.steps !== null) values.set("steps", { kind: "object", members: place.steps });
  return {
    schema,
    record: place.entity ?? "",
    operation: "read",
    work: { values, rows: place.entity === null ? [] : place.rows, user: place.user },
  };
}

export function typed(type: Type): ValueShape {
  return { kind: "value", type };
}

export function objectOf(members: Readonly<Record<string, ValueShape>>): ValueShape {
  return { kind: "object", members: new Map(Object.entries(members)) };
}

/**
 * The shape of an event.
 * @param data The data of a declared one.
 * @param record The record that it carries, as it was at the event; null if it carries none.
 */
export function eventShape(data: ValueShape, record: ValueShape | null): ValueShape {
  return objectOf({
    id: uuid,
    name: text,
    at: datetime,
    entity: text,
    record_id: uuid,
    organization_id: uuid,
    actor: objectOf({ kind: text, id: text }),
    request_id: text,
    data,
    ...(record === null ? {} : { record }),
  });
}

export const runShape: ValueShape = objectOf({ id: uuid, workflow: text, request_id: text });

/** Why a step failed, for the steps of its `on_error`. */
export const errorShape: ValueShape = objectOf({
  step: text,
  code: typed({ kind: "enum", values: stepErrorCodes }),
  message: text,
  /** Null if no service answered. */
  status: typed({ kind: "int" }),
  /** The beginning of the other service's answer; null if there is none. */
  body: text,
  attempts: typed({ kind: "int" }),
});

/** A record in the output of steps. Secrets never leave the database. */
export function recordShape(fields: readonly Field[]): ValueShape {
  return fieldsShape(fields.filter((field) => field.type.kind !== "secret"));
}

/** The record that events of this entity carry; null for none. */
export function carriedRecord(
  entity: string | null,
  entities: ReadonlyMap<string, { readonly entity: { readonly fields: readonly Field[] } }>,
): ValueShape | null {
  const found = entity === null ? undefined : entities.get(entity);
  return found === undefined ? null : recordShape(found.entity.fields);
}

/** A payload or an input. */
export function fieldsShape(fields: readonly Field[]): ValueShape {
  return { kind: "object", members: new Map(fields.map((field) => [field.name, shapeOfType(field.type)])) };
}

function shapeOfType(type: FieldType): ValueShape {
  switch (type.kind) {
    case "object":
      return { kind: "object", members: new Map(type.fields.map((one) => [one.name, shapeOfType(one.type)])) };
    case "list":
      return { kind: "list", of: shapeOfType(type.of) };
    case "json":
      return json;
    default:
      return typed(typeInRules(type));
  }
}
