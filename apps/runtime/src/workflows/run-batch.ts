// Several runs in one transaction. In: runs that are due, and what walks each of them. Out: those that are short have ended, and
// the others are as they were; or nothing was written. A run by itself costs three commits and nine round trips, most of which
// say the same for each run; here they are said once. What fails, waits or is to be tried again is for each run by itself.
import type { ProjectScope, TenantTransaction } from "@plinth/postgres";
import { arrayLiteral } from "../query/parameters.ts";
import type { Claimed } from "./run.ts";
import {
  claimedOf,
  type Open,
  type RunResult,
  type RunWrites,
  type StepChange,
  storedClaim,
  tablesOf,
  WAKE,
} from "./run-store.ts";

/** Walks a run to its end, and writes of it through `writes` alone. Null: it is for itself. */
export type WalkerOf = (claimed: Claimed) => Promise<((writes: RunWrites) => Promise<void>) | null>;

export type BatchResult =
  /** Those that have not ended here. */
  | { readonly kind: "done"; readonly left: readonly string[] }
  /** Nothing was written. Without this one the others may end together; null: it was none of them in particular. */
  | { readonly kind: "undone"; readonly because: string | null };

/** Locks of all runs are kept until the last one has ended: after this long nothing more is begun. */
const BATCH_MS_MAX = 500;
/**
 * Somebody may wait for what the others have locked, and waits a second at most: a statement that takes long, or waits for a lock,
 * does so for its own run alone. Of two batches that wait for each other, one gives way before Postgres has looked for it.
 */
const BATCH_LIMITS = "SET LOCAL lock_timeout = 100; SET LOCAL statement_timeout = 300";
/** What steps have given is written in one statement, which the process's one thread makes: behind so much, nothing more is begun. */
const BATCH_CHARACTERS_MAX = 1_048_576;

/** @throws what the database fails with as a whole: whether anything was written, each run finds out by itself. */
export async function endTogether(
  scope: ProjectScope,
  runIds: readonly string[],
  walkerOf: WalkerOf,
): Promise<BatchResult> {
  let because: string | null = null;
  try {
    const left = await scope.transaction(async (open) => {
      // Not before: what it has waited for its place was no time that anything was locked.
      const startedMs = performance.now();
      await open.client.query(BATCH_LIMITS);
      const { rows } = await open.query(lockText(scope), [arrayLiteral(runIds)]);
      const free = new Map(rows.map(([id, claim, at]) => [id, { claim, at }]));
      const others: string[] = [];
      const written: Written = { steps: new Map(), ends: new Map(), characters: 0 };
      const isFull = (): boolean =>
        performance.now() - startedMs > BATCH_MS_MAX || written.characters > BATCH_CHARACTERS_MAX;
      for (const runId of runIds) {
        const { claim = null, at = null } = free.get(runId) ?? {};
        const claimed = claim === null || isFull() ? null : claimedOf(claim);
        const walk = claimed === null ? null : await walkerOf(claimed);
        if (claimed === null || walk === null) {
          others.push(runId);
          continue;
        }
        because = runId;
        await walkToEnd(claimed, at, walk, open, written);
        because = null;
      }
      if (written.ends.size > 0) await flush(scope, open, written);
      return others;
    });
    return { kind: "done", left };
  } catch (error) {
    if (because !== null) return { kind: "undone", because };
    throw error;
  }
}

/** A run that does something here that is for each by itself. */
class NotTogether extends Error {}

/** Each row as JSON, made once: outputs may be long. */
interface Written {
  /** By run and path: one row is written once in a statement, and of a step that was saved several times the last counts. */
  readonly steps: Map<string, string>;
  /** By run. */
  readonly ends: Map<string, string>;
  /** Of all that was made. */
  characters: number;
}

/** The walker may catch what its steps fail with and go on: what it does then is for nothing, since all of it is undone. */
async function walkToEnd(
  claimed: Claimed,
  startedAt: string | null,
  walk: (writes: RunWrites) => Promise<void>,
  open: TenantTransaction,
  written: Written,
): Promise<void> {
  const { run } = claimed;
  let failure: unknown = null;
  const keep = (rows: Map<string, string>, key: string, row: object): void => {
    const json = JSON.stringify(row);
    rows.set(key, json);
    written.characters += json.length;
  };
  const end = async (result: RunResult): Promise<void> => {
    if (written.ends.has(run.id)) throw new NotTogether();
    keep(written.ends, run.id, { ...result, runId: run.id, startedAt });
  };
  const asOpen: Open = {
    transaction: open,
    save: async (change) => {
      keep(written.steps, `${run.id} ${change.path}`, stepRow(run.id, change));
    },
    end,
  };
  const writes: RunWrites = {
    async commit(_, work) {
      if (failure !== null) throw failure;
      try {
        return await work(asOpen);
      } catch (error) {
        failure = error;
        throw error;
      }
    },
    async park() {
      failure ??= new NotTogether();
    },
    end: (_, result) => end(result),
  };
  await walk(writes);
  if (failure !== null) throw failure;
  if (!written.ends.has(run.id)) throw new NotTogether();
}

