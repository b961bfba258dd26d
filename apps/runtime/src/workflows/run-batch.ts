// Several runs in one transaction. In: runs that are held, and what walks each of them. Out: all of them ended, or nothing written.
// A run by itself costs two commits and eight round trips, most of which say the same for each run; here they are said once.
// It is for runs whose steps are short and inside the database. What fails, waits or is to be tried again is for each by itself.
import type { JsonValue } from "@plinth/bundle";
import { type ProjectScope, quoteIdentifier, type TenantTransaction } from "@plinth/postgres";
import { arrayLiteral } from "../query/parameters.ts";
import type { Claimed } from "./run.ts";
import { type Open, type RunResult, type RunWrites, type StepChange, WAKE } from "./run-store.ts";

/** Walks a run to its end. What it writes of the run goes through `writes`. */
export type WalkRun = (claimed: Claimed, writes: RunWrites) => Promise<void>;

export type BatchResult =
  | { readonly kind: "done" }
  /** Nothing was written; by themselves the others may end together. Null: it was none of them in particular. */
  | { readonly kind: "undone"; readonly because: Claimed | null };

/** Locks of all runs are kept until the last one has ended: after this long what is left begins anew. */
const BATCH_MS_MAX = 500;

/** @throws what the database fails with as a whole: whether anything was written, each run finds out by itself. */
export async function endTogether(scope: ProjectScope, batch: readonly Claimed[], walk: WalkRun): Promise<BatchResult> {
  const text = textsOf(scope);
  const startedMs = performance.now();
  let because: Claimed | null = null;
  try {
    await scope.transaction(async (open) => {
      const ids = batch.map(({ run }) => run.id);
      const fences = batch.map(({ fence }) => fence);
      const { rows } = await open.query(text.hold, [arrayLiteral(ids), arrayLiteral(fences)]);
      const held = new Set(rows.map(([id]) => id));
      const written: Written = { steps: [], ends: [] };
      for (const claimed of batch) {
        because = claimed;
        if (!held.has(claimed.run.id)) throw new NotTogether();
        if (performance.now() - startedMs > BATCH_MS_MAX) throw new TooLong();
        await walkToEnd(claimed, walk, open, written);
      }
      because = null;
      await flush(scope, open, text.end, written);
    });
    return { kind: "done" };
  } catch (error) {
    if (error instanceof TooLong) return { kind: "undone", because: null };
    if (because !== null) return { kind: "undone", because };
    throw error;
  }
}

/** A run that does something here that is for each by itself. */
class NotTogether extends Error {}

class TooLong extends Error {}

interface Written {
  readonly steps: (StepChange & { readonly runId: string })[];
  readonly ends: (RunResult & { readonly runId: string; readonly fence: string })[];
}

/** The walker may catch what its steps fail with and go on: what it does then is for nothing, since all of it is undone. */
async function walkToEnd(claimed: Claimed, walk: WalkRun, open: TenantTransaction, written: Written): Promise<void> {
  const { run, fence } = claimed;
  const before = written.ends.length;
  let failure: unknown = null;
  const end = async (result: RunResult): Promise<void> => {
    written.ends.push({ ...result, runId: run.id, fence });
  };
  const asOpen: Open = {
    transaction: open,
    save: async (change) => {
      written.steps.push({ ...change, runId: run.id });
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
  await walk(claimed, writes);
  if (failure !== null) throw failure;
  if (written.ends.length !== before + 1) throw new NotTogether();
}

async function flush(scope: ProjectScope, open: TenantTransaction, text: string, written: Written): Promise<void> {
  const { projectId } = scope;
  const { rows } = await open.query(text, [JSON.stringify(stepRows(written)), JSON.stringify(written.ends)]);
  if (rows.length !== written.ends.length) throw new NotTogether();
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

/** One row is written once in a statement: of a step that was saved several times, the last counts. */
function stepRows({ steps }: Written): readonly Readonly<Record<string, JsonValue>>[] {
  const last = new Map(steps.map((step) => [`${step.runId} ${step.path}`, step]));
  return [...last.values()].map(({ runId, path, status, key, attempts, ...rest }) => ({
    run_id: runId,
    path,
    status,
    key,
    attempts,
    output: rest.output ?? null,
    error: rest.error == null ? null : { ...rest.error },
    next_at: null,
    input: rest.input ?? null,
    tried_at: rest.triedAtMs === undefined ? null : new Date(rest.triedAtMs).toISOString(),
  }));
}

function textsOf(scope: ProjectScope): { readonly hold: string; readonly end: string } {
  const table = (name: string): string => `${quoteIdentifier(scope.schema)}.${quoteIdentifier(`workers__${name}`)}`;
  return {
    hold:
      `SELECT r."id" FROM ${table("runs")} r JOIN unnest($1::uuid[], $2::bigint[]) h ("id", "fence") USING ("id", "fence") ` +
      `WHERE r."ended_at" IS NULL AND NOT r."cancelled" ORDER BY r."id" FOR UPDATE OF r`,
    end: `WITH _step AS (
        SELECT * FROM json_to_recordset($1) AS s ("run_id" uuid, "path" text, "status" text, "key" text, "attempts" integer,
          "output" jsonb, "error" jsonb, "next_at" timestamptz, "input" jsonb, "tried_at" timestamptz)
      ), _try AS (
        INSERT INTO ${table("attempts")} ("run_id", "path", "attempt", "started_at", "ended_at", "error")
        SELECT "run_id", "path", "attempts", "tried_at", clock_timestamp(), "error" FROM _step WHERE "tried_at" IS NOT NULL
      ), _saved AS (
        INSERT INTO ${table("steps")} ("run_id", "path", "status", "key", "attempts", "output", "error", "next_at", "input",
          "started_at", "ended_at")
        SELECT "run_id", "path", "status", "key", "attempts", "output", "error", "next_at", "input",
          coalesce("tried_at", clock_timestamp()), clock_timestamp() FROM _step
      )
      UPDATE ${table("runs")} r SET "status" = e."status", "output" = e."output", "error" = e."error", "lease_until" = NULL,
        "ended_at" = clock_timestamp()
      FROM json_to_recordset($2) AS e ("runId" uuid, "fence" bigint, "status" text, "output" jsonb, "error" jsonb)
      WHERE r."id" = e."runId" AND r."fence" = e."fence" AND r."ended_at" IS NULL
      RETURNING r."id", (SELECT o."id" FROM ${table("runs")} o WHERE o."order_key" = r."order_key" AND o."ended_at" IS NULL
        AND o."seq" > r."seq" ORDER BY o."seq" LIMIT 1), r."caused_by"`,
  };
}
