// Schemas of an entity's records in replies, and of expanded records in them. In: the entity, and the schema names of
// the others. Out: schemas. No schema contains itself: an expanded record is described with its own fields only, and
// its own expansions are any object.
import { type Field, targetOf } from "@plinth/blueprint";
import { relationName } from "@plinth/expression";
import { fieldSchema, readableFields } from "../requests/schemas.ts";
import { visibleFieldsOf } from "../requests/visible-fields.ts";
import { describe, sentences, shared } from "./described-schema.ts";
import type { DocumentedEntity } from "./documented-entity.ts";
import { type OpenapiObject, reference } from "./openapi-shared.ts";
import { withFormat } from "./value-formats.ts";

/** Entity > the schema of its records inside others. A missing entity is any object. */
export type Related = ReadonlyMap<string, string>;

export const noneRelated: Related = new Map();

/** @param builtin Entity > its schema; they expand nothing. */
export function relatedOf(builtin: Related, entities: readonly DocumentedEntity[]): Related {
  // A record without relations has the same schema inside others.
  const own = entities.map((entity): [string, string] => [
    entity.name,
    targetsOf(entity).length > 0 ? `${entity.name}.related` : entity.name,
  ]);
  const all = new Map([...builtin, ...own]);
  // A record that nothing refers to needs no schema for that.
  const targets = new Set(entities.flatMap((entity) => targetsOf(entity)));
  return new Map([...all].filter(([name]) => targets.has(name)));
}

export function recordSchemas(entity: DocumentedEntity, related: Related): OpenapiObject {
  const { name } = entity;
  const within = `${name}.related`;
  return {
    [name]: recordSchema(entity, related),
    ...(related.get(name) === within ? { [within]: recordSchema(entity, noneRelated) } : {}),
  };
}

/** A field that some callers can't see is optional, and so is a record that must be expanded. */
function recordSchema(entity: DocumentedEntity, related: Related): OpenapiObject {
  const { always } = visibleFieldsOf(entity);
  const fields = shownFields(entity);
  const property = (field: Field): OpenapiObject => ({
    ...describe(readSchema(field, related), field),
    ...(field.writer === "service" || field.type.kind === "computed" || field.type.kind === "sequence"
      ? { readOnly: true }
      : {}),
  });
  const description = sentences(entity.label, entity.help);
  const expansions = expansionsOf(entity).map(({ name, target, isList }) => [
    name,
    isList
      ? { type: "array", items: recordOf(target, related), description: `Only with \`expand=${name}\`.` }
      : { anyOf: [recordOf(target, related), { type: "null" }], description: `Only with \`expand=${name}\`.` },
  ]);
  return {
    type: "object",
    ...(description === null ? {} : { description }),
    properties: {
      ...Object.fromEntries(fields.map((field) => [field.name, property(field)])),
      ...Object.fromEntries(expansions),
    },
    required: fields.filter((field) => always.has(field.name)).map((field) => field.name),
  };
}

/** With expansion, an id can be replaced by its record, if the relation has the name of the field. */
function readSchema(field: Field, related: Related): OpenapiObject {
  const { name, type } = field;
  const schema = withFormat(shared(fieldSchema(field), type), type);
  if (type.kind === "refs")
    return { ...schema, items: { anyOf: [schema["items"] as OpenapiObject, recordOf(type.entity, related)] } };
  const target = targetOf(type);
  return target !== null && relationName(name) === name ? { anyOf: [schema, recordOf(target, related)] } : schema;
}

function recordOf(entity: string, related: Related): OpenapiObject {
  const name = related.get(entity);
  return name === undefined ? { type: "object", additionalProperties: true } : reference("schemas", name);
}

interface Expansion {
  readonly name: string;
  readonly target: string;
  readonly isList: boolean;
}

/** Members that a request adds to the record, with names that no field has. */
function expansionsOf(entity: DocumentedEntity): readonly Expansion[] {
  const fields = shownFields(entity);
  const toOne = fields.flatMap(({ name, type }): Expansion[] => {
    const target = targetOf(type);
    return target === null || relationName(name) === name ? [] : [{ name: relationName(name), target, isList: false }];
  });
  const lists = entity.relations
    .filter(({ name }) => fields.every((field) => field.name !== name))
    .map(({ name, entity: target }) => ({ name, target, isList: true }));
  return [...toOne, ...lists];
}

/** Including those that replace an id. */
function targetsOf(entity: DocumentedEntity): readonly string[] {
  return [...fieldTargets(entity), ...expansionsOf(entity).map(({ target }) => target)];
}

function fieldTargets(entity: DocumentedEntity): readonly string[] {
  return shownFields(entity).flatMap(({ name, type }) => {
    const target = type.kind === "refs" ? type.entity : relationName(name) === name ? targetOf(type) : null;
    return target === null ? [] : [target];
  });
}

function shownFields(entity: DocumentedEntity): readonly Field[] {
  const { shown } = visibleFieldsOf(entity);
  return readableFields(entity.fields).filter((field) => shown.has(field.name));
}
