// Several writes as one effect. In: a project's door, and the writes. Out: their reply, all or none of them done; once for an
// `Idempotency-Key`, not at all where they are only tried. Where others were in the way, the whole is begun again.
import type { ActiveRelease } from "../project/active-release.ts";
import type { Tenant, TenantDoor } from "../project/tenant.ts";
import { doOnce, type OnceReply } from "../query/idempotency.ts";
import { holdKey } from "../query/kept-replies.ts";
import type { Once } from "../query/once.ts";
import { auditShown, type ShownRecord, shownSoFar, type Viewer } from "../query/shown-again.ts";
import { isBehindOthers, within } from "../query/within.ts";
import type { Reply } from "./contracts.ts";

export interface Together {
  readonly door: TenantDoor;
  readonly release: ActiveRelease;
  readonly viewer: Viewer;
  readonly once: Once | null;
  /** All is judged and answered, and nothing is kept. */
  readonly isTried: boolean;
  /** Whether a statement may be run again where others overtook it. */
  readonly isRepeated: boolean;
}

type Work = (tenant: Tenant) => Promise<OnceReply>;

const TRIES_MAX = 4;
const json = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" } as const;

/** @param work It may be called again: nothing of its last call was kept. What it throws takes everything back. */
export async function writeTogether(options: Together, work: Work): Promise<Reply> {
  const { door, release, once, isTried } = options;
  if (isTried || once === null) return write({ ...options, once: null }, work);
  const held = await holdKey(release, door, once);
  let keptBytes: number | null = null;
  try {
    return await write(options, async (tenant) => {
      held.requireRoom();
      const reply = await work(tenant);
      keptBytes = reply.body.length;
      return reply;
    });
  } catch (error) {
    keptBytes = null;
    throw error;
  } finally {
    held.end(keptBytes);
  }
}

async function write(options: Together, work: Work): Promise<Reply> {
  const { door, release, viewer, once, isTried, isRepeated } = options;
  for (let tries = 1; ; tries++) {
    try {
      const { reply, isReplayed } = await door.transaction(async (open) => {
        const { statementMsMax } = release.bundle.limits;
        await open.client.query(`SET LOCAL statement_timeout = ${statementMsMax}`);
        // Whoever waits for a number gets theirs within the time of their own statement.
        const numbersMsMax = Math.ceil(statementMsMax / 2);
        const tenant = within(open, { isRepeated, isForMany: true, isTried, numbersMsMax });
        const done = await doOnce(open, release, once, () => work(tenant));
        if (isTried) throw new Tried(done.reply, await shownSoFar(open, release, viewer));
        return done;
      });
      return isReplayed ? replayOf(reply) : replyOf(reply, {});
    } catch (error) {
      if (error instanceof Tried) {
        await auditShown(door, release, viewer, error.shown);
        return replyOf({ ...error.reply, location: null }, { "plinth-dry-run": "true" });
      }
      if (tries >= TRIES_MAX || !isBehindOthers(error)) throw error;
    }
  }
}

/** A reply that was kept, given once more. */
export function replayOf(reply: OnceReply): Reply {
  return replyOf(reply, { "idempotency-replayed": "true" });
}

function replyOf({ status, location, body }: OnceReply, marks: Readonly<Record<string, string>>): Reply {
  if (status === 204) return { status, headers: { "cache-control": "no-store", ...marks }, body: null };
  return { status, headers: { ...json, ...(location !== null && { location }), ...marks }, body };
}

/** Ends the transaction of what was only tried, so that nothing is committed but the lines that tell what it has shown. */
class Tried extends Error {
  readonly reply: OnceReply;
  readonly shown: readonly ShownRecord[];

  constructor(reply: OnceReply, shown: readonly ShownRecord[]) {
    super("it was tried, and is undone");
    this.name = "Tried";
    this.reply = reply;
    this.shown = shown;
  }
}
