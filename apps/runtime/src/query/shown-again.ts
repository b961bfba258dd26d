// Audits records that were shown without a permanent line in the audit log. In: a dry run, whose own lines are rolled
// back, or the saved reply of an earlier request. Out: a line for each record of an entity with `audit: all`. The lines
// only report reads: a dry run changes nothing, and an earlier change has its own line.
import type { TenantTransaction } from "@plinth/postgres";
import type { ActiveRelease } from "../project/active-release.ts";
import { type Derivation, derived } from "../project/derived.ts";
import { type Principal, principalId } from "../project/principal.ts";
import type { Tenant } from "../project/tenant.ts";
import { HASH_CHARS, IDEMPOTENCY_TABLE, type Once } from "./once.ts";
import { arrayLiteral } from "./parameters.ts";

export interface Viewer {
  readonly requestId: string;
  readonly principal: Principal;
}

export interface ShownRecord {
  readonly operation: string;
  readonly entity: string;
  /** Null if the line is about several records. */
  readonly recordId: string | null;
  /** JSON: the ids of several records. */
  readonly changes: string | null;
}

const audited: Derivation<ReadonlySet<string>> = {
  name: "audited entities",
  make: ({ entities }) => new Set(entities.filter(({ audit }) => audit === "all").map(({ name }) => name)),
};

/** The operations whose lines are about several records. */
const IS_OF_SEVERAL = `_a."operation" in ('list', 'expand', 'aggregate', 'filter')`;
const AS_SHOWN = `case when ${IS_OF_SEVERAL} then _a."operation" else 'read' end`;
/** For a write, the changes aren't ids, and were shown to nobody. */
const IDS = `case when ${IS_OF_SEVERAL} then _a."changes" end`;
const COLUMNS = `("request_id", "actor_kind", "actor_id", "operation", "entity", "record_id", "changes")`;

/**
 * The records that the transaction has shown so far, from its audit lines. It can't see records that it creates or
 * deletes.
 */
export async function shownSoFar(
  open: TenantTransaction,
  release: ActiveRelease,
  { requestId }: Viewer,
): Promise<readonly ShownRecord[]> {
  const entities = derived(release, audited);
  if (entities.size === 0) return [];
  const { rows } = await open.query(
    `select distinct ${AS_SHOWN}, _a."entity", _a."record_id"::text, (${IDS})::text from ${release.schema}."audit_log" _a ` +
      `where _a."request_id" = $1::text and _a."at" = now() and _a."entity" = any($2::text[]) ` +
      `and _a."operation" not in ('create', 'delete')`,
    [requestId, arrayLiteral([...entities])],
  );
  return rows.map(([operation, entity, recordId = null, changes = null]) => ({
    operation: operation ?? "read",
    entity: entity ?? "",
    recordId,
    changes,
  }));
}

/** A separate statement, committed before anybody sees the records. */
export async function auditShown(
  tenant: Pick<Tenant, "run">,
  release: ActiveRelease,
  { requestId, principal }: Viewer,
  shown: readonly ShownRecord[],
): Promise<void> {
  const entities = derived(release, audited);
  const lines = shown.filter(({ entity }) => entities.has(entity));
  if (lines.length === 0) return;
  const text =
    `insert into ${release.schema}."audit_log" ${COLUMNS} ` +
    `select $1::text, $2::text, $3::text, _l."operation", _l."entity", _l."record", _l."ids"::jsonb ` +
    `from unnest($4::text[], $5::text[], $6::uuid[], $7::text[]) as _l ("operation", "entity", "record", "ids")`;
  const values = [
    requestId,
    principal.kind,
    principalId(principal),
    arrayLiteral(lines.map(({ operation }) => operation)),
    arrayLiteral(lines.map(({ entity }) => entity)),
    `{${lines.map(({ recordId }) => recordId ?? "null").join(",")}}`,
    `{${lines.map(({ changes }) => (changes === null ? "null" : JSON.stringify(changes))).join(",")}}`,
  ];
  await tenant.run({ text, values, lane: "fast", writes: true });
}

/** SQL of the lines for the records that a saved reply shows again; null if the project has no such entity. */
export function replayAudit(
  release: ActiveRelease,
  { requestId, principal, key }: Once,
): { readonly text: string; readonly values: readonly string[] } | null {
  const entities = derived(release, audited);
  if (entities.size === 0) return null;
  const text =
    `insert into ${release.schema}."audit_log" ${COLUMNS} ` +
    `select distinct $1::text, _a."actor_kind", _a."actor_id", ${AS_SHOWN}, _a."entity", _a."record_id", ${IDS} ` +
    `from ${release.schema}."${IDEMPOTENCY_TABLE}" _k join ${release.schema}."audit_log" _a ` +
    // One transaction wrote both.
    `on _a."request_id" = substr(_k."fingerprint", ${HASH_CHARS + 2}) and _a."at" = _k."created_at" ` +
    `where _k."principal" = $2::text and _k."key" = $3::text and _a."entity" = any($4::text[]) and _a."operation" <> 'delete'`;
  return { text, values: [requestId, principal, key, arrayLiteral([...entities])] };
}
