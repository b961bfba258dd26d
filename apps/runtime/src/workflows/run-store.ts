// Runs in the project's tables. In: a project's scope. Out: claims, and changes that only the holder of a claim can
// make. Every change checks the fence first: a process that was considered dead and returns can't write any more.
import type { JsonValue } from "@plinth/bundle";
import { type ProjectScope, quoteIdentifier, type TenantTransaction } from "@plinth/postgres";
import type { RunStatus, StepStatus } from "@plinth/service";
import { parseExactly } from "../events/exact-json.ts";
import type { OwnEvent } from "../events/own-events.ts";
import { isBlocking, waitsForEarlier } from "../events/run-order.ts";
import { storedEvent, textOrNull, wasSent } from "../events/stored-event.ts";
import { LISTENERS_TABLE } from "../query/entity-view.ts";
import { arrayLiteral } from "../query/parameters.ts";
import type { Claimed, Run, StepError, StepRow } from "./run.ts";
import { beginAnew } from "./step-rows.ts";

/** The process has lost its claim, or the run was cancelled. Its write is rolled back. */
export class ClaimLost extends Error {
  constructor() {
    super("a run belongs to another process by now, or has ended");
    this.name = "ClaimLost";
  }
}

/** Somebody has cancelled the run. Its step's write is rolled back. */
export class RunCancelled extends Error {
  constructor() {
    super("the run was cancelled");
    this.name = "RunCancelled";
  }
}

export type ClaimResult =
  | { readonly kind: "claimed"; readonly claimed: Claimed }
  /** Another process has claimed it since. */
  | { readonly kind: "lost" }
  /** It waits for another run of its record. */
  | { readonly kind: "behind" }
  /** It waits for one that may have failed, until a person acts. */
  | { readonly kind: "blocked" }
  /** Its row is locked: somebody is about to change it. */
  | { readonly kind: "busy" }
  | { readonly kind: "ended" };

export interface StepChange {
  readonly path: string;
  readonly status: StepStatus;
  readonly key: string;
  readonly attempts: number;
  /** Its input, filled in. */
  readonly input?: JsonValue;
  readonly output?: JsonValue;
  readonly error?: StepError | null;
  /** When this attempt began, in ms since the epoch; absent if nothing was tried. */
  readonly triedAtMs?: number;
  /** When it continues, in ms since the epoch; null for never by itself. */
  readonly nextAtMs?: number | null;
  /** Paths of other steps that are reset with it. */
  readonly anew?: readonly string[];
}

export interface Held {
  readonly runId: string;
  readonly fence: string;
  /** Whether the write is allowed after a cancellation, because it belongs to a compensation. */
  readonly undoing?: boolean;
}

export interface RunStore extends RunWrites {
  /** In the order of the ids. @param fence The number of the claim in the list of due runs. */
  claim(runIds: readonly string[], fence: string): Promise<readonly ClaimResult[]>;
}

/** The writes of a held run. */
export interface RunWrites {
  /**
   * Runs the work and saves its step, in one transaction under the project's role. @throws ClaimLost, RunCancelled
   * (unless it is part of a compensation: `undoing`).
   */
  commit<Result>(held: Held, work: (open: Open) => Promise<Result>): Promise<Result>;
  /** Releases the run until it is due again. @param dueAtMs Null: until something wakes it. */
  park(held: Held, dueAtMs: number | null): Promise<void>;
  /** @param told The event about it, if somebody listens. */
  end(held: Held, result: RunResult, told?: ToldEnd | null): Promise<void>;
}

/** An event about the end of a run. */
export interface ToldEnd {
  readonly name: OwnEvent;
  readonly data: Readonly<Record<string, JsonValue>>;
  readonly run: Run;
}

export interface RunResult {
  readonly status: RunStatus;
  readonly output: JsonValue;
  readonly error: StepError | null;
}

/** A transaction of a held run. */
export interface Open {
  readonly transaction: TenantTransaction;
  readonly save: (change: StepChange) => Promise<void>;
  /** Ends the run together with the rest of the transaction. It must be the last call. */
  readonly end: (result: RunResult) => Promise<void>;
}

