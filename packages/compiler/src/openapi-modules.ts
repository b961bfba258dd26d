// What modules serve beside records, in the OpenAPI document. In: the model. Out: the paths of `what may I do`, of organizations
// and of the audit log, and their components. These routes are the runtime's own: this text describes them and adds nothing.
import type { Model } from "@plinth/blueprint";
import { hasOrganizations } from "./catalog.ts";
import { auditLogComponents, auditLogPaths } from "./openapi-audit-log.ts";
import { exampleId } from "./openapi-example.ts";
import { organizationComponents, organizationPaths } from "./openapi-organizations.ts";
import { body, type Components, dataOf, errors, type OpenapiObject, reference, reply } from "./openapi-shared.ts";

export function modulePaths(model: Model): OpenapiObject {
  return { "/v1/can": canPath, ...(hasOrganizations(model) ? organizationPaths : {}), ...auditLogPaths(model) };
}

export function moduleComponents(model: Model): Components {
  const organizations = hasOrganizations(model) ? organizationComponents : {};
  return {
    schemas: { Question: question, Answer: answer, ...organizations.schemas, ...auditLogComponents(model).schemas },
    parameters: { ...organizations.parameters },
    responses: { ...organizations.responses },
  };
}

/** The resource's name or plural; an operation, `list` or `transition:<edge>`. */
const questionProperties: OpenapiObject = {
  resource: { type: "string", maxLength: 63 },
  op: { type: "string", maxLength: 80 },
  id: { type: "string", maxLength: 64, description: "Of the record; without one, whether there may be any." },
};
const question: OpenapiObject = {
  type: "object",
  properties: questionProperties,
  required: ["resource", "op"],
  additionalProperties: false,
};
const answer: OpenapiObject = {
  type: "object",
  properties: { ...questionProperties, allowed: { type: "boolean" } },
  required: ["resource", "op", "allowed"],
};
const exampleQuestion = { resource: "user", op: "read", id: exampleId };

const canPath: OpenapiObject = {
  post: {
    operationId: "project.can",
    summary: "Ask what the caller may do",
    tags: ["project"],
    requestBody: body({ type: "array", items: reference("schemas", "Question"), minItems: 1, maxItems: 100 }, [
      exampleQuestion,
    ]),
    responses: {
      200: reply(
        "An answer for each, in their order",
        dataOf({ type: "array", items: reference("schemas", "Answer") }),
        {
          data: [{ ...exampleQuestion, allowed: true }],
        },
      ),
      ...errors(400, 401, 413, 415, 422, 429, 503),
    },
  },
};
