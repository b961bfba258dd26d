// Describes nested records in the OpenAPI document. In: an entity and all served entities. Out: the members that bodies
// can have in addition to fields, and their schemas.
import type { Relation } from "@plinth/blueprint";
import { createSchemaOf, updateSchemaOf } from "../requests/schemas.ts";
import { described } from "./described-schema.ts";
import type { DocumentedEntity } from "./documented-entity.ts";
import { many, one } from "./entity-words.ts";
import { type Components, type OpenapiObject, reference } from "./openapi-shared.ts";

/** The same limit as in the runtime (`apps/runtime/src/records/check-list.ts`), without the record itself. */
const CHILDREN_MAX = 99;

type All = readonly DocumentedEntity[];

/** A body with its children. @param isNew Whether the record is created: then a simple list is enough. */
export function withChildren(schema: OpenapiObject, entity: DocumentedEntity, all: All, isNew: boolean): OpenapiObject {
  return withMembers(schema, entity, all, isNew, () => false);
}

/**
 * The same for a body inside another one. If it could contain itself, it is not described further: few tools support a
 * circular schema.
 */
function withDescendants(schema: OpenapiObject, entity: DocumentedEntity, all: All, isNew: boolean): OpenapiObject {
  return withMembers(schema, entity, all, isNew, (child) => leadsTo(child, entity.name, all));
}

function withMembers(
  schema: OpenapiObject,
  entity: DocumentedEntity,
  all: All,
  isNew: boolean,
  isCut: (child: string) => boolean,
): OpenapiObject {
  const cut = { type: "object", description: "The same for the inner records." };
  const members = childrenOf(entity, all).map(({ name, entity: child, by }): [string, OpenapiObject] => {
    const one = isCut(child) ? cut : reference("schemas", createName(child, by.field));
    const writes = isCut(child) ? cut : reference("schemas", writesName(child, by.field));
    return [name, isNew ? { anyOf: [listOf(one), writes] } : writes];
  });
  if (members.length === 0) return schema;
  return { ...schema, properties: { ...(schema["properties"] as OpenapiObject), ...Object.fromEntries(members) } };
}

/** What can be written to an entity inside the records that it refers to. */
export function childComponents(entity: DocumentedEntity, all: All): Components {
  const fields = new Set(
    all.flatMap((parent) =>
      childrenOf(parent, all)
        .filter((relation) => relation.entity === entity.name)
        .map(({ by }) => by.field),
    ),
  );
  return { schemas: Object.assign({}, ...[...fields].map((field) => schemasIn(entity, field, all))) };
}

function schemasIn(entity: DocumentedEntity, field: string, all: All): OpenapiObject {
  const { name, stateMachine } = entity;
  const fields = entity.fields.filter((each) => each.name !== field);
  const update = withDescendants(described(updateSchemaOf(fields), fields), entity, all, false);
  const change = {
    ...update,
    properties: {
      id: reference("schemas", "Id"),
      version: { type: "integer", minimum: 1, description: "The version that the record must have." },
      ...(update["properties"] as OpenapiObject),
    },
    required: ["id"],
  };
  return {
    [createName(name, field)]: {
      ...withDescendants(described(createSchemaOf(fields, stateMachine), fields), entity, all, true),
      description: `${capital(one(entity))} whose ${field} is the parent record.`,
    },
    [writesName(name, field)]: {
      type: "object",
      description: `Changes to ${many(entity)} of the parent record. Deletes run first, creates last.`,
      properties: {
        create: listOf(reference("schemas", createName(name, field))),
        update: listOf(change),
        delete: listOf(reference("schemas", "Id")),
      },
      additionalProperties: false,
    },
  };
}

function childrenOf({ relations }: DocumentedEntity, all: All): readonly Relation[] {
  return relations.filter(({ entity, by }) => by.kind === "referrer" && all.some(({ name }) => name === entity));
}

/** Whether a body of one entity can contain records of the other, at any depth. */
function leadsTo(from: string, to: string, all: All, seen: ReadonlySet<string> = new Set()): boolean {
  if (from === to) return true;
  if (seen.has(from)) return false;
  const entity = all.find(({ name }) => name === from);
  const beyond = new Set([...seen, from]);
  return entity !== undefined && childrenOf(entity, all).some((each) => leadsTo(each.entity, to, all, beyond));
}

function capital(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

const createName = (entity: string, field: string): string => `${entity}.create.in.${field}`;
const writesName = (entity: string, field: string): string => `${entity}.writes.in.${field}`;

function listOf(items: OpenapiObject): OpenapiObject {
  return { type: "array", items, maxItems: CHILDREN_MAX };
}
