// `GET /v1/audit-log`: who changed what, and when. In: an admin's request. Out: a page of the log, newest first. It
// only exists if the project lists `audit_logs`. It never changes an entry.

import type { ModuleContext, Reply } from "../../http/contracts.ts";
import type { TextRow } from "../../project/tenant.ts";
import { logName, parseLogQuery } from "../log-query.ts";
import type { ModuleHandlers } from "../module-routes.ts";
import { auditMembers, auditStatement } from "./audit-statement.ts";

export const auditLogHandlers: ModuleHandlers = { "project.audit_log": readLog };

/** No other list of the project has this name. */
const LOG = "audit-log";

async function readLog({ filters, incoming, release, tenant, cursors }: ModuleContext): Promise<Reply> {
  const query = parseLogQuery(incoming.query, { name: LOG, filters }, release.projectId, cursors);
  const msMax = release.bundle.limits.statementMsMax;
  const { rows } = await tenant.run({ ...auditStatement(release.schema, query), msMax });
  const hasMore = rows.length > query.limit;
  const shown = rows.slice(0, query.limit);
  const last = hasMore ? (shown.at(-1)?.[0] ?? null) : null;
  const next = last === null ? null : cursors.seal([last], logName(LOG, release.projectId, query.filters));
  return {
    status: 200,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
    body: `{"data":[${shown.map(entryJson).join(",")}],"page":{"next_cursor":${JSON.stringify(next)},"has_more":${hasMore}}}`,
  };
}

/** The changes pass through as Postgres wrote them, because their numbers may be longer than a double can represent. */
function entryJson(row: TextRow): string {
  const members = auditMembers.map(({ name, raw }, i) => {
    const value = row[i] ?? null;
    return `"${name}":${raw && value !== null ? value : JSON.stringify(value)}`;
  });
  return `{${members.join(",")}}`;
}
