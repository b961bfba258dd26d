// The rights with which a step acts. In: a run, or a call whose caller waits. Out: the principal with its rights, and
// the organization. A run stores its caller but never their rights: these are looked up each time that a step acts for
// them.
import type { EvaluationContext, Value } from "@plinth/expression";
import { quoteIdentifier, type TenantTransaction, tenantNames } from "@plinth/postgres";
import { eventContext } from "../events/event-context.ts";
import { expandRoles, USER_ROLES } from "../identity/roles.ts";
import { membershipsOf } from "../identity/user-store.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import { organizationTables } from "../project/organization-tables.ts";
import {
  type CallerPrincipal,
  type KeyKind,
  type Membership,
  type Principal,
  standsAboveOrganizations,
} from "../project/principal.ts";
import { entityView, forProject, wireValue } from "../query/entity-view.ts";
import { Parameters } from "../query/parameters.ts";
import type { Claimed, Run } from "./run.ts";
import { StepFailed } from "./step-failed.ts";

export interface Acting<Who extends Principal = Principal> {
  readonly principal: Who;
  readonly organization: string | null;
  readonly ip: string;
}

/** The caller in a run's own row. For a person in the console, the roles are those that control vouched for. */
type KeptCaller =
  | { readonly kind: "user"; readonly id: string; readonly keyKind: KeyKind | null; readonly ip: string }
  | {
      readonly kind: "key";
      readonly id: string;
      readonly keyKind: KeyKind;
      readonly roles: readonly string[];
      readonly ip: string;
    }
  | { readonly kind: "operator"; readonly id: string; readonly roles: readonly string[]; readonly ip: string };

export function keptCaller({ principal, ip }: Acting<CallerPrincipal>): KeptCaller {
  switch (principal.kind) {
    case "user":
      return { kind: "user", id: principal.userId, keyKind: principal.keyKind, ip };
    case "key":
      return { kind: "key", id: principal.keyId, keyKind: principal.keyKind, roles: principal.roles, ip };
    case "operator":
      return { kind: "operator", id: principal.email, roles: principal.roles, ip };
  }
}

/**
 * The caller of a run with their current rights. @throws StepFailed, final: the user, the key or the membership is
 * gone.
 */
export async function callerNow(
  open: TenantTransaction,
  release: ActiveRelease,
  { caller, organization }: Run,
): Promise<Acting<CallerPrincipal>> {
  if (caller === null) throw gone("This run has no caller.");
  const kept = caller as unknown as KeptCaller;
  const principal = await principalNow(open, release, kept);
  const isMember = principal.kind === "user" && principal.memberships.some((one) => one.organization === organization);
  if (organization !== null && !isMember && !standsAboveOrganizations(principal)) {
    throw gone("The caller is no longer a member of the organization in which the action was called.");
  }
  return { principal, organization, ip: kept.ip };
}

async function principalNow(
  open: TenantTransaction,
  release: ActiveRelease,
  kept: KeptCaller,
): Promise<CallerPrincipal> {
  switch (kept.kind) {
    case "user": {
      const found = await findUser(open, release, kept.id);
      if (found === null) throw gone("The user who called the action no longer exists.");
      const { email, memberships } = found;
      const roles = expandRoles(release, [...USER_ROLES, ...found.roles]);
      const { id: userId, keyKind } = kept;
      return { kind: "user", userId, sessionId: "", email, roles, keyId: null, keyKind, memberships };
    }
    case "key": {
      const role = await roleOfKey(open, release, kept.id);
      if (role === null) throw gone("The key that called the action was revoked or has expired.");
      const roles = expandRoles(release, role);
      return { kind: "key", keyId: kept.id, keyKind: kept.keyKind, roles, user: null };
    }
    case "operator":
      return { kind: "operator", email: kept.id, roles: expandRoles(release, kept.roles), readOnly: false };
  }
}

