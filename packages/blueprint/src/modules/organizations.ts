// Organizations of an app's users: their records, members and invitations, and the chosen organization. Out: what a
// project has if it lists `organizations`.
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
  event("created", "An organization was created. Its owner is its creator, unless a key created it.", [
    { ...plainField("owner_id", uuid), optional: true },
  ]),
  event("updated", "An organization was changed."),
  event("deleted", "An organization was deleted."),
  event("member_added", "A user became a member.", [user, plainField("role", memberRole)]),
  event("member_role_changed", "The role of a member was changed.", [
    user,
    plainField("role", memberRole),
    plainField("role_before", memberRole),
  ]),
  event("member_removed", "A member was removed, or left.", [user, plainField("role", memberRole)]),
  event("invitation_created", "A user was invited. Only the reply to the inviter contains the token.", invited),
  event("invitation_accepted", "An invitation was accepted.", [...invited, user]),
  event("invitation_revoked", "An invitation was revoked.", invited),
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
/** One of the two identifies the user. */
const newMemberBody: JsonObject = {
  ...bodySchema({ role, user_id: id, email: { type: "string", format: "email", maxLength: 254 } }, ["role"]),
  oneOf: [{ required: ["user_id"] }, { required: ["email"] }],
};
const choice = bodySchema(
  { organization_id: { oneOf: [id, { type: "null" }], description: "null removes the choice." } },
  ["organization_id"],
);
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
    help: "Members see their organizations. Owners and admins can change them. The creator becomes the owner.",
  },
  events: organizationEvents,
  schemas: {
    Member: {
      type: "object",
      description: "Only those who manage the members see `email` and `name`.",
      properties: { user_id: id, role, created_at: time, email, name: { type: ["string", "null"] } },
      required: ["user_id", "role", "created_at"],
    },
    Invitation: replySchema(invitationProperties),
    "Invitation.made": replySchema({
      ...invitationProperties,
      token: { type: "string", description: "A token for one acceptance. It is shown only once." },
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
      summary: "Change the role of a member, named by id or e-mail address; an admin key can also add members",
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
      summary: "Change the role of a member; an admin key can also add members",
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
      summary: "Remove a member, or leave the organization",
      tag,
      audience: "caller",
      query: null,
      body: null,
      replies: { 204: withoutBody("Removed") },
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
      summary: "Invite a user; only this reply contains the token, which the app sends as a link",
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
      summary: "Accept an invitation as the signed-in user with the invited address",
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
              description:
                "Whether this becomes the user's chosen organization, which is used for requests that name none.",
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
      summary: "Choose the organization for requests of the user that name none",
      tag,
      audience: "user",
      query: null,
      body: { schema: choice, example: { organization_id: exampleId } },
      replies: {
        200: {
          description: "The chosen organization",
          content: { kind: "data", schema: choice, example: { organization_id: exampleId } },
        },
      },
      faults: [400, 401, 403, 409, 413, 415, 422, 429, 503],
      sdk: "organizations.choose",
    },
  ],
};
