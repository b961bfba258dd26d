// Describes writes of several records in the OpenAPI document. In: the entity. Out: the operations on the path of its
// collection, and their components. The route for one create also describes several.
import { exampleOf } from "../requests/example-values.ts";
import { writableFields } from "../requests/schemas.ts";
import type { DocumentedEntity } from "./documented-entity.ts";
import { many } from "./entity-words.ts";
import { body, type Components, errors, type OpenapiObject, reference, reply } from "./openapi-shared.ts";
import { writeParameters } from "./openapi-writing.ts";

/** The same limit as in the runtime (`apps/runtime/src/records/check-list.ts`). */
const RECORDS_MAX = 100;
const ID = "018f2b7e-9c1d-7a3b-8e4f-5a6b7c8d9e0f";

type Common = (operation: string, summary: string) => OpenapiObject;

export function manyOperations(entity: DocumentedEntity, common: Common): OpenapiObject {
  const { name, requireVersion } = entity;
  const stale = requireVersion === true ? ([412, 428] as const) : ([412] as const);
  return {
    patch: {
      ...common("update_many", `Update several ${many(entity)}`),
      parameters: [mode, ...writeParameters],
      requestBody: changesBody(entity),
      responses: {
        200: reply(
          "The records in the order of the request, or with `mode=each` one result for each",
          repliesOf(name),
          {
            data: [{ id: ID }],
          },
        ),
        ...errors(400, 401, 403, 404, 409, ...stale, 413, 415, 422, 429, 503),
      },
    },
    delete: {
      ...common("delete_many", `Delete several ${many(entity)}`),
      parameters: [ids, mode, ...writeParameters],
      responses: {
        200: reply("With `mode=each`: one result for each record", listOf(reference("schemas", "Outcome")), {
          data: [{ status: 204 }],
        }),
        204: reference("responses", "Gone"),
        ...errors(400, 401, 403, 404, 409, ...(requireVersion === true ? ([428] as const) : []), 422, 429, 503),
      },
    },
  };
}

/** The fields are those of an update of one record, referenced so that a changed field is reported once. */
function changesBody({ name, fields }: DocumentedEntity): OpenapiObject {
  const items = {
    type: "object",
    description: `The id of the record, and the fields to change, as \`${name}.update\` describes them.`,
    properties: {
      id: reference("schemas", "Id"),
      version: { type: "integer", minimum: 1, description: "The version that the record must have." },
    },
    required: ["id"],
    additionalProperties: true,
  };
  const changed = exampleOf(
    writableFields(fields)
      .filter((field) => !field.immutable)
      .slice(0, 1),
  );
  return body({ type: "array", items, minItems: 1, maxItems: RECORDS_MAX }, [{ id: ID, ...changed }]);
}

function repliesOf(name: string): OpenapiObject {
  return listOf({ anyOf: [reference("schemas", `${name}.written`), reference("schemas", "Outcome")] });
}

function listOf(items: OpenapiObject): OpenapiObject {
  return {
    type: "object",
    properties: { data: { type: "array", items, maxItems: RECORDS_MAX } },
    required: ["data"],
  };
}

const mode: OpenapiObject = {
  name: "mode",
  in: "query",
  description:
    "`all`: all or none, in one transaction. `each`: each on its own, with one result for each in the reply.",
  schema: { enum: ["all", "each"], default: "all" },
};

const ids: OpenapiObject = {
  name: "id[in]",
  in: "query",
  required: true,
  description: `The ids of the records, 1 to ${RECORDS_MAX}.`,
  style: "form",
  explode: false,
  schema: { type: "array", items: reference("schemas", "Id"), minItems: 1, maxItems: RECORDS_MAX },
  example: [ID],
};

/** The result of one of several writes. */
const outcomeSchema: OpenapiObject = {
  type: "object",
  description: "The result for one item of the list, as a single request would return it.",
  properties: { status: { type: "integer" }, data: { type: "object" }, error: reference("schemas", "Problem") },
  required: ["status"],
  additionalProperties: false,
};

export const manyComponents: Components = { schemas: { Outcome: outcomeSchema } };
