// Describes entities to the checker of expressions. In: checked entities, profile fields, roles. Out: the schema. It
// never reports problems; the code that creates the entities does.
import type { Expression, FieldSchema, RecordSchema, Schema, Type } from "@plinth/expression";
import type { Entity, Field, FieldType, Relation } from "../model/model.ts";
import {
  ORGANIZATION_ENTITY,
  organizationFields,
  organizationFieldsInRules,
  organizationRoles,
} from "../modules/organizations.ts";
import { USER_ENTITY, userFields, userFieldsInRules, userRelations } from "../modules/users.ts";

/** Replaces a computed field's expression until all fields of its entity are known. */
export const unknownExpression = { kind: "literal", type: { kind: "null" }, value: null } as const;

export interface SchemaParts {
  readonly entities: readonly Pick<Entity, "name" | "fields" | "relations">[];
  /** Profile fields of the built-in `user`. */
  readonly userFields: readonly Field[];
  readonly roles: readonly string[];
  readonly rules: ReadonlyMap<string, string>;
  readonly grants: Schema["grants"];
}

export function expressionSchema({ entities, userFields: profile, roles, rules, grants }: SchemaParts): Schema {
  const records = [
    ...entities.map((entity) => recordSchema(entity)),
    userRecord(profile, entities),
    organizationRecord,
  ];
  return { records: new Map(records.map((one) => [one.name, one])), roles, organizationRoles, rules, grants };
}

/** Fields, each computed one with its expression, and to-many relations. */
export function recordSchema({ name, fields, relations }: SchemaParts["entities"][number]): RecordSchema {
  return {
    name,
    fields: new Map(
      fields.filter((field) => field.type.kind !== "refs").map((field) => [field.name, fieldSchema(field.type)]),
    ),
    relations: new Map(relations.map((relation) => [relation.name, { record: relation.entity }])),
  };
}

export function fieldSchema(type: FieldType): FieldSchema {
  if (type.kind === "computed") {
    const { expression } = type;
    const computed = (): Expression | "broken" => (expression === unknownExpression ? "broken" : expression);
    return { type: expression.type, refersTo: null, computed };
  }
  return {
    type: typeInRules(type),
    refersTo: targetOf(type),
    ...(type.kind === "object" ? { members: membersOf(type) } : {}),
    ...(type.kind === "money" ? { currency: type.currency } : {}),
  };
}

function membersOf({ fields }: Extract<FieldType, { kind: "object" }>): ReadonlyMap<string, FieldSchema> {
  return new Map(
    fields.map(({ name, type }): [string, FieldSchema] => {
      const kept = typeInRules(type);
      // If JSON stores a value as a text in some format, rules can only test whether it exists.
      const isKnown = ["text", "enum", "bool", "int", "decimal", "float"].includes(kept.kind);
      const nested = type.kind === "object" ? { members: membersOf(type) } : {};
      return [name, { type: isKnown ? kept : { kind: "opaque", name: type.kind }, refersTo: null, ...nested }];
    }),
  );
}

/** The record behind a to-one reference. */
export function targetOf(type: FieldType): string | null {
  if (type.kind === "user_ref") return USER_ENTITY;
  if (type.kind === "org_ref") return ORGANIZATION_ENTITY;
  return type.kind === "ref" ? type.entity : null;
}

export function typeInRules(type: FieldType): Type {
  switch (type.kind) {
    case "string":
    case "text":
    case "markdown":
    case "slug":
    case "email":
    case "url":
    case "phone":
    case "color":
    case "timezone":
    case "country":
    case "currency":
    case "locale":
    case "sequence":
      return { kind: "text" };
    case "int":
    case "bigint":
      return { kind: "int" };
    case "float":
      return { kind: "float" };
    case "decimal":
    case "money":
    case "percent":
      return { kind: "decimal" };
    case "bool":
    case "date":
    case "time":
    case "datetime":
    case "duration":
    case "uuid":
      return { kind: type.kind };
    case "enum":
      return { kind: "enum", values: type.values };
    case "enum_set":
      return { kind: "list", of: { kind: "enum", values: type.values } };
    case "list":
      return listInRules(type.of);
    case "user_ref":
    case "org_ref":
    case "ref":
      return { kind: "uuid" };
    case "refs":
      return { kind: "list", of: { kind: "uuid" } };
    case "computed":
      return type.expression.type;
    case "json":
    case "object":
    case "i18n":
    case "point":
    case "vector":
    case "file":
    case "image":
    case "secret":
      return { kind: "opaque", name: type.kind };
  }
}

/** A list that Postgres stores as JSON is JSON itself. */
function listInRules(of: FieldType): Type {
  const item = typeInRules(of);
  return item.kind === "opaque" || item.kind === "list" ? { kind: "opaque", name: "list" } : { kind: "list", of: item };
}

/** For a built-in entity: the parts that rules can use. */
function builtinRecord(
  name: string,
  fields: readonly Field[],
  inRules: readonly string[],
  relations: readonly Relation[] = [],
): RecordSchema {
  return recordSchema({ name, fields: fields.filter((field) => inRules.includes(field.name)), relations });
}

function userRecord(profile: readonly Field[], entities: SchemaParts["entities"]): RecordSchema {
  const inRules = [...userFieldsInRules, ...profile.map(({ name }) => name)];
  return builtinRecord(USER_ENTITY, userFields(profile), inRules, userRelations(entities));
}

const organizationRecord: RecordSchema = builtinRecord(
  ORGANIZATION_ENTITY,
  organizationFields,
  organizationFieldsInRules,
);
