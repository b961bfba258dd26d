// Executes runs as far as possible. In: a project and due runs. Out: each has ended, or is parked, or belongs to
// another process. If a process dies, the next one continues the run after its last committed step.
import type { BundleBackground, BundleStep, JsonValue, ProjectId } from "@plinth/bundle";
import type { EvaluationContext } from "@plinth/expression";
import { type ProjectScope, sqlState } from "@plinth/postgres";
import type { Logger } from "@plinth/service";
import type { Pool } from "pg";
import type { Subject } from "../events/event.ts";
import { createFailureLog, type FailureLog } from "../events/failure-log.ts";
import { isOwnEvent } from "../events/own-events.ts";
import type { WorkBudget } from "../events/work-budget.ts";
import type { CallSecrets } from "../identity/call-secrets.ts";
import type { SecretBox } from "../identity/secret-box.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { Outbound } from "../outbound/call.ts";
import type { ActiveRelease, ReleaseRegistry } from "../project/active-release.ts";
import { maskedNames, masksOf, type WorkMasks } from "../project/work-masks.ts";
import { findEntity } from "../query/entity-view.ts";
import { readWholeRecord } from "../query/whole-record.ts";
import { type CallerContext, contextOfRun } from "./acting.ts";
import { createActions, inside } from "./actions.ts";
import { createCaller } from "./call-out.ts";
import { type Definition, definitionOf } from "./definition.ts";
import type { Definitions } from "./definitions.ts";
import { interpret } from "./interpret.ts";
import type { Interpreting } from "./interpreting.ts";
import type { Claimed } from "./run.ts";
import { endTogether, type WalkerOf } from "./run-batch.ts";
import { ClaimLost, type ClaimResult, createRunStore, mayRelease, type RunStore, type RunWrites } from "./run-store.ts";
import { fillTemplate } from "./template.ts";

export interface ExecutorOptions {
  readonly pool: Pool;
  /** The process in the list of due runs. */
  readonly holder: string;
  readonly registry: ReleaseRegistry;
  readonly definitions: Definitions;
  readonly scopeOf: (projectId: string) => ProjectScope;
  readonly secretBox: SecretBox;
  readonly outbound: Outbound;
  readonly secrets: CallSecrets;
  readonly mailer: Mailer;
  /** UUID v7, increasing. */
  readonly newId: () => string;
  readonly budget: WorkBudget;
  readonly logger: Logger;
  readonly now: () => number;
  readonly random: () => number;
}

export interface Executor {
  /** Runs of one project. @throws the database's errors. Its runs must then be released. */
  execute(projectId: ProjectId, runIds: readonly string[], options: ExecuteOptions): Promise<void>;
  /** Runs park at their next step. */
  stop(): void;
}

export interface ExecuteOptions {
  /** The claim: its number is larger than that of every earlier claim of these runs. */
  readonly fence: string;
  /** Called for each run that this process no longer executes. */
  readonly onLeft?: (runId: string) => void;
}

/** After a failure that the run didn't cause. */
const PAUSE_MS = 5_000;
/** The pause before a retry of a run whose row was locked. */
const BUSY_MS = 200;
/** The pause before the next check of a run that a failed one may block. The end of that one wakes it. */
const BLOCKED_MS = 300_000;
/** The pause before the next check of a run that waits for another one, if nothing wakes it. */
const BEHIND_MS = 12_000;
/** The pause before the next check of runs whose tables are gone. */
const GONE_MS = 3_600_000;
const UNDEFINED_TABLE = "42P01";

