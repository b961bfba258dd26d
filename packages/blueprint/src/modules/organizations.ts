// Organizations of an app's users: their records, members and invitations, and the one that a user acts in. Out: what a project
// has of them where it lists `organizations`.
import type { Field } from "../model/model.ts";
import { plainField, serviceField } from "../model/plain-field.ts";
import type { JsonObject, ModuleDescription, ModuleEvent, OperationReply } from "./description.ts";
import {
  bodySchema,
  exampleAddress,
  exampleId,
  exampleTime,
  id,
  replySchema,
  schemaNamed,
  sentAddress,
  time,
  withoutBody,
} from "./schema-parts.ts";

export const ORGANIZATION_ENTITY = "organization";
const tag = ORGANIZATION_ENTITY;

/** Roles that a member of an organization can have. */
export const organizationRoles: readonly string[] = ["owner", "admin", "member"];

export const organizationFields: readonly Field[] = [
  serviceField("id", { type: { kind: "uuid" } }),
  serviceField("name", { type: { kind: "string" }, writer: "caller", limits: { min: "1", max: "255", pattern: null } }),
  serviceField("created_at", { type: { kind: "datetime" }, default: { kind: "now" } }),
  serviceField("updated_at", { type: { kind: "datetime" }, default: { kind: "now" } }),
  serviceField("version", { type: { kind: "int" }, default: { kind: "literal", value: 1 } }),
];

export const organizationFieldsInRules: readonly string[] = ["id", "name", "created_at", "updated_at"];

const memberRole = { kind: "enum", values: organizationRoles } as const;
const uuid = { kind: "uuid" } as const;
const user = plainField("user_id", uuid);
const invited: readonly Field[] = [
  plainField("invitation_id", uuid),
  { ...plainField("email", { kind: "email" }), pii: true },
  plainField("role", memberRole),
];

function event(name: string, help: string, data: readonly Field[] = []): ModuleEvent {
  return { name: `${ORGANIZATION_ENTITY}.${name}`, entity: ORGANIZATION_ENTITY, data, help };
}

export const organizationEvents: readonly ModuleEvent[] = [
  event("created", "An organization was made; its owner is who made it, unless a key did.", [
    { ...plainField("owner_id", uuid), optional: true },
  ]),
  event("updated", "An organization was changed."),
  event("deleted", "An organization was deleted."),
  event("member_added", "A user became a member.", [user, plainField("role", memberRole)]),
  event("member_role_changed", "A member was given another role.", [
    user,
    plainField("role", memberRole),
    plainField("role_before", memberRole),
  ]),
  event("member_removed", "A member was taken out, or left.", [user, plainField("role", memberRole)]),
  event(
    "invitation_created",
    "Somebody was invited. The token is in the reply to whoever invited, and nowhere else.",
    invited,
  ),
  event("invitation_accepted", "An invitation was accepted.", [...invited, user]),
  event("invitation_revoked", "An invitation was taken back.", invited),
];

const role: JsonObject = { type: "string", enum: organizationRoles };
const email: JsonObject = { type: "string", format: "email" };
const exampleToken = "pli_5f2c";

const invitationProperties = { id, email, role, invited_by: id, created_at: time, expires_at: time };
const exampleInvitation = {
  id: exampleId,
  email: exampleAddress,
  role: "member",
  invited_by: exampleId,
  created_at: exampleTime,
  expires_at: exampleTime,
};
export const exampleMembership: JsonObject = { organization_id: exampleId, role: "member", chosen: true };

const roleBody = bodySchema({ role }, ["role"]);
/** One of the two names the user. */
const newMemberBody: JsonObject = {
  ...bodySchema({ role, user_id: id, email: { type: "string", format: "email", maxLength: 254 } }, ["role"]),
  oneOf: [{ required: ["user_id"] }, { required: ["email"] }],
};
const choice = bodySchema({ organization_id: { oneOf: [id, { type: "null" }], description: "null chooses none." } }, [
  "organization_id",
]);
const member: OperationReply = {
  description: "The member",
  component: "Member.one",
  content: {
    kind: "data",
    schema: schemaNamed("Member"),
    example: { user_id: exampleId, role: "member", created_at: exampleTime },
  },
};

const members = "/v1/organizations/{id}/members";
const invitations = "/v1/organizations/{id}/invitations";

