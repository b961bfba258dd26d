// Handmade models, for tests of single stages. In: the parts that a test needs. Out: a whole model. The goldens use the
// language instead. Only tests import this.
import type { Entity, Field, FieldDefault, FieldType, Limits, Model, Operation, Permission } from "@plinth/blueprint";
import { plainField, sampleEntity, sampleModel } from "@plinth/blueprint/testing";
import type { Expression, Operator, RowName, Type } from "@plinth/expression";

export function modelOf(...entities: readonly Entity[]): Model {
  return sampleModel({ entities });
}

export { sampleModel as modelWith };

/** The parts of an entity; everything else has its default. */
export function entity(name: string, parts: Partial<Entity> = {}): Entity {
  const { fields = [], ...others } = parts;
  const service = (one: Field): Field => ({ ...one, writer: "service", declared: false });
  const deleted = others.softDelete === true ? [service(optional("deleted_at", { kind: "datetime" }))] : [];
  const all = [
    service(field("id", { kind: "uuid" })),
    ...fields,
    service(optional("created_by", { kind: "user_ref", onDelete: "set_null" }, { kind: "current_user_id" })),
    service(field("created_at", { kind: "datetime" }, { kind: "now" })),
    service(field("updated_at", { kind: "datetime" }, { kind: "now" })),
    ...deleted,
    service(field("version", { kind: "int" }, { kind: "literal", value: 1 })),
  ];
  return sampleEntity(name, all, others);
}

export function field(name: string, type: FieldType, fallback: FieldDefault | null = null): Field {
  return { ...plainField(name, type), default: fallback };
}

export function optional(name: string, type: FieldType, fallback: FieldDefault | null = null): Field {
  return { ...field(name, type, fallback), optional: true };
}

/** A field with other limits than the defaults of its type. */
export function limited(field: Field, limits: Partial<Limits>): Field {
  return { ...field, limits: { ...field.limits, ...limits } };
}

/** A reference that prevents the deletion of its target. */
export function refTo(entity: string): FieldType {
  return { kind: "ref", entity, onDelete: "restrict" };
}

export const userRef: FieldType = { kind: "user_ref", onDelete: "restrict" };

export function permission(
  role: string,
  operation: Operation,
  rule: Expression,
  parts: Partial<Permission> = {},
): Permission {
  return { role, operation, rule, fields: null, set: [], limit: null, ...parts };
}

const types: Readonly<Record<string, Type>> = {
  string: { kind: "text" },
  number: { kind: "int" },
  boolean: { kind: "bool" },
  object: { kind: "null" },
};

export function literal(value: string | number | boolean | null, type: Type = types[typeof value]!): Expression {
  return { kind: "literal", type, value };
}

export function path(type: Type, ...names: readonly string[]): Expression {
  return rowPath("record", type, ...names);
}

export function rowPath(row: RowName, type: Type, ...names: readonly string[]): Expression {
  return { kind: "field", type, row, path: names };
}

export function operation(operator: Operator, ...args: readonly Expression[]): Expression {
  return { kind: "operation", type: { kind: "bool" }, operator, args };
}

export function list(...items: readonly Expression[]): Expression {
  return { kind: "list", type: { kind: "list", of: items[0]?.type ?? { kind: "null" } }, items };
}

export const userId: Expression = { kind: "user", type: { kind: "uuid" }, name: "id" };
export const userEmail: Expression = { kind: "user", type: { kind: "text" }, name: "email" };
export const userRoles: Expression = { kind: "user", type: { kind: "list", of: { kind: "text" } }, name: "roles" };