async function flush(scope: ProjectScope, open: TenantTransaction, written: Written): Promise<void> {
  const { projectId } = scope;
  const { rows } = await open.query(endText(scope), [
    listOf(written.steps),
    listOf(written.ends),
    arrayLiteral([...written.ends.keys()]),
  ]);
  if (rows.length !== written.ends.size) throw new NotTogether();
  const woken = rows
    .flatMap(([, follower = null, causedBy = null]) => [follower, causedBy])
    .filter((id) => id !== null);
  await open.client.query("SET LOCAL ROLE NONE");
  await open.client.query("DELETE FROM plinth.due_runs WHERE project_id = $1 AND run_id = ANY($2::uuid[])", [
    projectId,
    rows.map(([id]) => id),
  ]);
  if (woken.length > 0) await open.client.query(WAKE, [projectId, woken]);
}

const listOf = (rows: ReadonlyMap<string, string>): string => `[${[...rows.values()].join(",")}]`;

function stepRow(runId: string, { path, status, key, attempts, output, error, input, triedAtMs }: StepChange): object {
  const triedAt = triedAtMs === undefined ? null : new Date(triedAtMs).toISOString();
  const savedAt = new Date().toISOString();
  return { run_id: runId, path, status, key, attempts, output, error, input, tried_at: triedAt, saved_at: savedAt };
}

/** What nobody has, and what is behind no other of its record: locked, and not marked as claimed, since it ends here. */
function lockText(scope: ProjectScope): string {
  const table = tablesOf(scope);
  return `WITH _free AS (
      SELECT * FROM ${table("runs")} WHERE "id" = ANY($1::uuid[]) AND "ended_at" IS NULL AND NOT "cancelled"
        AND ("lease_until" IS NULL OR "lease_until" < clock_timestamp())
      ORDER BY "id" FOR UPDATE SKIP LOCKED)
    SELECT f."id", ${storedClaim(table, "f")}, clock_timestamp()::text FROM _free f
    WHERE f."order_key" IS NULL OR NOT EXISTS (SELECT 1 FROM ${table("runs")} o
      WHERE o."order_key" = f."order_key" AND o."seq" < f."seq" AND o."ended_at" IS NULL)`;
}

/** Whoever was taken for dead and comes back finds that the run has ended; the fence rises nevertheless, as with each claim. */
function endText(scope: ProjectScope): string {
  const table = tablesOf(scope);
  return `WITH _step AS (
        SELECT * FROM json_to_recordset($1) AS s ("run_id" uuid, "path" text, "status" text, "key" text, "attempts" integer,
          "output" jsonb, "error" jsonb, "input" jsonb, "tried_at" timestamptz, "saved_at" timestamptz)
      ), _try AS (
        INSERT INTO ${table("attempts")} ("run_id", "path", "attempt", "started_at", "ended_at", "error")
        SELECT "run_id", "path", "attempts", "tried_at", "saved_at", "error" FROM _step WHERE "tried_at" IS NOT NULL
      ), _saved AS (
        INSERT INTO ${table("steps")} ("run_id", "path", "status", "key", "attempts", "output", "error", "input",
          "started_at", "ended_at")
        SELECT "run_id", "path", "status", "key", "attempts", "output", "error", "input",
          coalesce("tried_at", "saved_at"), "saved_at" FROM _step
      )
      UPDATE ${table("runs")} r SET "status" = e."status", "output" = e."output", "error" = e."error", "lease_until" = NULL,
        "fence" = r."fence" + 1, "started_at" = coalesce(r."started_at", e."startedAt"), "ended_at" = clock_timestamp()
      FROM json_to_recordset($2) AS e ("runId" uuid, "startedAt" timestamptz, "status" text, "output" jsonb, "error" jsonb)
      -- By its key: how many there are of them is not known to the planner, which would read all runs.
      WHERE r."id" = ANY($3::uuid[]) AND r."id" = e."runId" AND r."ended_at" IS NULL
      RETURNING r."id", (SELECT o."id" FROM ${table("runs")} o WHERE o."order_key" = r."order_key" AND o."ended_at" IS NULL
        AND o."seq" > r."seq" ORDER BY o."seq" LIMIT 1), r."caused_by"`;
}