export const organizationsDescription: ModuleDescription = {
  module: "organizations",
  entity: {
    name: ORGANIZATION_ENTITY,
    plural: "organizations",
    path: "/v1/organizations",
    component: ORGANIZATION_ENTITY,
    fields: organizationFields,
    uniques: [],
    inRules: organizationFieldsInRules,
    generated: ["list", "read", "update"],
    handled: ["create", "delete"],
    access: {
      read: { admin: "all", user: "member" },
      create: { admin: "all", user: "signed_in" },
      update: { admin: "all", user: "manager" },
      delete: { admin: "all", user: "manager" },
    },
    documented: true,
    schemas: {},
    example: {},
    help: "Members see theirs; its owners and admins change it. Who creates one is its owner.",
  },
  events: organizationEvents,
  schemas: {
    Member: {
      type: "object",
      description: "Email and name are there for those who manage the members.",
      properties: { user_id: id, role, created_at: time, email, name: { type: ["string", "null"] } },
      required: ["user_id", "role", "created_at"],
    },
    Invitation: replySchema(invitationProperties),
    "Invitation.made": replySchema({
      ...invitationProperties,
      token: { type: "string", description: "Good for one acceptance; it is not shown again." },
    }),
    Membership: replySchema({ organization_id: id, role, chosen: { type: "boolean" } }),
  },
  operations: [
    {
      id: "organization.members",
      method: "GET",
      path: members,
      summary: "List an organization's members",
      tag,
      audience: "caller",
      query: null,
      body: null,
      replies: {
        200: {
          description: "The members",
          content: {
            kind: "data",
            schema: { type: "array", items: schemaNamed("Member") },
            example: [{ user_id: exampleId, role: "member", created_at: exampleTime }],
          },
        },
      },
      faults: [400, 401, 403, 404, 429, 503],
      sdk: "organizations.members",
    },
    {
      id: "organization.add_member",
      method: "PUT",
      path: members,
      summary: "Give a member another role, named by id or by email; an admin key also adds members",
      tag,
      audience: "caller",
      query: null,
      body: { schema: newMemberBody, example: { role: "member", email: exampleAddress } },
      replies: { 200: member, 201: member },
      faults: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503],
      sdk: "organizations.setMember",
    },
    {
      id: "organization.set_member",
      method: "PUT",
      path: `${members}/{user_id}`,
      summary: "Give a member another role; an admin key also adds members",
      tag,
      audience: "caller",
      query: null,
      body: { schema: roleBody, example: { role: "admin" } },
      replies: { 200: member, 201: member },
      faults: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503],
      sdk: null,
    },
    {
      id: "organization.remove_member",
      method: "DELETE",
      path: `${members}/{user_id}`,
      summary: "Take a member out; everybody may leave",
      tag,
      audience: "caller",
      query: null,
      body: null,
      replies: { 204: withoutBody("Taken out") },
      faults: [400, 401, 403, 404, 409, 429, 503],
      sdk: "organizations.removeMember",
    },
    {
      id: "organization.invitations",
      method: "GET",
      path: invitations,
      summary: "List the open invitations to an organization, for its owners and admins",
      tag,
      audience: "caller",
      query: null,
      body: null,
      replies: {
        200: {
          description: "The invitations",
          content: {
            kind: "data",
            schema: { type: "array", items: schemaNamed("Invitation") },
            example: [exampleInvitation],
          },
        },
      },
      faults: [400, 401, 403, 404, 409, 429, 503],
      sdk: "organizations.invitations",
    },
    {
      id: "organization.invite",
      method: "POST",
      path: invitations,
      summary: "Invite somebody; the reply alone holds the token, for the link that the app sends them",
      tag,
      audience: "caller",
      query: null,
      body: {
        schema: bodySchema({ email: sentAddress, role }, ["email", "role"]),
        example: { email: exampleAddress, role: "member" },
      },
      replies: {
        201: {
          description: "The invitation, with its token",
          content: {
            kind: "data",
            schema: schemaNamed("Invitation.made"),
            example: { ...exampleInvitation, token: exampleToken },
          },
        },
      },
      faults: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503],
      sdk: "organizations.invite",
    },
    {
      id: "organization.revoke_invitation",
      method: "DELETE",
      path: `${invitations}/{invitation_id}`,
      summary: "Revoke an open invitation",
      tag,
      audience: "caller",
      query: null,
      body: null,
      replies: { 204: withoutBody("Revoked") },
      faults: [400, 401, 403, 404, 409, 429, 503],
      sdk: "organizations.revokeInvitation",
    },
    {
      id: "organization.accept_invitation",
      method: "POST",
      path: "/v1/organizations/accept-invitation",
      summary: "Join an organization as the signed-in user, whose address was invited",
      tag,
      audience: "user",
      query: null,
      body: {
        schema: bodySchema(
          {
            token: { type: "string", minLength: 1, maxLength: 200 },
            choose: {
              type: "boolean",
              default: false,
              description: "Whether requests that name no organization are made in this one from now on.",
            },
          },
          ["token"],
        ),
        example: { token: exampleToken, choose: true },
      },
      replies: {
        200: {
          description: "The membership",
          content: { kind: "data", schema: schemaNamed("Membership"), example: exampleMembership },
        },
      },
      faults: [400, 401, 404, 409, 413, 415, 422, 429, 503],
      sdk: "organizations.acceptInvitation",
    },
    {
      id: "organization.choose",
      method: "PUT",
      path: "/v1/users/me/organization",
      summary: "Choose the organization that the user's requests are made in where they name none",
      tag,
      audience: "user",
      query: null,
      body: { schema: choice, example: { organization_id: exampleId } },
      replies: {
        200: {
          description: "The choice",
          content: { kind: "data", schema: choice, example: { organization_id: exampleId } },
        },
      },
      faults: [400, 401, 403, 409, 413, 415, 422, 429, 503],
      sdk: "organizations.choose",
    },
  ],
};
