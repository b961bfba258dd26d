// Writes the statement of the audit log: a keyset page, newest first. In: a schema and a LogQuery. Out: SQL and its
// values. Its text never contains a value. It shows what the writes stored, in which values are already masked.
import type { Lane } from "../../project/tenant.ts";
import { fetchedRows } from "../../query/reading/list-statement.ts";
import type { LogQuery } from "../log-query.ts";

export interface AuditStatement {
  readonly text: string;
  readonly values: readonly string[];
  readonly lane: Lane;
  readonly keep: boolean;
}

/** In the order of the statement's columns; `raw` ones are already JSON. */
export const auditMembers: readonly { readonly name: string; readonly raw: boolean }[] = [
  { name: "id", raw: false },
  { name: "at", raw: false },
  { name: "request_id", raw: false },
  { name: "actor_kind", raw: false },
  { name: "actor_id", raw: false },
  { name: "operation", raw: false },
  { name: "entity", raw: false },
  { name: "record_id", raw: false },
  { name: "changes", raw: true },
];

const columns = auditMembers
  .map(({ name }) =>
    name === "at" ? `to_char(_l."at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')` : `_l."${name}"::text`,
  )
  .join(", ");

export function auditStatement(schema: string, { limit, filters, before }: LogQuery): AuditStatement {
  const values: string[] = [];
  const conditions = [...filters].map(([name, value]) => {
    values.push(value);
    return `_l."${name}" = $${values.length}::${name === "record_id" ? "uuid" : "text"}`;
  });
  if (before !== null) {
    values.push(before);
    conditions.push(`_l."id" < $${values.length}::bigint`);
  }
  const where = conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
  const indexed = isIndexed(filters);
  return {
    text: `select ${columns} from ${schema}."audit_log" _l${where} order by _l."id" desc limit ${fetchedRows(limit)}`,
    values,
    lane: indexed ? "earned" : "slow",
    // Callers can combine filters as they like, so the other shapes are not kept prepared.
    keep: indexed,
  };
}

/**
 * The primary key gives the whole log in its order, and an index gives the history of one record, which is short. Other
 * filters may read the whole log to find a few entries.
 */
function isIndexed(filters: LogQuery["filters"]): boolean {
  return filters.size === 0 || (filters.size === 2 && filters.has("entity") && filters.has("record_id"));
}