export function createExecutor(options: ExecutorOptions): Executor {
  let stopping = false;
  const failures = createFailureLog(options.logger, options.now);

  /** Returns the claimed run, or handles the reason why it can't be executed now. */
  async function settle(projectId: ProjectId, runId: string, result: ClaimResult): Promise<Claimed | null> {
    switch (result.kind) {
      case "claimed":
        return result.claimed;
      case "ended":
        await forget(options.pool, projectId, runId);
        return null;
      case "lost":
        return null;
      case "busy":
        await handBack(options, projectId, runId, BUSY_MS);
        return null;
      case "behind":
        // The run before it wakes this one when it ends. This is for the case that its process dies.
        await handBack(options, projectId, runId, BEHIND_MS);
        return null;
      case "blocked":
        // Also if the earlier one fails: it may take days until somebody retries it or gives it up.
        await handBack(options, projectId, runId, BLOCKED_MS);
        return null;
    }
  }

  return {
    async execute(projectId, runIds, { fence, onLeft = () => {} }) {
      const scope = options.scopeOf(projectId);
      const store = createRunStore(scope, options.holder);
      const isStopping = (): boolean => stopping;
      const executing: Executing = { ...options, scope, store, projectId, fence, onLeft, failures, isStopping };
      const results = await claimAll(executing, runIds).catch((error: unknown) => {
        if (sqlState(error) === UNDEFINED_TABLE) return null;
        throw error;
      });
      if (results === null) {
        // A deployment has removed the module for background work, and set its runs aside.
        for (const runId of runIds) await handBack(options, projectId, runId, GONE_MS);
        return;
      }
      const go = async ([runId, result]: readonly [string, ClaimResult]): Promise<void> => {
        try {
          const claimed = await settle(projectId, runId, result);
          if (claimed !== null) await carry(executing, claimed);
        } finally {
          onLeft(runId);
        }
      };
      // All of them: until then, this process executes the others.
      const ends = await Promise.allSettled(results.map(go));
      for (const end of ends) if (end.status === "rejected") throw end.reason;
    },
    stop() {
      stopping = true;
    },
  };
}

interface Executing extends ExecutorOptions {
  readonly scope: ProjectScope;
  readonly store: RunStore;
  readonly projectId: ProjectId;
  readonly fence: string;
  readonly onLeft: (runId: string) => void;
  readonly isStopping: () => boolean;
  readonly failures: FailureLog;
}

/** How often the batch is repeated without a run that failed. A failure rolls the whole batch back. */
const TRIES_TOGETHER = 3;

/** Short runs end here together. @returns the other runs, each of which is executed separately. */
async function claimAll(
  executing: Executing,
  runIds: readonly string[],
): Promise<readonly (readonly [runId: string, ClaimResult])[]> {
  const { scope, store, logger, projectId, fence, onLeft } = executing;
  const alone: string[] = [];
  let together = runIds;
  const walkerOf: WalkerOf = async (claimed) => {
    const known = await knownOf(executing, claimed);
    if (known.kind === "unknown" || !isForBatch(claimed, known)) return null;
    return (writes) => interpret(interpretingOf(executing, claimed, known, { store: writes, isTogether: true }));
  };
  for (let tries = 1; together.length > 0 && !executing.isStopping(); tries++) {
    const result = await endTogether(scope, { runIds: together, fence }, walkerOf).catch((error: unknown) => {
      if (sqlState(error) === UNDEFINED_TABLE) throw error;
      logger.info({ err: error, projectId, runs: together.length }, "runs are executed separately");
      return { kind: "undone", because: null } as const;
    });
    if (result.kind === "done") {
      const { left } = result;
      for (const id of together) if (!left.includes(id)) onLeft(id);
      together = left;
      break;
    }
    const { because } = result;
    if (because === null || tries === TRIES_TOGETHER) break;
    alone.push(because);
    together = together.filter((id) => id !== because);
  }
  const ids = [...together, ...alone];
  const claims = ids.length === 0 ? [] : await store.claim(ids, fence);
  return claims.map((claim, at) => [ids[at]!, claim] as const);
}

async function carry(executing: Executing, claimed: Claimed): Promise<void> {
  const { logger, now, scope, store, projectId } = executing;
  const { run, fence } = claimed;
  const held = { runId: run.id, fence };
  try {
    const known = await knownOf(executing, claimed);
    if (known.kind === "unknown") {
      const message = `The release that this run began with has no ${run.kind} \`${run.workflow}\` that can be read.`;
      await store.end(held, { status: "failed", output: null, error: { code: "no_definition", message } });
      return;
    }
    const calledBy =
      run.kind === "action" ? await scope.transaction((open) => contextOfRun(open, known.release, run)) : null;
    await interpret(interpretingOf(executing, claimed, known, { store, calledBy }));
  } catch (error) {
    // Another process executes it.
    if (error instanceof ClaimLost) return;
    logger.warn({ err: error, projectId, run: run.id, workflow: run.workflow }, "a run was interrupted");
    await store.park(held, now() + PAUSE_MS);
  }
}

/** The data for executing a run: the live release, and the definition with which the run began. */
interface KnownRun {
  readonly kind: "known";
  readonly release: ActiveRelease;
  readonly background: BundleBackground;
  readonly definition: Definition;
}

