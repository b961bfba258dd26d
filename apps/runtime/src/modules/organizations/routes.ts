// What the generated /v1/organizations routes can't do: making a creator the owner, and members.
// In: an authenticated request. Out: an organization or its members. Each change holds on every replica within a second.

import type { ProjectScope, TenantTransaction } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import { z } from "zod";
import { problemsOf } from "../../http/body/checkers.ts";
import type { ModuleContext, ModuleHandler, ModuleRoutes, Reply } from "../../http/contracts.ts";
import { bumpEpoch, type Epoch } from "../../identity/epoch.ts";
import { entityView, hasOperation } from "../../query/entity-view.ts";
import { isUuid } from "../../query/uuid-v7.ts";
import { hasModule } from "../../release/has-module.ts";
import { actorOf, writeAudit } from "../audit.ts";
import { jsonReply, readBody } from "../json-body.ts";
import { listMembers, organizationRoles, removeMember, setMember, type Target } from "./members.ts";

export interface OrganizationRoutesOptions {
  readonly scopeOf: (projectId: string) => ProjectScope;
  readonly epoch: Epoch;
  /** UUID v7. */
  readonly newId: () => string;
}

const ALL = "/v1/organizations";
const MEMBERS = /^\/v1\/organizations\/([^/]+)\/members(?:\/([^/]+))?$/;

const role = z.enum(organizationRoles);
const roleBody = z.strictObject({ role });
const memberBody = z.strictObject({ role, user_id: z.uuid().optional(), email: z.string().max(254).optional() });

export function createOrganizationRoutes(options: OrganizationRoutesOptions): ModuleRoutes {
  const create: ModuleHandler = (context) => createOrganization(options, context);
  const list: ModuleHandler = (context) => readMembers(options, context);
  const put: ModuleHandler = (context) => putMember(options, context);
  const remove: ModuleHandler = (context) => deleteMember(options, context);
  return {
    match(method, path, release) {
      if (!path.startsWith(ALL) || !hasModule(release, "organizations")) return null;
      if (path === ALL) return method === "POST" ? create : null;
      const [, , userId] = MEMBERS.exec(path) ?? [];
      if (!MEMBERS.test(path)) return null;
      if (method === "PUT") return put;
      if (userId === undefined) return method === "GET" ? list : null;
      return method === "DELETE" ? remove : null;
    },
  };
}

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
    const { rows } = await open.query(
      `INSERT INTO ${schema}.organizations (id, name) VALUES ($1::uuid, $2)
       RETURNING to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), version::text`,
      [id, name],
    );
    // A key or an operator belongs to no organization: they name its first owner next.
    const owner = principal.kind === "user" ? principal.userId : null;
    if (owner !== null) {
      await open.query(
        `INSERT INTO ${schema}.memberships (organization_id, user_id, role) VALUES ($1::uuid, $2::uuid, 'owner')`,
        [id, owner],
      );
    }
    await writeAudit(open, schema, {
      requestId: incoming.id,
      actor: actorOf(principal),
      operation: "create",
      entity: "organization",
      recordId: id,
      changes: { id, name, owner },
    });
    const [at, version] = rows[0] ?? [];
    return { id, name, created_at: at, updated_at: at, version: Number(version) };
  });
  const reply = jsonReply(201, created);
  return { ...reply, headers: { ...reply.headers, location: `${ALL}/${id}` } };
}

async function readMembers(options: OrganizationRoutesOptions, context: ModuleContext): Promise<Reply> {
  const { organizationId } = pathOf(context);
  const members = await options
    .scopeOf(context.projectId)
    .transaction((open) => listMembers(open, context, organizationId));
  return jsonReply(200, members);
}

/** The user in the path, or in the body by id or e-mail. */
async function putMember(options: OrganizationRoutesOptions, context: ModuleContext): Promise<Reply> {
  const { organizationId, userId } = pathOf(context);
  let target: Target;
  let wanted: z.output<typeof role>;
  if (userId !== null) {
    wanted = readBody(context.incoming, roleBody).role;
    target = { userId };
  } else {
    const body = readBody(context.incoming, memberBody);
    wanted = body.role;
    target = targetOf(body);
  }
  const { member, added } = await change(options, context, (open) =>
    setMember(open, context, organizationId, target, wanted),
  );
  return jsonReply(added ? 201 : 200, member);
}

function targetOf({ user_id: userId, email }: z.output<typeof memberBody>): Target {
  if (userId !== undefined && email === undefined) return { userId: userId.toLowerCase() };
  if (email !== undefined && userId === undefined) return { email: email.toLowerCase() };
  throw new Fault("validation_failed", {
    errors: [{ path: "/user_id", code: "required", message: "Name one user: by user_id or by email." }],
  });
}

async function deleteMember(options: OrganizationRoutesOptions, context: ModuleContext): Promise<Reply> {
  const { organizationId, userId } = pathOf(context);
  if (context.incoming.body !== null) throw new Fault("bad_request", { detail: "This route takes no body." });
  await change(options, context, (open) => removeMember(open, context, organizationId, userId ?? ""));
  return { status: 204, headers: { "cache-control": "no-store" }, body: null };
}

/** What is no UUID names nothing: the same answer as for what doesn't exist. */
function pathOf({ incoming }: ModuleContext): { readonly organizationId: string; readonly userId: string | null } {
  const [, organizationId = "", userId = null] = MEMBERS.exec(incoming.path) ?? [];
  if (!isUuid(organizationId) || (userId !== null && !isUuid(userId))) throw new Fault("not_found");
  return { organizationId: organizationId.toLowerCase(), userId: userId?.toLowerCase() ?? null };
}

/** With the epoch in the same transaction: no replica believes an old membership for longer than a second. */
async function change<T>(
  options: OrganizationRoutesOptions,
  { projectId }: ModuleContext,
  work: (open: TenantTransaction) => Promise<T>,
): Promise<T> {
  const result = await options.scopeOf(projectId).transaction(async (open) => {
    const done = await work(open);
    // The worker role has no rights on the cell's tables.
    await open.client.query("SET LOCAL ROLE NONE");
    await bumpEpoch(open.client, projectId);
    return done;
  });
  await options.epoch.refresh();
  return result;
}
