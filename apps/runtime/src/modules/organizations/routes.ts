// The parts of /v1/organizations that generated routes can't do: owners, members, invitations, and the organization
// that a user acts in. In: an authenticated request. Out: an organization, its members or its invitations. Every
// replica applies each change within a second. Tokens are only in bodies, because paths are logged.
import { Fault } from "@plinth/service";
import { z } from "zod";
import type { ModuleContext, Reply } from "../../http/contracts.ts";
import { organizationTables } from "../../project/organization-tables.ts";
import { entityView, hasOperation } from "../../query/entity-view.ts";
import { problemsOf } from "../../records/checkers.ts";
import { jsonReply, readBody } from "../json-body.ts";
import type { ModuleHandlers } from "../module-routes.ts";
import { actingIn, writeChange } from "../write-change.ts";
import { change } from "./changes.ts";
import { chooseIfNone } from "./chosen-organization.ts";
import { deleteOrganization } from "./delete-organization.ts";
import { gone, type Handler, type OrganizationRoutesOptions } from "./handler.ts";
import {
  acceptInvitation,
  chooseOrganization,
  createInvitation,
  deleteInvitation,
  readInvitations,
} from "./invitation-handlers.ts";
import { withdrawInvitations, withdrawOffers } from "./invitations.ts";
import { listMembers, type Member, removeMember, setMember, type Target } from "./members.ts";
import { organizationRoles } from "./standing.ts";

const ALL = "/v1/organizations";

export function organizationHandlers(options: OrganizationRoutesOptions): ModuleHandlers {
  const handlers: Readonly<Record<string, Handler>> = {
    "organization.create": createOrganization,
    "organization.delete": removeOrganization,
    "organization.members": readMembers,
    "organization.add_member": putNamedMember,
    "organization.set_member": putMember,
    "organization.remove_member": deleteMember,
    "organization.invitations": readInvitations,
    "organization.invite": createInvitation,
    "organization.revoke_invitation": deleteInvitation,
    "organization.accept_invitation": acceptInvitation,
    "organization.choose": chooseOrganization,
  };
  return Object.fromEntries(
    Object.entries(handlers).map(([operation, handler]) => [operation, (context) => handler(options, context)]),
  );
}

const role = z.enum(organizationRoles);
const roleBody = z.strictObject({ role });
const memberBody = z.strictObject({ role, user_id: z.uuid().optional(), email: z.string().max(254).optional() });

async function createOrganization(options: OrganizationRoutesOptions, context: ModuleContext): Promise<Reply> {
  const { release, principal, incoming } = context;
  const { entity } = entityView(release, "organization");
  if (!hasOperation(entity, "create", principal.roles)) {
    throw new Fault("forbidden", { detail: "Your role does not allow you to create organizations." });
  }
  const body = readBody(incoming, z.looseObject({}));
  const errors = problemsOf(release, "organization", "create", body);
  if (errors.length > 0) throw new Fault("validation_failed", { errors });
  const name = String(body.name);
  const id = options.newId();
  const created = await change(options, context, async (open) => {
    const { schema } = release;
    // A key or an operator belongs to no organization. Their next request names its first owner.
    const owner = principal.kind === "user" ? principal.userId : null;
    const rows = await writeChange(open, actingIn(context), {
      entity: "organization",
      operation: "create",
      mutation: `INSERT INTO ${schema}.organizations (id, name) VALUES ($1::uuid, $2) RETURNING *`,
      values: [id, name],
      record: "written",
      changes: { id, name, owner },
      events: [{ name: "organization.created", data: { owner_id: owner } }],
      returning: `to_char(_w.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), _w.version::text`,
    });
    if (owner !== null) {
      await open.query(
        `INSERT INTO ${schema}.memberships (organization_id, user_id, role) VALUES ($1::uuid, $2::uuid, 'owner')`,
        [id, owner],
      );
      if (organizationTables(release) === "all") await chooseIfNone(open, context, owner, id);
    }
    const [createdAt, version] = rows[0] ?? [];
    return { id, name, created_at: createdAt, updated_at: createdAt, version: Number(version) };
  });
  const reply = jsonReply(201, created);
  return { ...reply, headers: { ...reply.headers, location: `${ALL}/${id}` } };
}

async function removeOrganization(options: OrganizationRoutesOptions, context: ModuleContext): Promise<Reply> {
  const [organizationId = ""] = context.ids;
  await change(options, context, (open) => deleteOrganization(open, context, organizationId));
  return gone;
}

async function readMembers({ scopeOf }: OrganizationRoutesOptions, context: ModuleContext): Promise<Reply> {
  const [organizationId = ""] = context.ids;
  const members = await scopeOf(context.projectId).transaction((open) => listMembers(open, context, organizationId));
  return jsonReply(200, members);
}

async function putMember(options: OrganizationRoutesOptions, context: ModuleContext): Promise<Reply> {
  const [organizationId = "", userId = ""] = context.ids;
  const body = readBody(context.incoming, roleBody);
  return memberReply(await changeRole(options, context, organizationId, { userId }, body.role));
}

/** The body names the user, by id or e-mail. */
async function putNamedMember(options: OrganizationRoutesOptions, context: ModuleContext): Promise<Reply> {
  const [organizationId = ""] = context.ids;
  const body = readBody(context.incoming, memberBody);
  return memberReply(await changeRole(options, context, organizationId, targetOf(body), body.role));
}

function targetOf({ user_id: userId, email }: z.output<typeof memberBody>): Target {
  if (userId !== undefined && email === undefined) return { userId: userId.toLowerCase() };
  if (email !== undefined && userId === undefined) return { email: email.toLowerCase() };
  throw new Fault("validation_failed", {
    errors: [{ path: "/user_id", code: "required", message: "Name one user, by user_id or by email." }],
  });
}

interface Changed {
  readonly member: Member;
  readonly added: boolean;
}

function changeRole(
  options: OrganizationRoutesOptions,
  context: ModuleContext,
  organizationId: string,
  target: Target,
  wanted: z.output<typeof role>,
): Promise<Changed> {
  return change(options, context, async (open) => {
    const changed = await setMember(open, context, organizationId, target, wanted);
    if (organizationTables(context.release) === "all") {
      await withdrawInvitations(open, context, organizationId, changed.member.user_id, wanted);
    }
    return changed;
  });
}

function memberReply({ member, added }: Changed): Reply {
  return jsonReply(added ? 201 : 200, member);
}

async function deleteMember(options: OrganizationRoutesOptions, context: ModuleContext): Promise<Reply> {
  const [organizationId = "", userId = ""] = context.ids;
  await change(options, context, async (open) => {
    await removeMember(open, context, organizationId, userId);
    if (organizationTables(context.release) === "all") {
      await withdrawInvitations(open, context, organizationId, userId, null);
      await withdrawOffers(open, context, organizationId, userId);
    }
  });
  return gone;
}
