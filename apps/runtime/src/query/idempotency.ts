// Runs an effect once for one `Idempotency-Key`. In: a transaction, the key and the effect. Out: its reply, or the
// saved one. The reply is stored in the transaction of the effect, so a crash in between leaves neither.
// A failure is rolled back and not stored: the same key can be used again.
import type { TenantTransaction } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { ActiveRelease } from "../project/active-release.ts";
import type { Tenant } from "../project/tenant.ts";
import { IDEMPOTENCY_HOURS, IDEMPOTENCY_TABLE, isRepetition, keyReused, type Once } from "./once.ts";
import { replayAudit } from "./shown-again.ts";

export interface OnceReply {
  readonly status: number;
  /** The address of what was created; null if nothing was. */
  readonly location: string | null;
  readonly body: string;
}

/**
 * @param effect Runs in the transaction; its errors are thrown on. @throws Fault `idempotency_in_flight`,
 * `idempotency_key_reused`, `deployment_required`.
 */
export async function doOnce(
  open: TenantTransaction,
  release: ActiveRelease,
  once: Once | null,
  effect: () => Promise<OnceReply>,
): Promise<{ readonly reply: OnceReply; readonly isReplayed: boolean }> {
  if (once === null) return { reply: await effect(), isReplayed: false };
  if (!hasReplies(release.bundle)) throw new Fault("deployment_required");
  const table = `${release.schema}."${IDEMPOTENCY_TABLE}"`;
  const { principal, key, fingerprint } = once;
  // Held to the end of the transaction. The next statement sees what the holder has committed.
  const lock = `plinth.once/${release.projectId}/${principal}/${key}`;
  const { rows: locks } = await open.query("SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))", [lock]);
  if (locks[0]?.[0] !== "t") throw inFlight();
  const known = await open.query(
    `SELECT "fingerprint", "status"::text, "location", "body" FROM ${table}
     WHERE "principal" = $1 AND "key" = $2 AND "created_at" > now() - interval '${IDEMPOTENCY_HOURS} hours'`,
    [principal, key],
  );
  const [given = null, status = null, location = null, body = null] = known.rows[0] ?? [];
  if (given !== null) {
    if (!isRepetition(given, once)) throw keyReused();
    const audit = replayAudit(release, once);
    if (audit !== null) await open.query(audit.text, audit.values);
    return { reply: { status: Number(status), location, body: body ?? "" }, isReplayed: true };
  }
  const reply = await effect();
  await open
    .query(
      // Replaces one that has expired.
      `INSERT INTO ${table} AS r ("principal", "key", "fingerprint", "status", "location", "body")
       VALUES ($1, $2, $3, $4::integer, $5, $6)
       ON CONFLICT ("principal", "key") DO UPDATE SET "fingerprint" = EXCLUDED."fingerprint", "status" = EXCLUDED."status",
         "location" = EXCLUDED."location", "body" = EXCLUDED."body", "created_at" = now()
       WHERE r."created_at" <= now() - interval '${IDEMPOTENCY_HOURS} hours'`,
      [principal, key, fingerprint, String(reply.status), reply.location, reply.body],
    )
    .then(({ rowCount }) => {
      if (rowCount === 0) throw inFlight();
    });
  return { reply, isReplayed: false };
}

export function inFlight(): Fault {
  return new Fault("idempotency_in_flight", { headers: { "retry-after": "1" } });
}

/** Deleted at once. The next round deletes the rest. */
const FORGOTTEN_MAX = 5_000;

/** Deletes expired replies. */
export async function forgetReplies(release: ActiveRelease, tenant: Tenant): Promise<void> {
  if (!hasReplies(release.bundle)) return;
  const table = `${release.schema}."${IDEMPOTENCY_TABLE}"`;
  const old =
    `select _r."principal", _r."key" from ${table} _r where _r."created_at" < now() - interval '${IDEMPOTENCY_HOURS} hours' ` +
    `order by _r."created_at" limit ${FORGOTTEN_MAX}`;
  const text = `delete from ${table} _d using (${old}) _o where _d."principal" = _o."principal" and _d."key" = _o."key"`;
  await tenant.run({ text, values: [], lane: "slow", writes: true });
}

/** Whether a release saves replies at all. */
export function hasReplies({ tables }: Pick<ActiveRelease["bundle"], "tables">): boolean {
  return tables.some((table) => table.name === IDEMPOTENCY_TABLE);
}