/** @param holder The process in the list of due runs. */
export function createRunStore(scope: ProjectScope, holder: string): RunStore {
  const table = tablesOf(scope);
  const { projectId } = scope;
  const text = {
    claim: claimText(table),
    hold: `SELECT "cancelled" FROM ${table("runs")} WHERE "id" = $1 AND "fence" = $2 AND "ended_at" IS NULL FOR UPDATE`,
    save: saveText(table),
    park: `UPDATE ${table("runs")} SET "status" = 'waiting' WHERE "id" = $1 AND "fence" = $2 AND "ended_at" IS NULL`,
    end:
      // Open waits are too late now: no event is offered to them any more.
      `WITH _over AS (UPDATE ${table("waits")} SET "answer" = '{"ended": true}' WHERE "run_id" = $1 AND "answer" IS NULL) ` +
      `UPDATE ${table("runs")} SET "status" = $3, "output" = $4::jsonb, "error" = $5::jsonb, ` +
      `"ended_at" = clock_timestamp() WHERE "id" = $1 AND "fence" = $2 AND "ended_at" IS NULL RETURNING "order_key", "caused_by"`,
    follower: `SELECT "id" FROM ${table("runs")} WHERE "order_key" = $1 AND "ended_at" IS NULL ORDER BY "seq" LIMIT 1`,
  };

  const asCell = (open: TenantTransaction): Promise<unknown> => open.client.query("SET LOCAL ROLE NONE");

  async function end(
    open: TenantTransaction,
    { runId, fence }: Held,
    { status, output, error }: RunResult,
  ): Promise<void> {
    const { rows } = await open.query(text.end, [runId, fence, status, jsonOf(output), jsonOf(error)]);
    const [row] = rows;
    if (row === undefined) throw new ClaimLost();
    const [orderKey = null, causedBy = null] = row;
    const next = orderKey === null ? [] : (await open.query(text.follower, [orderKey])).rows.map(([id]) => id);
    await asCell(open);
    await open.client.query("DELETE FROM plinth.due_runs WHERE project_id = $1 AND run_id = $2", [projectId, runId]);
    const woken = [...next, causedBy].filter((id) => id != null);
    if (woken.length > 0) await open.client.query(WAKE, [projectId, woken]);
  }

  return {
    async claim(runIds, fence) {
      // Always short, and alone in its transaction.
      const { rows } = await scope.run({
        text: text.claim,
        values: [arrayLiteral(runIds), fence],
        lane: "fast",
        writes: true,
      });
      const found = new Map(rows.map(([id, state, claim]) => [id, { state, claim }]));
      return runIds.map((id) => {
        const { state = null, claim = null } = found.get(id) ?? {};
        if (state === "claimed" && claim !== null) return { kind: "claimed", claimed: claimedOf(claim) };
        return { kind: waiting.find((each) => each === state) ?? "ended" };
      });
    },

    commit({ runId, fence, undoing = false }, work) {
      return scope.transaction(async (open) => {
        const [held] = (await open.query(text.hold, [runId, fence])).rows;
        if (held === undefined) throw new ClaimLost();
        if (held[0] === "t" && !undoing) throw new RunCancelled();
        const save = async (change: StepChange): Promise<void> => {
          await open.query(text.save, [
            runId,
            change.path,
            change.status,
            change.key,
            String(change.attempts),
            jsonOf(change.output),
            jsonOf(change.error),
            timeOf(change.nextAtMs),
            jsonOf(change.input),
            timeOf(change.triedAtMs),
          ]);
          await beginAnew(
            open,
            table,
            (change.anew ?? []).map((path) => [runId, path]),
          );
        };
        return work({ transaction: open, save, end: (result) => end(open, { runId, fence }, result) });
      });
    },

    async park({ runId, fence }, dueAtMs) {
      await scope.transaction(async (open) => {
        const { rowCount } = await open.query(text.park, [runId, fence]);
        if (rowCount === 0) throw new ClaimLost();
        await asCell(open);
        await open.client.query(PARK, [
          projectId,
          runId,
          dueAtMs === null ? "infinity" : new Date(dueAtMs).toISOString(),
          holder,
        ]);
      });
    },

    end: (held, result, told = null) =>
      scope.transaction(async (open) => {
        if (told !== null) await tellEnd(open, scope, told);
        await end(open, held, result);
      }),
  };
}