async function knownOf(
  { registry, definitions, projectId }: Executing,
  { run }: Claimed,
): Promise<KnownRun | { readonly kind: "unknown" }> {
  const release = await registry.get(projectId);
  const background = await definitions.of(run.definition);
  const definition = background === null ? null : definitionOf(background, run);
  // The project was suspended meanwhile. The run continues when the project is restored.
  if (release === null) throw new Error(`no release of ${projectId} is served`);
  if (background === null || definition === null) return { kind: "unknown" };
  return { kind: "known", release, background, definition };
}

/** Short runs, unless they fail. Callers of actions must be looked up one by one, so their runs aren't included. */
function isForBatch({ run, steps, isCancelled }: Claimed, { definition }: KnownRun): boolean {
  if (run.kind === "action" || steps.size > 0 || isCancelled) return false;
  return definition.steps.every(isShort);
}

function isShort({ action, delayMs, forEach }: BundleStep): boolean {
  if (delayMs !== null || forEach !== null) return false;
  return action.kind.startsWith("record.") || ["event.emit", "audit.write", "webhook.emit"].includes(action.kind);
}

interface Walking {
  readonly store: RunWrites;
  readonly calledBy?: CallerContext | null;
  /** Whether the run ends in one transaction with others. */
  readonly isTogether?: boolean;
}

function interpretingOf(
  executing: Executing,
  claimed: Claimed,
  { release, background, definition }: KnownRun,
  { store, calledBy = null, isTogether = false }: Walking,
): Interpreting {
  const { now, random, isStopping, scope } = executing;
  const { run } = claimed;
  const masks = (): WorkMasks => masksOf(background, maskedNames(release.bundle.entities));
  const { steps, timeoutMs, lookup, seesRecordNow } = definition;
  const actions = createActions({ ...executing, release, masks });
  const readRecord = async ({ entity, id }: Subject): Promise<JsonValue> => {
    if (findEntity(release, entity) === null) return null;
    if (!isTogether) return readWholeRecord(release, scope, entity, id);
    // Earlier steps of the same batch are not committed yet.
    const held = { runId: run.id, fence: claimed.fence };
    return store.commit(held, ({ transaction }) => readWholeRecord(release, inside(transaction), entity, id));
  };
  return {
    claimed,
    steps,
    lookup,
    calledBy,
    deadlineMs: timeoutMs === null ? null : Date.parse(run.createdAt) + timeoutMs,
    output: (context) => outputOf(definition, context),
    readRecord: seesRecordNow ? readRecord : null,
    tells: (name) => isOwnEvent(release.bundle.background, name),
    onFailure: ({ status, error }) => {
      const name = status === "failed" ? "run.failed" : "run.needs_attention";
      const { id, workflow, kind } = run;
      executing.failures(name, { projectId: executing.projectId, run: id, workflow, kind, status, code: error?.code });
    },
    store,
    actions,
    caller: createCaller({ ...executing, release, claimed, emails: background.emails ?? [] }),
    isSecret: (entity, field) => findEntity(release, entity)?.fields.get(field)?.secret === true,
    now,
    random,
    isStopping,
  };
}

function outputOf({ steps, output }: Definition, context: EvaluationContext): JsonValue {
  if (output !== null) return fillTemplate(output, context);
  const outputsByStep = context.values?.["steps"] as Readonly<Record<string, JsonValue>> | undefined;
  return outputsByStep?.[steps.at(-1)?.id ?? ""] ?? null;
}

async function forget(pool: Pool, projectId: string, runId: string): Promise<void> {
  await pool.query("DELETE FROM plinth.due_runs WHERE project_id = $1 AND run_id = $2", [projectId, runId]);
}

async function handBack(
  { pool, holder }: Pick<ExecutorOptions, "pool" | "holder">,
  projectId: string,
  runId: string,
  afterMs: number,
): Promise<void> {
  await pool.query(
    `UPDATE plinth.due_runs SET handed_at = NULL, holder = NULL, woken = false,
       due_at = CASE WHEN woken THEN clock_timestamp() ELSE clock_timestamp() + $3 * interval '1 millisecond' END
     WHERE project_id = $1 AND run_id = $2 AND ${mayRelease("$4")}`,
    [projectId, runId, afterMs, holder],
  );
}
