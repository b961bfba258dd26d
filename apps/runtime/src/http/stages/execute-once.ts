// Stage 9 of a request with an `Idempotency-Key`: its effect happens once. In: the request, and what carries it out. Out: its
// outcome, or the one that it had before. The reply is kept by the statement of the write itself; what was refused keeps nothing.
import { asFault } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { Once } from "../../query/idempotency.ts";
import { findReply, forgetReply, holdKey } from "../../query/kept-replies.ts";
import { AlreadyKept } from "../../query/kept-reply.ts";
import type { Request } from "../../query/run.ts";
import type { Outcome } from "./execute.ts";

/** A key that is found taken is another request's, or has run out and is made free. */
const TRIES_MAX = 3;

/** @throws Fault, `idempotency_key_reused` and `idempotency_in_flight` among them. */
export async function executeOnce(request: Request, once: Once, effect: () => Promise<Outcome>): Promise<Outcome> {
  const { release, tenant } = request;
  const end = await holdKey(release, tenant, once);
  let replyBytes: number | null = null;
  try {
    for (let tries = 1; ; tries++) {
      try {
        const outcome = await effect();
        replyBytes = "json" in outcome ? outcome.json.length : 0;
        return outcome;
      } catch (error) {
        if (!mayBeRepeated(error)) throw error;
        const reply = await findReply(release, tenant, once);
        if (reply !== null) return replayed(reply);
        if (!(error instanceof AlreadyKept)) throw error;
        if (tries >= TRIES_MAX) throw new Fault("unavailable", { headers: { "retry-after": "1" }, cause: error });
        await forgetReply(release, tenant, once);
      }
    }
  } finally {
    end(replyBytes);
  }
}

/** What was deleted or moved on by the first request is refused to its repetition, unless its reply is found. */
function mayBeRepeated(error: unknown): boolean {
  if (error instanceof AlreadyKept) return true;
  const fault = asFault(error);
  return fault instanceof Fault && fault.status < 500;
}

function replayed({ status, location, body }: { status: number; location: string | null; body: string }): Outcome {
  if (status === 204) return { kind: "deleted", isReplayed: true };
  if (location === null) return { kind: "record", json: body, isReplayed: true };
  const recordId = location.slice(location.lastIndexOf("/") + 1);
  return { kind: "created", json: body, recordId, isReplayed: true };
}
