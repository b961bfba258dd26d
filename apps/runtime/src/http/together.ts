// Several writes as one effect. In: a project's door, and the writes. Out: their reply, all or none of them done; once for an
// `Idempotency-Key`, not at all where they are only tried. Where others were in the way, the whole is begun again.
import type { ActiveRelease } from "../project/active-release.ts";
import type { Tenant, TenantDoor } from "../project/tenant.ts";
import { doOnce, type Once, type OnceReply } from "../query/idempotency.ts";
import { isBehindOthers, within } from "../query/within.ts";
import type { Reply } from "./contracts.ts";

export interface Together {
  readonly door: Pick<TenantDoor, "transaction">;
  readonly release: ActiveRelease;
  readonly once: Once | null;
  /** All is judged and answered, and nothing is kept. */
  readonly isTried: boolean;
  /** Whether a statement may be run again where others overtook it. */
  readonly isRepeated: boolean;
}

const TRIES_MAX = 4;
const json = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" } as const;

/** @param work It may be called again: nothing of its last call was kept. What it throws takes everything back. */
export async function writeTogether(options: Together, work: (tenant: Tenant) => Promise<OnceReply>): Promise<Reply> {
  const { door, release, once, isTried, isRepeated } = options;
  for (let tries = 1; ; tries++) {
    try {
      const { reply, isReplayed } = await door.transaction(async (open) => {
        const { statementMsMax } = release.bundle.limits;
        await open.client.query(`SET LOCAL statement_timeout = ${statementMsMax}`);
        // Whoever waits for a number gets theirs within the time of their own statement.
        const numbersMsMax = Math.ceil(statementMsMax / 2);
        const tenant = within(open, { isRepeated, isForMany: true, isTried, numbersMsMax });
        const done = await doOnce(open, release, isTried ? null : once, () => work(tenant));
        if (isTried) throw new Tried(done.reply);
        return done;
      });
      return replyOf(reply, isReplayed ? { "idempotency-replayed": "true" } : {});
    } catch (error) {
      if (error instanceof Tried) return replyOf({ ...error.reply, location: null }, { "plinth-dry-run": "true" });
      if (tries >= TRIES_MAX || !isBehindOthers(error)) throw error;
    }
  }
}

function replyOf({ status, location, body }: OnceReply, marks: Readonly<Record<string, string>>): Reply {
  if (status === 204) return { status, headers: { "cache-control": "no-store", ...marks }, body: null };
  return { status, headers: { ...json, ...(location !== null && { location }), ...marks }, body };
}

/** Ends the transaction of what was only tried, so that nothing is committed. */
class Tried extends Error {
  readonly reply: OnceReply;

  constructor(reply: OnceReply) {
    super("it was tried, and is undone");
    this.name = "Tried";
    this.reply = reply;
  }
}
