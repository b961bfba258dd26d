// What expressions of background work see. In: what starts the work, and the steps before. Out: shapes of the values beside
// the rows, and the scope that the checker of expressions takes. It reports nothing.
import { type Schema, type Scope, stepErrorCodes, type Type, type ValueShape } from "@plinth/expression";
import type { Field, FieldType } from "../model/model.ts";
import { typeInRules } from "../rules/expression-schema.ts";

/** Where an expression stands. */
export interface WorkPlace {
  /** The entity of `record`; null where there is none. */
  readonly entity: string | null;
  readonly rows: readonly ("record" | "old")[];
  /** `event`, `input`, `run`, `each`, `error`: those that are there. */
  readonly roots: ReadonlyMap<string, ValueShape>;
  /** The outputs of the steps before; null where no step can be named. */
  readonly steps: ReadonlyMap<string, ValueShape> | null;
  /** Whether somebody is signed in: in actions alone. */
  readonly user: boolean;
  /** What starts the work is reported as wrong: what follows from that is not reported again. */
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

/** An event as work sees it; `data` is what a declared one carries. */
export function eventShape(data: ValueShape): ValueShape {
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
  });
}

export const runShape: ValueShape = objectOf({ id: uuid, workflow: text, request_id: text });

/** Why a step failed, for the steps of its `on_error`. */
export const errorShape: ValueShape = objectOf({
  step: text,
  code: typed({ kind: "enum", values: stepErrorCodes }),
  message: text,
  /** Null where no service answered. */
  status: typed({ kind: "int" }),
  attempts: typed({ kind: "int" }),
});

/** A record as steps give it; secrets never leave the database. */
export function recordShape(fields: readonly Field[]): ValueShape {
  return fieldsShape(fields.filter((field) => field.type.kind !== "secret"));
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
