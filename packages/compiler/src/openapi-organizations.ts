// Members and invitations of organizations in the OpenAPI document, and the choice among them. In: nothing. Out: paths and components.
// These routes are the runtime's own: this text describes them and adds nothing.
import { organizationRoles } from "./catalog.ts";
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

const id = reference("schemas", "Id");
const time: OpenapiObject = { type: "string", format: "date-time", pattern: patterns.datetime };
const role: OpenapiObject = { type: "string", enum: organizationRoles };
const exampleMember = { user_id: exampleId, role: "member", created_at: exampleTime };

const member: OpenapiObject = {
  type: "object",
  description: "Email and name are there for those who manage the members.",
  properties: {
    user_id: id,
    role,
    created_at: time,
    email: { type: "string", format: "email" },
    name: { type: ["string", "null"] },
  },
  required: ["user_id", "role", "created_at"],
};

const exampleToken = "pli_5f2c";
const invitation: OpenapiObject = {
  type: "object",
  properties: {
    id,
    email: { type: "string", format: "email" },
    role,
    invited_by: id,
    created_at: time,
    expires_at: time,
  },
  required: ["id", "email", "role", "invited_by", "created_at", "expires_at"],
};
const exampleInvitation = {
  id: exampleId,
  email: "ana@example.com",
  role: "member",
  invited_by: exampleId,
  created_at: exampleTime,
  expires_at: exampleTime,
};
const madeInvitation: OpenapiObject = {
  ...invitation,
  properties: {
    ...(invitation.properties as OpenapiObject),
    token: { type: "string", description: "Good for one acceptance; it is not shown again." },
  },
  required: [...(invitation.required as readonly string[]), "token"],
};

const newInvitation: OpenapiObject = {
  type: "object",
  properties: { email: { type: "string", format: "email", maxLength: 254, pattern: patterns.email }, role },
  required: ["email", "role"],
  additionalProperties: false,
};

const acceptance: OpenapiObject = {
  type: "object",
  properties: {
    token: { type: "string", minLength: 1, maxLength: 200 },
    choose: {
      type: "boolean",
      default: false,
      description: "Whether requests that name no organization are made in this one from now on.",
    },
  },
  required: ["token"],
  additionalProperties: false,
};

const membership: OpenapiObject = {
  type: "object",
  properties: { organization_id: id, role, chosen: { type: "boolean" } },
  required: ["organization_id", "role", "chosen"],
};

export const exampleMembership: OpenapiObject = { organization_id: exampleId, role: "member", chosen: true };

const choice: OpenapiObject = {
  type: "object",
  properties: { organization_id: { oneOf: [id, { type: "null" }], description: "null chooses none." } },
  required: ["organization_id"],
  additionalProperties: false,
};

function inPath(name: string): OpenapiObject {
  return { name, in: "path", required: true, schema: id };
}

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

export const organizationPaths: OpenapiObject = {
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
      ...operation("add_member", "Give a member another role, named by id or by email; an admin key also adds members"),
      requestBody: body(newMemberBody, { role: "member", email: "ana@example.com" }),
      responses: { 200: one, 201: one, ...errors(400, 401, 403, 404, 409, 413, 415, 422, 429, 503) },
    },
  },
  "/v1/organizations/{id}/members/{user_id}": {
    parameters: [reference("parameters", "id"), reference("parameters", "user_id")],
    put: {
      ...operation("set_member", "Give a member another role; an admin key also adds members"),
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
  "/v1/organizations/{id}/invitations": {
    parameters: [reference("parameters", "id")],
    get: {
      ...operation("invitations", "List the open invitations to an organization, for its owners and admins"),
      responses: {
        200: reply("The invitations", dataOf({ type: "array", items: reference("schemas", "Invitation") }), {
          data: [exampleInvitation],
        }),
        ...errors(400, 401, 403, 404, 409, 429, 503),
      },
    },
    post: {
      ...operation("invite", "Invite somebody; the reply alone holds the token, for the link that the app sends them"),
      requestBody: body(newInvitation, { email: exampleInvitation.email, role: "member" }),
      responses: {
        201: reply("The invitation, with its token", dataOf(reference("schemas", "Invitation.made")), {
          data: { ...exampleInvitation, token: exampleToken },
        }),
        ...errors(400, 401, 403, 404, 409, 413, 415, 422, 429, 503),
      },
    },
  },
  "/v1/organizations/{id}/invitations/{invitation_id}": {
    parameters: [reference("parameters", "id"), reference("parameters", "invitation_id")],
    delete: {
      ...operation("revoke_invitation", "Revoke an open invitation"),
      responses: {
        204: { description: "Revoked", headers: replyHeaders },
        ...errors(400, 401, 403, 404, 409, 429, 503),
      },
    },
  },
  "/v1/organizations/accept-invitation": {
    post: {
      ...operation("accept_invitation", "Join an organization as the signed-in user, whose address was invited"),
      requestBody: body(acceptance, { token: exampleToken, choose: true }),
      responses: {
        200: reply("The membership", dataOf(reference("schemas", "Membership")), {
          data: exampleMembership,
        }),
        ...errors(400, 401, 404, 409, 413, 415, 422, 429, 503),
      },
    },
  },
  "/v1/users/me/organization": {
    put: {
      ...operation("choose", "Choose the organization that the user's requests are made in where they name none"),
      requestBody: body(choice, { organization_id: exampleId }),
      responses: {
        200: reply("The choice", dataOf(choice), { data: { organization_id: exampleId } }),
        ...errors(400, 401, 403, 409, 413, 415, 422, 429, 503),
      },
    },
  },
};

export const organizationComponents: Components = {
  schemas: { Member: member, Invitation: invitation, "Invitation.made": madeInvitation, Membership: membership },
  parameters: { user_id: inPath("user_id"), invitation_id: inPath("invitation_id") },
  responses: { "Member.one": reply("The member", dataOf(reference("schemas", "Member")), { data: exampleMember }) },
};

function operation(name: string, summary: string): OpenapiObject {
  return { operationId: `organization.${name}`, summary, tags: ["organization"] };
}
