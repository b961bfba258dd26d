// Models made by hand, for tests of single stages. In: the parts that a test is about. Out: a whole model.
// The goldens go through the language instead; only tests import this.
import type { Entity, Field, FieldDefault, FieldType, Limits, Model, Operation, Permission } from "@plinth/blueprint";
import type { Expression, Operator, RowName, Type } from "@plinth/expression";

export function modelOf(...entities: readonly Entity[]): Model {
  return modelWith({ entities });
}

export function modelWith(parts: Partial<Model>): Model {
  const builtin = ["public", "user", "owner", "admin"];
  const inherits: Readonly<Record<string, readonly string[]>> = { user: ["public"], owner: ["public", "user"] };
  return {
    project: "sample",
    modules: ["auth", "users"],
    roles: builtin.map((name) => ({ name, inherits: inherits[name] ?? [], builtin: true })),
    userFields: [],
    entities: [],
    api: { requestsPerSecond: 100, burst: 200, bodyBytesMax: 1048576, pageMax: 100, statementMsMax: 2000 },
    background: {
      events: [],
      workers: [],
      workflows: [],
      schedules: [],
      actions: [],
      inboundWebhooks: [],
      outboundWebhooks: null,
      integrations: [],
      retentionDays: null,
    },
    tests: null,
    ...parts,
  };
}

/** What an entity has of its own; all else is as where nothing is declared. */
export function entity(name: string, parts: Partial<Entity> = {}): Entity {
  const { fields = [], ...others } = parts;
  const service = (field: Field): Field => ({ ...field, writer: "service", declared: false });
  const deleted = others.softDelete === true ? [service(optional("deleted_at", { kind: "datetime" }))] : [];
  return {
    name,
    plural: `${name}s`,
    was: null,
    fields: [
      service(field("id", { kind: "uuid" })),
      ...fields,
      service(optional("created_by", { kind: "user_ref", onDelete: "set_null" }, { kind: "current_user_id" })),
      service(field("created_at", { kind: "datetime" }, { kind: "now" })),
      service(field("updated_at", { kind: "datetime" }, { kind: "now" })),
      ...deleted,
      service(field("version", { kind: "int" }, { kind: "literal", value: 1 })),
    ],
    uniques: [],
    indexes: [],
    checks: [],
    relations: [],
    orgField: null,
    softDelete: false,
    retentionDays: null,
    stateMachine: null,
    seed: [],
    audit: "writes",
    realtime: false,
    label: null,
    help: null,
    permissions: [],
    ...others,
  };
}

export function field(name: string, type: FieldType, fallback: FieldDefault | null = null): Field {
  return {
    name,
    type,
    optional: false,
    default: fallback,
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

export function optional(name: string, type: FieldType, fallback: FieldDefault | null = null): Field {
  return { ...field(name, type, fallback), optional: true };
}

/** A field with other limits than its type has by itself. */
export function limited(field: Field, limits: Partial<Limits>): Field {
  return { ...field, limits: { ...field.limits, ...limits } };
}

/** A reference that forbids to delete what it names. */
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
