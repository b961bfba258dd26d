// Executes several runs in one transaction. In: due runs, and a walker for each. Out: short runs have ended, and the
// others are unchanged; or nothing was written. A single run needs three commits and nine round trips, most of which
// are the same for each run; here they happen once. Runs that fail, wait or need a retry are executed separately.
import { limitStatements, type ProjectScope, type TenantTransaction } from "@plinth/postgres";
import { waitsForEarlier } from "../events/run-order.ts";
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

/** Walks a run to its end, and writes only through `writes`. Null: the run must be executed separately. */
export type WalkerOf = (claimed: Claimed) => Promise<((writes: RunWrites) => Promise<void>) | null>;

export type BatchResult =
  /** The runs that have not ended here. */
  | { readonly kind: "done"; readonly left: readonly string[] }
  /** Nothing was written. The others may end together without this run; null: no single run was the cause. */
  | { readonly kind: "undone"; readonly because: string | null };

/** Locks of all runs are held until the last one has ended. After this time, no further run starts. */
const BATCH_MS_MAX = 500;
/**
 * Others may wait for these locks, and wait a second at most. So a slow statement, or one that waits for a lock, must
 * run in its own run's transaction. If two batches wait for each other, one gives way before Postgres detects the
 * deadlock.
 */
const BATCH_LOCK_MS_MAX = 100;
const BATCH_STATEMENT_MS_MAX = 300;
/**
 * One statement writes the outputs of all steps, and the process's one thread builds it. Beyond this size, no further
 * run starts.
 */
const BATCH_CHARACTERS_MAX = 1_048_576;

/** @throws the database's errors for the whole. Each run then finds out by itself whether anything was written. */
export async function endTogether(
  scope: ProjectScope,
  { runIds, fence }: { readonly runIds: readonly string[]; readonly fence: string },
  walkerOf: WalkerOf,
): Promise<BatchResult> {
  let because: string | null = null;
  try {
    const left = await scope.transaction(async (open) => {
      // Measured from here, because nothing was locked while it waited for its place.
      const startedMs = performance.now();
      await open.client.query(`SET LOCAL lock_timeout = ${BATCH_LOCK_MS_MAX}`);
      await limitStatements(open.client, BATCH_STATEMENT_MS_MAX);
      const { rows } = await open.query(lockText(scope), [arrayLiteral(runIds), fence]);
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
      if (written.ends.size > 0) await flush(scope, open, written, fence);
      return others;
    });
    return { kind: "done", left };
  } catch (error) {
    if (because !== null) return { kind: "undone", because };
    throw error;
  }
}

/** The run needs something that must be done separately. */
class NotTogether extends Error {}

/** Each row as JSON, built once, because outputs may be long. */
interface Written {
  /** By run and path: a statement writes each row once. If a step was saved several times, the last state counts. */
  readonly steps: Map<string, string>;
  /** By run. */
  readonly ends: Map<string, string>;
  /** The size of everything together. */
  characters: number;
}

/** The walker may catch a step's error and continue. All of that is rolled back. */
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

async function flush(scope: ProjectScope, open: TenantTransaction, written: Written, fence: string): Promise<void> {
  const { projectId } = scope;
  const { rows } = await open.query(endText(scope), [
    listOf(written.steps),
    listOf(written.ends),
    arrayLiteral([...written.ends.keys()]),
    fence,
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

/**
 * Runs that nobody has claimed since, and that wait for no other run of their record. They are locked, but not marked as
 * claimed, because they end here.
 */
function lockText(scope: ProjectScope): string {
  const table = tablesOf(scope);
  return `WITH _free AS (
      SELECT * FROM ${table("runs")} WHERE "id" = ANY($1::uuid[]) AND "ended_at" IS NULL AND NOT "cancelled"
        AND "fence" < $2::bigint
      ORDER BY "id" FOR UPDATE SKIP LOCKED)
    SELECT f."id", ${storedClaim(table, "f")}, clock_timestamp()::text FROM _free f
    WHERE f."order_key" IS NULL OR NOT ${waitsForEarlier(table("runs"), "f")}`;
}

/**
 * A process that was considered dead and returns finds that the run has ended. The fence still rises, as with each
 * claim.
 */
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
      UPDATE ${table("runs")} r SET "status" = e."status", "output" = e."output", "error" = e."error",
        "fence" = $4::bigint, "started_at" = coalesce(r."started_at", e."startedAt"), "ended_at" = clock_timestamp()
      FROM json_to_recordset($2) AS e ("runId" uuid, "startedAt" timestamptz, "status" text, "output" jsonb, "error" jsonb)
      -- By its key: how many there are of them is not known to the planner, which would read all runs.
      WHERE r."id" = ANY($3::uuid[]) AND r."id" = e."runId" AND r."ended_at" IS NULL
      RETURNING r."id", (SELECT o."id" FROM ${table("runs")} o WHERE o."order_key" = r."order_key" AND o."ended_at" IS NULL
        AND o."seq" > r."seq" ORDER BY o."seq" LIMIT 1), r."caused_by"`;
}
