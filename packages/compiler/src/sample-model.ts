// Models made by hand, for tests of single stages. In: the parts that a test is about. Out: a whole model.
// The goldens go through the language instead; only tests import this.
import type { Entity, Field, FieldDefault, FieldType, Model, Permission } from "@plinth/blueprint";
import type { Expression, Operator, RowName, Type } from "@plinth/expression";

export function modelOf(...entities: readonly Entity[]): Model {
  const builtin = ["public", "user", "owner", "admin"];
  const inherits: Readonly<Record<string, readonly string[]>> = { user: ["public"], owner: ["public", "user"] };
  return {
    project: "sample",
    modules: ["auth", "users"],
    roles: builtin.map((name) => ({ name, inherits: inherits[name] ?? [], builtin: true })),
    entities,
  };
}

export interface EntityParts {
  readonly plural?: string;
  readonly fields?: readonly Field[];
  readonly uniques?: readonly (readonly string[])[];
  readonly permissions?: readonly Permission[];
}

export function entity(name: string, parts: EntityParts = {}): Entity {
  const service = (field: Field): Field => ({ ...field, writer: "service", declared: false });
  return {
    name,
    plural: parts.plural ?? `${name}s`,
    fields: [
      service(field("id", { kind: "uuid" })),
      ...(parts.fields ?? []),
      service(optional("created_by", { kind: "user_ref" }, { kind: "current_user_id" })),
      service(field("created_at", { kind: "datetime" }, { kind: "now" })),
      service(field("updated_at", { kind: "datetime" }, { kind: "now" })),
      service(field("version", { kind: "int" }, { kind: "literal", value: 1 })),
    ],
    uniques: parts.uniques ?? [],
    permissions: parts.permissions ?? [],
  };
}

export function field(name: string, type: FieldType, fallback: FieldDefault | null = null): Field {
  return { name, type, optional: false, default: fallback, writer: "caller", declared: true };
}

export function optional(name: string, type: FieldType, fallback: FieldDefault | null = null): Field {
  return { ...field(name, type, fallback), optional: true };
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
