// Stage 9 of a request with an `Idempotency-Key`: its effect happens once. In: the request, and the function that
// executes it. Out: the outcome, or the saved outcome of the first request. The statement of the write saves the reply.
// A refusal saves nothing.
import { asFault } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { OnceReply } from "../../query/idempotency.ts";
import { findReply, forgetReply, holdKey } from "../../query/kept-replies.ts";
import { AlreadyKept, KEPT_RECORD_BYTES_MAX, keptIdIn } from "../../query/kept-reply.ts";
import type { Once } from "../../query/once.ts";
import { PLAIN_READING } from "../../query/read-statement.ts";
import { type Request, readRecord } from "../../query/run.ts";
import type { Outcome } from "./execute.ts";

/** A key that is taken belongs to another request, or it has expired and is freed. */
const TRIES_MAX = 3;

/** @throws Fault, such as `idempotency_key_reused` and `idempotency_in_flight`. */
export async function executeOnce(request: Request, once: Once, effect: () => Promise<Outcome>): Promise<Outcome> {
  const { release, tenant } = request;
  const held = await holdKey(release, tenant, once);
  let replyBytes: number | null = null;
  try {
    for (let tries = 1; ; tries++) {
      try {
        held.requireRoom();
        const outcome = await effect();
        replyBytes = "json" in outcome ? Math.min(outcome.json.length, KEPT_RECORD_BYTES_MAX) : 0;
        return outcome;
      } catch (error) {
        if (!mayBeRepeated(error)) throw error;
        const reply = await findReply(release, tenant, once);
        if (reply !== null) return await replayed(request, reply);
        if (!(error instanceof AlreadyKept)) throw error;
        if (tries >= TRIES_MAX) throw new Fault("unavailable", { headers: { "retry-after": "1" }, cause: error });
        await forgetReply(release, tenant, once);
      }
    }
  } finally {
    held.end(replyBytes);
  }
}

/**
 * A repeated request is refused if the first one has deleted or moved on the record, unless its saved reply is found.
 */
export function mayBeRepeated(error: unknown): boolean {
  if (error instanceof AlreadyKept) return true;
  const fault = asFault(error);
  return fault instanceof Fault && fault.status < 500;
}

/** The outcome in a saved reply. */
export async function replayed(request: Request, { status, location, body }: OnceReply): Promise<Outcome> {
  if (status === 204) return { kind: "deleted", isReplayed: true };
  const json = await recordIn(request, body);
  if (location === null) return { kind: "record", json, isReplayed: true };
  const recordId = location.slice(location.lastIndexOf("/") + 1);
  return { kind: "created", json, recordId, isReplayed: true };
}

/** A reply that was too large to save is read again. If the record is deleted or hidden now, only its id is left. */
async function recordIn(request: Request, body: string): Promise<string> {
  const recordId = keptIdIn(body);
  if (recordId === null) return body;
  try {
    // The audit log already has a line for showing the saved reply again.
    return await readRecord({ ...request, once: null, versions: null }, recordId, {
      ...PLAIN_READING,
      isOfWrite: true,
    });
  } catch (error) {
    if (error instanceof Fault && (error.code === "not_found" || error.code === "forbidden")) return body;
    throw error;
  }
}
