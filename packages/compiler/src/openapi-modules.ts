// What modules serve beside records, in the OpenAPI document. In: the model. Out: the paths of an organization's members, of
// `what may I do` and of the audit log, and their components. These routes are the runtime's own: this text describes them and adds nothing.
import type { Model } from "@plinth/blueprint";
import { hasOrganizations, organizationRoles } from "./catalog.ts";
import { auditLogComponents, auditLogPaths } from "./openapi-audit-log.ts";
import { exampleId, exampleTime } from "./openapi-example.ts";
import {
  body,
  type Components,
  dataOf,
  errors,
  type OpenapiObject,
  reference,
  reply,
  replyHeaders,
} from "./openapi-shared.ts";
import { patterns } from "./patterns.ts";

export function modulePaths(model: Model): OpenapiObject {
  return { "/v1/can": canPath, ...(hasOrganizations(model) ? memberPaths : {}), ...auditLogPaths(model) };
}

export function moduleComponents(model: Model): Components {
  const organizations = hasOrganizations(model);
  return {
    schemas: {
      Question: question,
      Answer: answer,
      ...(organizations ? { Member: member } : {}),
      ...auditLogComponents(model).schemas,
    },
    parameters: organizations ? { user_id: userId } : {},
    responses: organizations
      ? { "Member.one": reply("The member", dataOf(reference("schemas", "Member")), { data: exampleMember }) }
      : {},
  };
}

const id = reference("schemas", "Id");

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

const role: OpenapiObject = { type: "string", enum: organizationRoles };
const exampleMember = { user_id: exampleId, role: "member", created_at: exampleTime };

const member: OpenapiObject = {
  type: "object",
  description: "Email and name are there for those who manage the members.",
  properties: {
    user_id: id,
    role,
    created_at: { type: "string", format: "date-time", pattern: patterns.datetime },
    email: { type: "string", format: "email" },
    name: { type: ["string", "null"] },
  },
  required: ["user_id", "role", "created_at"],
};

const userId: OpenapiObject = { name: "user_id", in: "path", required: true, schema: id };

const roleBody: OpenapiObject = {
  type: "object",
  properties: { role },
  required: ["role"],
  additionalProperties: false,
};

/** One of the two names the user. */
const newMemberBody: OpenapiObject = {
  ...roleBody,
  properties: { role, user_id: id, email: { type: "string", format: "email", maxLength: 254 } },
  oneOf: [{ required: ["user_id"] }, { required: ["email"] }],
};

const one = reference("responses", "Member.one");

const memberPaths: OpenapiObject = {
  "/v1/organizations/{id}/members": {
    parameters: [reference("parameters", "id")],
    get: {
      ...operation("members", "List an organization's members"),
      responses: {
        200: reply("The members", dataOf({ type: "array", items: reference("schemas", "Member") }), {
          data: [exampleMember],
        }),
        ...errors(400, 401, 403, 404, 429, 503),
      },
    },
    put: {
      ...operation("add_member", "Add a member, named by id or by email"),
      requestBody: body(newMemberBody, { role: "member", email: "ana@example.com" }),
      responses: { 200: one, 201: one, ...errors(400, 401, 403, 404, 409, 413, 415, 422, 429, 503) },
    },
  },
  "/v1/organizations/{id}/members/{user_id}": {
    parameters: [reference("parameters", "id"), reference("parameters", "user_id")],
    put: {
      ...operation("set_member", "Add a member, or give one another role"),
      requestBody: body(roleBody, { role: "admin" }),
      responses: { 200: one, 201: one, ...errors(400, 401, 403, 404, 409, 413, 415, 422, 429, 503) },
    },
    delete: {
      ...operation("remove_member", "Take a member out; everybody may leave"),
      responses: {
        204: { description: "Taken out", headers: replyHeaders },
        ...errors(400, 401, 403, 404, 409, 429, 503),
      },
    },
  },
};

function operation(name: string, summary: string): OpenapiObject {
  return { operationId: `organization.${name}`, summary, tags: ["organization"] };
}