/** Its depth is that of a run which the event would start, so that runs about failed runs come to an end. */
async function tellEnd(open: TenantTransaction, { schema }: ProjectScope, { name, data, run }: ToldEnd): Promise<void> {
  const { id, depth, actorKind, actorId, organization, requestId } = run;
  const origin = actorKind === null || actorId === null ? {} : { origin: { kind: actorKind, id: actorId } };
  const own = quoteIdentifier(schema);
  await open.query(
    `INSERT INTO ${own}."_outbox" ("name", "organization_id", "actor_kind", "actor_id", "request_id", "cause", "data")
     SELECT $1::text, $2::uuid, 'service', $3::text, $4::text, $5::jsonb, $6::jsonb
     WHERE EXISTS (SELECT 1 FROM ${own}.${quoteIdentifier(LISTENERS_TABLE)} l WHERE l."event" = $1::text)`,
    [
      name,
      organization,
      `${run.kind} ${run.workflow}`,
      requestId ?? id,
      JSON.stringify({ run: id, depth, ...origin }),
      JSON.stringify(data),
    ],
  );
}

/** Quoted names of the module's tables in the project's schema. */
export function tablesOf(scope: ProjectScope): (name: string) => string {
  const schema = quoteIdentifier(scope.schema);
  return (name) => `${schema}.${quoteIdentifier(`workers__${name}`)}`;
}

const waiting = ["lost", "behind", "blocked", "busy"] as const;

/** SQL: no other process has claimed the run meanwhile. @param holder The parameter for this process. */
export function mayRelease(holder: string): string {
  return `(holder IS NULL OR holder = ${holder})`;
}

/** An event that came while it ran makes it due at once. */
const PARK = `
  UPDATE plinth.due_runs SET handed_at = NULL, holder = NULL, woken = false,
    due_at = CASE WHEN woken THEN clock_timestamp() ELSE $3::timestamptz END
  WHERE project_id = $1 AND run_id = $2 AND ${mayRelease("$4")}`;

export const WAKE = `
  UPDATE plinth.due_runs SET due_at = least(due_at, clock_timestamp()), woken = woken OR handed_at IS NOT NULL
  WHERE project_id = $1 AND run_id = ANY($2::uuid[])`;

/**
 * Runs wait for the earlier ones of their records. A claim that was overtaken by a later one gets nothing. One statement
 * returns all the data that they need.
 */
function claimText(table: (name: string) => string): string {
  return `WITH _found AS (SELECT * FROM ${table("runs")} WHERE "id" = ANY($1::uuid[]) ORDER BY "id" FOR UPDATE SKIP LOCKED),
    _free AS (SELECT "id" FROM _found f WHERE f."ended_at" IS NULL AND f."fence" < $2::bigint
      AND (f."order_key" IS NULL OR NOT ${waitsForEarlier(table("runs"), "f")})),
    _claim AS (UPDATE ${table("runs")} r SET "fence" = $2::bigint,
      "status" = 'running', "started_at" = coalesce(r."started_at", clock_timestamp())
      FROM _free WHERE r."id" = _free."id" RETURNING r.*)
    SELECT f."id", CASE WHEN c."id" IS NOT NULL THEN 'claimed' WHEN f."ended_at" IS NOT NULL THEN 'ended'
        WHEN f."fence" >= $2::bigint THEN 'lost' WHEN ${isBlocking("f")} THEN 'blocked' ELSE 'behind' END,
      CASE WHEN c."id" IS NOT NULL THEN ${storedClaim(table, "c")} END
    FROM _found f LEFT JOIN _claim c ON c."id" = f."id"
    UNION ALL SELECT r."id", 'busy', NULL FROM ${table("runs")} r
      WHERE r."id" = ANY($1::uuid[]) AND r."id" NOT IN (SELECT "id" FROM _found)`;
}

