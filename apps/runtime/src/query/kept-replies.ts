// The replies that a project keeps for its `Idempotency-Key`s. In: a request with a key. Out: the reply that was given before, and
// whether there is room for another. Bytes are counted in memory, and measured again before the project is refused anything.
import { Fault } from "@plinth/service";
import type { ActiveRelease } from "../project/active-release.ts";
import { derivedForProject, type ProjectDerivation } from "../project/derived.ts";
import type { Tenant } from "../project/tenant.ts";
import {
  hasReplies,
  IDEMPOTENCY_HOURS,
  IDEMPOTENCY_TABLE,
  inFlight,
  keyReused,
  type Once,
  type OnceReply,
} from "./idempotency.ts";

/** What one project keeps within a day, on disk. */
const KEPT_BYTES_MAX = 1_073_741_824;
/** Beside the body: the key, what it is told from others by, the row and its places in indexes. */
const REPLY_BYTES = 512;
/** What other replicas add is seen by measuring: no later than after so many bytes of this one's own. */
const MEASURED_EVERY_BYTES = KEPT_BYTES_MAX / 8;
const MEASURED_EVERY_MS = 10_000;

interface Keeping {
  /** Principal and key of the requests that are being answered by this process. */
  readonly underWay: Set<string>;
  /** Null until it is measured. */
  bytes: number | null;
  addedBytes: number;
  measuredMs: number;
  measuring: Promise<void> | null;
}

const keeping: ProjectDerivation<Keeping> = {
  name: "kept replies",
  make: () => ({ underWay: new Set(), bytes: null, addedBytes: 0, measuredMs: 0, measuring: null }),
};

/**
 * Holds the key while the request is answered.
 * @returns What ends that; it is told how long a reply was kept, or null for none.
 * @throws Fault `deployment_required`, `idempotency_in_flight`, `rate_limited` (too many replies are kept).
 */
export async function holdKey(
  release: ActiveRelease,
  tenant: Tenant,
  { principal, key }: Once,
): Promise<(replyBytes: number | null) => void> {
  if (!hasReplies(release.bundle)) throw new Fault("deployment_required");
  const kept = derivedForProject(release, keeping);
  const name = `${principal} ${key}`;
  if (kept.underWay.has(name)) throw inFlight();
  kept.underWay.add(name);
  try {
    await requireRoom(kept, release, tenant);
  } catch (error) {
    kept.underWay.delete(name);
    throw error;
  }
  return (replyBytes) => {
    kept.underWay.delete(name);
    if (replyBytes !== null) kept.addedBytes += replyBytes + REPLY_BYTES;
  };
}

async function requireRoom(kept: Keeping, release: ActiveRelease, tenant: Tenant): Promise<void> {
  const isFull = (): boolean => (kept.bytes ?? 0) + kept.addedBytes >= KEPT_BYTES_MAX;
  const isDue = isFull() && performance.now() - kept.measuredMs >= MEASURED_EVERY_MS;
  if (kept.bytes === null || isDue || kept.addedBytes >= MEASURED_EVERY_BYTES) {
    kept.measuring ??= measure(kept, release, tenant).finally(() => {
      kept.measuring = null;
    });
    await kept.measuring;
  }
  if (!isFull()) return;
  throw new Fault("rate_limited", {
    detail: "This project keeps as many replies for its Idempotency-Keys as it may; they are forgotten after a day.",
    headers: { "retry-after": "60" },
  });
}

async function measure(kept: Keeping, { schema }: ActiveRelease, tenant: Tenant): Promise<void> {
  const added = kept.addedBytes;
  const text = `select coalesce(sum(octet_length(_r."body") + ${REPLY_BYTES}), 0)::text from ${schema}."${IDEMPOTENCY_TABLE}" _r`;
  const { rows } = await tenant.run({ text, values: [], lane: "slow" });
  kept.bytes = Number(rows[0]?.[0] ?? 0);
  kept.addedBytes -= added;
  kept.measuredMs = performance.now();
}

/** The reply that was given before; null where there is none. @throws Fault `idempotency_key_reused`. */
export async function findReply(
  { schema }: ActiveRelease,
  tenant: Tenant,
  { principal, key, fingerprint }: Once,
): Promise<OnceReply | null> {
  const text =
    `select _r."fingerprint", _r."status"::text, _r."location", _r."body" from ${schema}."${IDEMPOTENCY_TABLE}" _r ` +
    `where _r."principal" = $1::text and _r."key" = $2::text and _r."created_at" > now() - interval '${IDEMPOTENCY_HOURS} hours'`;
  const { rows } = await tenant.run({ text, values: [principal, key], lane: "fast" });
  const [given = null, status = null, location = null, body = null] = rows[0] ?? [];
  if (given === null) return null;
  if (given !== fingerprint) throw keyReused();
  return { status: Number(status), location, body: body ?? "" };
}

/** Makes a key free again that nobody has used for a day. */
export async function forgetReply({ schema }: ActiveRelease, tenant: Tenant, { principal, key }: Once): Promise<void> {
  const text =
    `delete from ${schema}."${IDEMPOTENCY_TABLE}" _r where _r."principal" = $1::text and _r."key" = $2::text ` +
    `and _r."created_at" <= now() - interval '${IDEMPOTENCY_HOURS} hours'`;
  await tenant.run({ text, values: [principal, key], lane: "fast", writes: true });
}
