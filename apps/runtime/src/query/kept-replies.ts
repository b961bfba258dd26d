// The replies that a project saves for its `Idempotency-Key`s. In: a request with a key. Out: the saved reply, and
// whether there is room for another one. Bytes are counted in memory, and measured again before a request is refused.
import { Fault } from "@plinth/service";
import type { ActiveRelease } from "../project/active-release.ts";
import { derivedForProject, type ProjectDerivation } from "../project/derived.ts";
import type { Tenant } from "../project/tenant.ts";
import { hasReplies, inFlight, type OnceReply } from "./idempotency.ts";
import { IDEMPOTENCY_HOURS, IDEMPOTENCY_TABLE, isRepetition, keyReused, type Once } from "./once.ts";
import { type MeasuredReplies, ReplyRoom } from "./reply-room.ts";
import { replayAudit } from "./shown-again.ts";

/** In addition to the body: the key, the fingerprint, the row and its entries in indexes. */
const REPLY_BYTES = 512;

export interface Keeping {
  /** Principal and key of the requests that this process is answering. */
  readonly underWay: Set<string>;
  readonly room: ReplyRoom;
}

export const keptReplies: ProjectDerivation<Keeping> = {
  name: "kept replies",
  make: () => ({ underWay: new Set(), room: new ReplyRoom() }),
};

export interface HeldKey {
  /** Called before an effect whose reply will be saved. @throws Fault `rate_limited` (too many replies are saved). */
  readonly requireRoom: () => void;
  /** Ends the request, with the size of the saved reply, or null if none was saved. */
  readonly end: (replyBytes: number | null) => void;
}

/**
 * Holds the key while the request is answered. A repeated request needs no room, so the room is only checked before the
 * effect. @throws Fault `deployment_required`, `idempotency_in_flight`.
 */
export async function holdKey(
  release: ActiveRelease,
  tenant: Pick<Tenant, "run">,
  { principal, key }: Once,
): Promise<HeldKey> {
  if (!hasReplies(release.bundle)) throw new Fault("deployment_required");
  const { underWay, room } = derivedForProject(release, keptReplies);
  const name = `${principal} ${key}`;
  if (underWay.has(name)) throw inFlight();
  underWay.add(name);
  try {
    const hasRoom = await room.has(principal, () => measure(release, tenant, room.muchBytes));
    return {
      requireRoom: () => {
        if (!hasRoom) throw full();
      },
      end: (replyBytes) => {
        underWay.delete(name);
        if (replyBytes !== null) room.add(principal, replyBytes + REPLY_BYTES);
      },
    };
  } catch (error) {
    underWay.delete(name);
    throw error;
  }
}

function full(): Fault {
  return new Fault("rate_limited", {
    detail: "No more replies can be saved for your Idempotency-Keys now. Saved replies are deleted after a day.",
    headers: { "retry-after": "60" },
  });
}

/** Postgres knows the length of a text without reading it. */
async function measure(
  { schema }: ActiveRelease,
  tenant: Pick<Tenant, "run">,
  muchBytes: number,
): Promise<MeasuredReplies> {
  const text =
    `with _own as materialized (select _r."principal" as _caller, sum(octet_length(_r."body") + ${REPLY_BYTES})::bigint as _bytes ` +
    `from ${schema}."${IDEMPOTENCY_TABLE}" _r group by 1) ` +
    `select '' as _caller, coalesce(sum(_o._bytes), 0)::text from _own _o ` +
    `union all select _o._caller, _o._bytes::text from _own _o where _o._bytes >= $1::bigint`;
  const { rows } = await tenant.run({ text, values: [String(Math.floor(muchBytes))], lane: "slow" });
  const sizes = new Map(rows.map(([caller, bytes]) => [caller ?? "", Number(bytes)]));
  const bytes = sizes.get("") ?? 0;
  sizes.delete("");
  return { bytes, byCaller: sizes };
}

/**
 * The saved reply; null if there is none. The records that it shows again are audited first. @throws Fault
 * `deployment_required`, `idempotency_key_reused`.
 */
export async function findReply(
  release: ActiveRelease,
  tenant: Pick<Tenant, "run">,
  once: Once,
): Promise<OnceReply | null> {
  if (!hasReplies(release.bundle)) throw new Fault("deployment_required");
  const text =
    `select _r."fingerprint", _r."status"::text, _r."location", _r."body" from ${release.schema}."${IDEMPOTENCY_TABLE}" _r ` +
    `where _r."principal" = $1::text and _r."key" = $2::text and _r."created_at" > now() - interval '${IDEMPOTENCY_HOURS} hours'`;
  const { rows } = await tenant.run({ text, values: [once.principal, once.key], lane: "fast" });
  const [given = null, status = null, location = null, body = null] = rows[0] ?? [];
  if (given === null) return null;
  if (!isRepetition(given, once)) throw keyReused();
  const audit = replayAudit(release, once);
  if (audit !== null) await tenant.run({ ...audit, lane: "fast", writes: true });
  return { status: Number(status), location, body: body ?? "" };
}

/** Frees an expired key. */
export async function forgetReply({ schema }: ActiveRelease, tenant: Tenant, { principal, key }: Once): Promise<void> {
  const text =
    `delete from ${schema}."${IDEMPOTENCY_TABLE}" _r where _r."principal" = $1::text and _r."key" = $2::text ` +
    `and _r."created_at" <= now() - interval '${IDEMPOTENCY_HOURS} hours'`;
  await tenant.run({ text, values: [principal, key], lane: "fast", writes: true });
}
