// Stage 9 of a request with an `Idempotency-Key`: its effect happens once. In: the request, and what carries it out. Out: its
// outcome, or the one that it had before. The reply is kept by the statement of the write itself; what was refused keeps nothing.
import { asFault } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { OnceReply } from "../../query/idempotency.ts";
import { findReply, forgetReply, holdKey } from "../../query/kept-replies.ts";
import { AlreadyKept, KEPT_RECORD_BYTES_MAX, keptIdIn } from "../../query/kept-reply.ts";
import type { Once } from "../../query/once.ts";
import { PLAIN_READING } from "../../query/read-statement.ts";
import { type Request, readRecord } from "../../query/run.ts";
import type { Outcome } from "./execute.ts";

/** A key that is found taken is another request's, or has run out and is made free. */
const TRIES_MAX = 3;

/** @throws Fault, `idempotency_key_reused` and `idempotency_in_flight` among them. */
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

/** What was deleted or moved on by the first request is refused to its repetition, unless its reply is found. */
export function mayBeRepeated(error: unknown): boolean {
  if (error instanceof AlreadyKept) return true;
  const fault = asFault(error);
  return fault instanceof Fault && fault.status < 500;
}

/** The outcome that a kept reply tells of. */
export async function replayed(request: Request, { status, location, body }: OnceReply): Promise<Outcome> {
  if (status === 204) return { kind: "deleted", isReplayed: true };
  const json = await recordIn(request, body);
  if (location === null) return { kind: "record", json, isReplayed: true };
  const recordId = location.slice(location.lastIndexOf("/") + 1);
  return { kind: "created", json, recordId, isReplayed: true };
}

/** One that was too large to be kept is read again; where it is gone or hidden by now, its id is what is left of it. */
async function recordIn(request: Request, body: string): Promise<string> {
  const recordId = keptIdIn(body);
  if (recordId === null) return body;
  try {
    // That the kept reply is shown once more has its line already.
    return await readRecord({ ...request, once: null, versions: null }, recordId, {
      ...PLAIN_READING,
      isOfWrite: true,
    });
  } catch (error) {
    if (error instanceof Fault && (error.code === "not_found" || error.code === "forbidden")) return body;
    throw error;
  }
}
