// Writes the `webhooks` of the OpenAPI document: the form of each event. In: the model. Out: one entry for each event,
// with its own schema. Projects without background work or webhooks have none.
import { type Field, type Model, moduleEvents } from "@plinth/blueprint";
import { builtinEntities } from "../requests/builtin-entities.ts";
import { readableFields } from "../requests/schemas.ts";
import { visibleFieldsOf } from "../requests/visible-fields.ts";
import { isServed } from "../sql/column-type.ts";
import { handsEventsOn } from "../tables/system-tables.ts";
import { eventsOf, payloadSchemaOf } from "../work/background.ts";
import { described } from "./described-schema.ts";
import type { DocumentedEntity } from "./documented-entity.ts";
import { documentedEntity } from "./openapi-modules.ts";
import { type OpenapiObject, reference } from "./openapi-shared.ts";

export function webhooksOf(model: Model): OpenapiObject {
  if (!handsEventsOn(model)) return {};
  const hooks = eventsOf(model).map(({ name, entity }) => [name, webhook(name, entity)] as const);
  return hooks.length === 0 ? {} : { webhooks: Object.fromEntries(hooks) };
}

/** A schema for each event, `event.<name>`. */
export function eventSchemas(model: Model): OpenapiObject {
  if (!handsEventsOn(model)) return {};
  const builtin = new Set(builtinEntities(model).map(({ name }) => name));
  const entities = new Map<string, DocumentedEntity>([
    ...builtinEntities(model).map((entity) => [entity.name, documentedEntity(entity)] as const),
    ...model.entities.map((entity) => [entity.name, entity] as const),
  ]);
  const ofModules = [...moduleEvents(model.modules).values()].map(
    ({ name, data, help }) => [name, { payload: data.length === 0 ? null : data, help }] as const,
  );
  const payloads = new Map<string, { readonly payload: readonly Field[] | null; readonly help: string | null }>([
    ...ofModules,
    ...model.background.events.map((event) => [event.name, event] as const),
  ]);
  return Object.fromEntries(
    eventsOf(model).map(({ name, entity }) => {
      const owner = entity === null ? undefined : entities.get(entity);
      // An event of an entity can have the name of one of a module.
      const declared = owner !== undefined && !builtin.has(entity ?? "") ? undefined : payloads.get(name);
      const data =
        declared?.payload == null
          ? { type: "null" }
          : seenData(described(payloadSchemaOf(declared.payload), declared.payload), owner !== undefined);
      return [`event.${name}`, eventSchema(name, owner, data, declared?.help ?? null)];
    }),
  );
}

function webhook(name: string, entity: string | null): OpenapiObject {
  return {
    post: {
      operationId: `event.${name}`,
      summary: `The event ${name}`,
      tags: [entity ?? "project"],
      requestBody: {
        required: true,
        content: { "application/json": { schema: reference("schemas", `event.${name}`) } },
      },
      responses: { "2XX": { description: "The event was received. Any other answer counts as a failure." } },
    },
  };
}

const textOrNull = { type: ["string", "null"] };

function eventSchema(
  name: string,
  owner: DocumentedEntity | undefined,
  data: OpenapiObject,
  help: string | null,
): OpenapiObject {
  const properties = {
    id: reference("schemas", "Id"),
    name: { const: name },
    project: { type: "string" },
    at: { type: "string", format: "date-time" },
    actor: {
      type: "object",
      description: "Who caused the event; null if the endpoint is not allowed to know.",
      properties: { kind: textOrNull, id: textOrNull },
      required: ["kind", "id"],
    },
    request_id: textOrNull,
    version: {
      type: "integer",
      description:
        "The version of the payload. This document describes the current one. In earlier versions, some members have other names or are missing.",
    },
    record: owner === undefined ? { type: "null" } : seenRecord(owner),
    old: owner === undefined ? { type: "null" } : previousValues(owner),
    data,
  };
  return {
    type: "object",
    ...(help === null || help === "" ? {} : { description: help }),
    properties,
    required: Object.keys(properties),
  };
}

/** The members that the endpoint can see, which no schema can express. */
function seenRecord(owner: DocumentedEntity): OpenapiObject {
  return {
    type: "object",
    description:
      "The fields of the record that the endpoint can see. Only the id if the endpoint asks for it (`payload: thin`), or if the body would be too large.",
    properties: shownProperties(owner),
    required: ["id"],
  };
}

/**
 * For an event with a record it is null in a thin body, and for everybody except admins; otherwise it lacks the members
 * that the endpoint can't see.
 */
function seenData(schema: OpenapiObject, isBesideRecord: boolean): OpenapiObject {
  const description = "Without the members that the endpoint can't see.";
  const { required: _, ...seen } = schema;
  return isBesideRecord ? { ...schema, type: ["object", "null"] } : { ...seen, description };
}

/** The previous values of what changed; null if there were none. */
function previousValues(owner: DocumentedEntity): OpenapiObject {
  const properties = shownProperties(owner);
  return { type: ["object", "null"], description: "The previous values of the fields that changed.", properties };
}

function shownProperties(owner: DocumentedEntity): OpenapiObject {
  const { shown } = visibleFieldsOf(owner);
  const fields = readableFields(owner.fields.filter(isServed)).filter((field) => shown.has(field.name));
  return Object.fromEntries(
    fields.map((field) => [field.name, { $ref: `#/components/schemas/${owner.name}/properties/${field.name}` }]),
  );
}