/** SQL: a run, from the row named `run`, with its event and its steps. */
export function storedClaim(table: (name: string) => string, run: string): string {
  return `json_build_object('run', to_json(${run}),
    'event', (SELECT to_json(e) FROM ${table("events")} e WHERE e."id" = ${run}."event_id"),
    'steps', (SELECT coalesce(json_agg(s), '[]'::json) FROM ${table("steps")} s WHERE s."run_id" = ${run}."id"))::text`;
}

/** Saves the step's new state, and the attempt that led to it. */
function saveText(table: (name: string) => string): string {
  return `WITH _try AS (
      INSERT INTO ${table("attempts")} ("run_id", "path", "attempt", "started_at", "ended_at", "error")
      SELECT $1, $2, $5::integer, $10::timestamptz, clock_timestamp(), $7::jsonb
      WHERE $10::timestamptz IS NOT NULL ON CONFLICT DO NOTHING)
    INSERT INTO ${table("steps")} AS s ("run_id", "path", "status", "key", "attempts", "output", "error", "next_at", "input",
      "started_at", "ended_at")
    VALUES ($1, $2, $3, $4, $5::integer, $6::jsonb, $7::jsonb, $8::timestamptz, $9::jsonb,
      coalesce($10::timestamptz, clock_timestamp()),
      CASE WHEN $3 IN ('completed', 'skipped', 'failed') THEN clock_timestamp() END)
    ON CONFLICT ("run_id", "path") DO UPDATE SET "status" = EXCLUDED."status", "key" = EXCLUDED."key", "attempts" = EXCLUDED."attempts",
      "output" = EXCLUDED."output", "error" = EXCLUDED."error", "next_at" = EXCLUDED."next_at",
      "input" = coalesce(EXCLUDED."input", s."input"), "ended_at" = EXCLUDED."ended_at"`;
}

function timeOf(ms: number | null | undefined): string | null {
  return ms == null ? null : new Date(ms).toISOString();
}

function jsonOf(value: JsonValue | StepError | undefined): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}

interface StoredClaim {
  readonly run: Readonly<Record<string, JsonValue>>;
  readonly event: Readonly<Record<string, JsonValue>> | null;
  readonly steps: readonly Readonly<Record<string, JsonValue>>[];
}

/** @param text From `storedClaim`. */
export function claimedOf(text: string): Claimed {
  const { run, event, steps } = JSON.parse(text) as StoredClaim;
  return {
    run: {
      id: run["id"] as string,
      workflow: run["workflow"] as string,
      kind: run["kind"] as Run["kind"],
      definition: run["definition"] as string,
      input: run["input"] ?? null,
      depth: run["depth"] as number,
      causedBy: textOrNull(run["caused_by"]),
      requestId: textOrNull(run["request_id"]),
      actorKind: textOrNull(run["actor_kind"]),
      actorId: textOrNull(run["actor_id"]),
      organization: textOrNull(run["organization_id"]),
      caller: run["caller"] ?? null,
      createdAt: new Date(run["created_at"] as string).toISOString(),
    },
    event: event === null ? null : storedEvent(wasSent(event) ? exactEventOf(text) : event),
    steps: new Map(steps.map((step) => [step["path"] as string, storedStep(step)])),
    fence: String(run["fence"]),
    isCancelled: run["cancelled"] === true,
  };
}

function exactEventOf(text: string): Readonly<Record<string, JsonValue>> {
  return (parseExactly(text) as StoredClaim).event ?? {};
}

function storedStep(step: Readonly<Record<string, JsonValue>>): StepRow {
  return {
    path: step["path"] as string,
    status: step["status"] as StepStatus,
    key: step["key"] as string,
    attempts: step["attempts"] as number,
    output: step["output"] ?? null,
    error: (step["error"] ?? null) as StepError | null,
    nextAt: textOrNull(step["next_at"]),
  };
}
