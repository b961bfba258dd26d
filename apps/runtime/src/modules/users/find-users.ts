// Lists end users for the console: data of the account, but no field of a profile. In: a project and a search. Out: a
// page, or one user with the sessions and organizations. It only reads.
import type { EndUser, EndUserDetail, EndUserPage, FindUsersBody } from "@plinth/bundle/cell";
import type { ProjectScope } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { Pool } from "pg";
import { USUAL_EMAIL_CONNECTION } from "../../mail/connections.ts";
import type { ActiveRelease } from "../../project/active-release.ts";
import { organizationTables } from "../../project/organization-tables.ts";
import type { TextRow } from "../../project/tenant.ts";
import { arrayLiteral } from "../../query/parameters.ts";
import { type Disabled, disabledAmong } from "./disabled.ts";

export interface FindUsersOptions {
  readonly pool: Pool;
  readonly scopeOf: (projectId: string) => ProjectScope;
}

/** A filter by disabled or not considers at most this many disabled users. */
const DISABLED_MAX = 10_000;
const SESSIONS_MAX = 100;
const ORGANIZATIONS_MAX = 100;

const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)\|([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

const instant = (sql: string, digits: "MS" | "US" = "MS"): string =>
  `to_char(${sql} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.${digits}"Z"')`;

const isActive = "s.revoked_at IS NULL AND s.expires_at > now()";

/** `u` is the user's row. The first session of a sign-in has no parent. The last one of a user is never deleted. */
function accountColumns(schema: string): string {
  return [
    "u.id::text",
    "u.email",
    "u.name",
    "array_to_json(u.roles)::text",
    instant("u.created_at"),
    `(SELECT ${instant("max(s.created_at)")} FROM ${schema}.sessions s WHERE s.user_id = u.id AND s.parent IS NULL)`,
    "(u.password_hash IS NOT NULL)::text",
    `(SELECT count(DISTINCT s.family) FROM ${schema}.sessions s WHERE s.user_id = u.id AND ${isActive})::text`,
    `${instant("u.created_at", "US")} || '|' || u.id::text`,
  ].join(", ");
}

/** Newest first. @throws Fault bad_request. */
export async function findUsers(
  { pool, scopeOf }: FindUsersOptions,
  { projectId, schema }: ActiveRelease,
  { search, role, disabled, after, limit }: FindUsersBody,
): Promise<EndUserPage> {
  const [, at = null, id = null] = after === null ? [] : (CURSOR.exec(after) ?? refuseCursor());
  const among = disabled === null ? [] : await allDisabled(pool, projectId);
  const { rows } = await scopeOf(projectId).run({
    lane: "slow",
    text: `SELECT ${accountColumns(schema)} FROM ${schema}.users u
      WHERE ($1::text IS NULL OR u.email ILIKE $1 OR u.name ILIKE $1)
        AND ($2::text IS NULL OR $2 = ANY (u.roles))
        AND ($3::timestamptz IS NULL OR (u.created_at, u.id) < ($3::timestamptz, $4::uuid))
        AND ($5::boolean IS NULL OR (u.id = ANY ($6::uuid[])) = $5)
      ORDER BY u.created_at DESC, u.id DESC LIMIT $7::integer`,
    values: [
      search === null || search === "" ? null : `%${search.replace(/[\\%_]/g, "\\$&")}%`,
      role,
      at,
      id,
      disabled === null ? null : String(disabled),
      arrayLiteral(among),
      String(limit + 1),
    ],
  });
  const page = rows.slice(0, limit);
  const marks = await disabledAmong(
    pool,
    projectId,
    page.map(([userId]) => userId ?? ""),
  );
  return {
    users: page.map((row) => accountOf(row, marks)),
    next: rows.length > limit ? (page.at(-1)?.[8] ?? null) : null,
  };
}

/** @throws Fault not_found. */
export async function readUserDetail(
  { pool, scopeOf }: FindUsersOptions,
  release: ActiveRelease,
  userId: string,
): Promise<EndUserDetail> {
  const { projectId, schema } = release;
  const scope = scopeOf(projectId);
  const ask = async (text: string): Promise<readonly TextRow[]> =>
    (await scope.run({ lane: "slow", text, values: [userId] })).rows;
  const [row] = await ask(`SELECT ${accountColumns(schema)} FROM ${schema}.users u WHERE u.id = $1::uuid`);
  if (row === undefined) throw new Fault("not_found");
  const sessions = await ask(
    `SELECT s.family::text, (array_agg(s.user_agent ORDER BY s.created_at DESC))[1],
       (array_agg(s.ip ORDER BY s.created_at DESC))[1], ${instant("min(s.created_at)")},
       ${instant("max(greatest(s.created_at, s.used_at))")}
     FROM ${schema}.sessions s WHERE s.user_id = $1::uuid AND ${isActive}
     GROUP BY s.family ORDER BY max(greatest(s.created_at, s.used_at)) DESC LIMIT ${SESSIONS_MAX}`,
  );
  const organizations =
    organizationTables(release) === "none"
      ? null
      : await ask(
          `SELECT o.id::text, o.name, m.role FROM ${schema}.memberships m
           JOIN ${schema}.organizations o ON o.id = m.organization_id
           WHERE m.user_id = $1::uuid ORDER BY o.name, o.id LIMIT ${ORGANIZATIONS_MAX}`,
        );
  const marks = await disabledAmong(pool, projectId, [userId]);
  return {
    ...accountOf(row, marks),
    disabledBy: marks.get(userId)?.by ?? null,
    activeSessions: sessions.map(([id, userAgent, ip, startedAt, lastSeenAt]) => ({
      id: id ?? "",
      userAgent: userAgent ?? null,
      ip: ip ?? null,
      startedAt: startedAt ?? "",
      lastSeenAt: lastSeenAt ?? "",
    })),
    organizations:
      organizations?.map(([id, name, role]) => ({ id: id ?? "", name: name ?? "", role: role ?? "" })) ?? null,
    canMail: await canMail(pool, release),
    verifiesEmail: release.bundle.background.accounts?.verifyEmail === true,
  };
}

/** Whether the connection for mails about accounts is set up. */
export async function canMail(pool: Pool, { projectId, bundle }: ActiveRelease): Promise<boolean> {
  const name = bundle.background.emailConnections?.[0]?.name ?? USUAL_EMAIL_CONNECTION;
  const { rowCount } = await pool.query("SELECT FROM plinth.connections WHERE project_id = $1 AND name = $2", [
    projectId,
    name,
  ]);
  return rowCount === 1;
}

async function allDisabled(pool: Pool, projectId: string): Promise<readonly string[]> {
  const { rows } = await pool.query<{ user_id: string }>(
    `SELECT user_id FROM plinth.disabled_users WHERE project_id = $1 ORDER BY at DESC LIMIT ${DISABLED_MAX}`,
    [projectId],
  );
  return rows.map(({ user_id }) => user_id);
}

function accountOf(row: TextRow, marks: ReadonlyMap<string, Disabled>): EndUser {
  const [id = "", email = "", name = null, roles = "[]", createdAt = "", lastSignInAt = null, password, sessions] = row;
  return {
    id: id ?? "",
    email: email ?? "",
    name,
    roles: JSON.parse(roles ?? "[]") as readonly string[],
    createdAt: createdAt ?? "",
    lastSignInAt,
    disabledAt: marks.get(id ?? "")?.at ?? null,
    hasPassword: password === "true",
    sessions: Number(sessions),
  };
}

function refuseCursor(): never {
  throw new Fault("bad_request", { detail: "This cursor does not belong to a list of users." });
}