/** The key's role; none for a publishable one. Null if the key may no longer be used. */
async function roleOfKey(
  { client }: TenantTransaction,
  { projectId }: ActiveRelease,
  keyId: string,
): Promise<readonly string[] | null> {
  // The worker role has no rights on the cell's tables.
  await client.query("SET LOCAL ROLE NONE");
  const { rows } = await client.query<{ kind: KeyKind; role: string | null }>(
    `SELECT kind, role FROM plinth.api_keys WHERE id = $1 AND project_id = $2 AND revoked_at IS NULL
       AND (expires_at IS NULL OR expires_at > now())`,
    [keyId, projectId],
  );
  await client.query(`SET LOCAL ROLE ${quoteIdentifier(tenantNames(projectId).worker)}`);
  const [key] = rows;
  if (key === undefined) return null;
  return key.kind === "secret" ? [key.role ?? "admin"] : [];
}

interface FoundUser {
  readonly email: string;
  readonly roles: readonly string[];
  readonly memberships: readonly Membership[];
  readonly profile: Readonly<Record<string, Value>>;
}

async function findUser(open: TenantTransaction, release: ActiveRelease, id: string): Promise<FoundUser | null> {
  const view = entityView(release, "user");
  const parameters = new Parameters();
  const fields = view.stored.filter((field) => !field.secret);
  const columns = fields.map((field) => `${wireValue(view, field, "u", parameters)} AS ${quoteIdentifier(field.name)}`);
  const memberships = membershipsOf(release.schema, organizationTables(release));
  const { rows } = await open.query(
    forProject(
      `SELECT u.email, array_to_json(u.roles)::text, ${memberships},
         (SELECT row_to_json(_x)::text FROM (SELECT ${columns.join(", ")}) _x)
       FROM ${view.from} u WHERE u.id = $1::uuid`,
      release,
    ),
    [id],
  );
  const [email = null, roles = null, belongs = null, profile = null] = rows[0] ?? [];
  if (email === null || roles === null) return null;
  return {
    email,
    roles: JSON.parse(roles) as string[],
    memberships: JSON.parse(belongs ?? "[]") as Membership[],
    profile: JSON.parse(profile ?? "{}") as Record<string, Value>,
  };
}

export type CallerContext = Required<Pick<EvaluationContext, "user" | "request">>;

/** The context of a run's expressions before its first step: its event, or its caller. Most runs have no caller. */
export function contextAtStart({
  claimed: { run, event },
  calledBy,
}: {
  readonly claimed: Pick<Claimed, "run" | "event">;
  readonly calledBy: CallerContext | null;
}): EvaluationContext {
  if (event !== null) return eventContext(event);
  const { organization, createdAt: now } = run;
  return { rows: {}, user: { id: null, email: null, roles: [] }, ...calledBy, organization, now };
}

/** The context of a caller who waits. */
export async function contextOf(
  open: TenantTransaction,
  release: ActiveRelease,
  { principal, ip }: Acting<CallerPrincipal>,
): Promise<CallerContext> {
  const keyKind = principal.kind === "operator" ? null : principal.keyKind;
  const request = { ip, keyKind };
  const { roles } = principal;
  if (principal.kind !== "user") return { user: { id: null, email: null, roles }, request };
  const found = await findUser(open, release, principal.userId);
  const { userId: id, email, memberships } = principal;
  return { user: { id, email, roles, memberships, profile: found?.profile ?? {} }, request };
}

/**
 * The same for a run. If the caller no longer exists, expressions only see the id: steps that act for them fail by
 * themselves.
 */
export async function contextOfRun(open: TenantTransaction, release: ActiveRelease, run: Run): Promise<CallerContext> {
  try {
    return await contextOf(open, release, await callerNow(open, release, run));
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    const id = run.actorKind === "user" ? run.actorId : null;
    return { user: { id, email: null, roles: [] }, request: { ip: null, keyKind: null } };
  }
}

function gone(message: string): StepFailed {
  return new StepFailed("caller_gone", message, { isFinal: true });
}
