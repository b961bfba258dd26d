// Runs several writes as one effect. In: the access to a project's rows, and the writes. Out: their reply. Either all
// are done or none; with an `Idempotency-Key` only once; in a dry run, not at all. If other transactions conflict, the
// whole starts again.
import { limitStatements } from "@plinth/postgres";
import type { ActiveRelease } from "../project/active-release.ts";
import type { Tenant, TenantDoor } from "../project/tenant.ts";
import { turnMissed } from "../query/database-faults.ts";
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
  /** The request is judged and answered, and nothing is stored. */
  readonly isTried: boolean;
  /** Whether a statement can be repeated after a conflict with other transactions. */
  readonly isRepeated: boolean;
}

type Work = (tenant: Tenant) => Promise<OnceReply>;

const TRIES_MAX = 4;
/** A write that waits for its number gives up only after this time: it waits for a second, `TRIES_MAX` times. */
const NUMBERS_MS_MAX = 2_000;
const json = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" } as const;

/** @param work It can be called again: nothing of its last call is left. If it throws, everything is rolled back. */
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
        await limitStatements(open.client, statementMsMax);
        const numbersMsMax = Math.min(statementMsMax, NUMBERS_MS_MAX);
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
      if (tries >= TRIES_MAX || !isBehindOthers(error)) throw turnMissed(error);
    }
  }
}

/** Sends a saved reply again. */
export function replayOf(reply: OnceReply): Reply {
  return replyOf(reply, { "idempotency-replayed": "true" });
}

function replyOf({ status, location, body }: OnceReply, marks: Readonly<Record<string, string>>): Reply {
  if (status === 204) return { status, headers: { "cache-control": "no-store", ...marks }, body: null };
  return { status, headers: { ...json, ...(location !== null && { location }), ...marks }, body };
}

/** Ends the transaction of a dry run, so that nothing is committed except the audit lines about what it has shown. */
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
