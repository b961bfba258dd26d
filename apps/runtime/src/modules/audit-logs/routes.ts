// `GET /v1/audit-log`: who changed what, and when. In: an admin's request. Out: a page of the log, newest first.
// It is there only where the project lists `audit_logs`, and never changes what was written.

import { Fault } from "@plinth/service";
import type { ModuleContext, ModuleRoutes, Reply } from "../../http/contracts.ts";
import { hasModule } from "../../project/has-module.ts";
import type { TextRow } from "../../project/tenant.ts";
import { logName, parseLogQuery } from "../log-query.ts";
import { auditShape } from "./audit-log.ts";
import { auditMembers, auditStatement } from "./audit-statement.ts";

export function createAuditLogRoutes(): ModuleRoutes {
  return {
    readsQuery: true,
    match(method, path, release) {
      if (path !== "/v1/audit-log" || !hasModule(release, "audit_logs")) return null;
      return method === "GET" ? readLog : null;
    },
  };
}

async function readLog({ principal, incoming, release, tenant, cursors }: ModuleContext): Promise<Reply> {
  if (!principal.roles.includes("admin")) {
    throw new Fault("forbidden", { detail: "Only an admin reads the audit log." });
  }
  const query = parseLogQuery(incoming.query, auditShape, release.projectId, cursors);
  const msMax = release.bundle.limits.statementMsMax;
  const { rows } = await tenant.run({ ...auditStatement(release.schema, query), msMax });
  const hasMore = rows.length > query.limit;
  const shown = rows.slice(0, query.limit);
  const last = hasMore ? (shown.at(-1)?.[0] ?? null) : null;
  const next = last === null ? null : cursors.seal([last], logName(auditShape, release.projectId, query.filters));
  return {
    status: 200,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
    body: `{"data":[${shown.map(entryJson).join(",")}],"page":{"next_cursor":${JSON.stringify(next)},"has_more":${hasMore}}}`,
  };
}

/** What changed passes through as Postgres wrote it: its numbers may be longer than a double holds. */
function entryJson(row: TextRow): string {
  const members = auditMembers.map(({ name, raw }, i) => {
    const value = row[i] ?? null;
    return `"${name}":${raw && value !== null ? value : JSON.stringify(value)}`;
  });
  return `{${members.join(",")}}`;
}
