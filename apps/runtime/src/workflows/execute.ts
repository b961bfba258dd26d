// Carries one run as far as it goes. In: a project and a run that is due. Out: it has ended, or is parked, or belongs to another
// process. A process that dies leaves the run to the next one, which goes on behind the last step that was committed.
import type { BundleBackground, BundleStep, JsonValue, ProjectId, Template } from "@plinth/bundle";
import type { EvaluationContext } from "@plinth/expression";
import { type ProjectScope, sqlState } from "@plinth/postgres";
import type { Logger } from "@plinth/service";
import type { Pool } from "pg";
import type { WorkBudget } from "../events/work-budget.ts";
import type { CallSecrets } from "../identity/call-secrets.ts";
import type { SecretBox } from "../identity/secret-box.ts";
import type { Outbound } from "../outbound/call.ts";
import type { ReleaseRegistry } from "../project/active-release.ts";
import { maskedNames, masksOf, type WorkMasks } from "../project/work-masks.ts";
import { findEntity } from "../query/entity-view.ts";
import { contextOfRun } from "./acting.ts";
import { createActions } from "./actions.ts";
import { createCaller } from "./call-out.ts";
import type { Definitions } from "./definitions.ts";
import { interpret } from "./interpret.ts";
import type { Lookup } from "./interpreting.ts";
import type { Claimed, Run } from "./run.ts";
import { ClaimLost, createRunStore, LEASE_MS, type RunStore } from "./run-store.ts";
import { fillTemplate } from "./template.ts";

export interface ExecutorOptions {
  readonly pool: Pool;
  readonly registry: ReleaseRegistry;
  readonly definitions: Definitions;
  readonly scopeOf: (projectId: string) => ProjectScope;
  readonly secretBox: SecretBox;
  readonly outbound: Outbound;
  readonly secrets: CallSecrets;
  /** UUID v7, increasing. */
  readonly newId: () => string;
  readonly budget: WorkBudget;
  readonly logger: Logger;
  readonly now: () => number;
  readonly random: () => number;
}

export interface Executor {
  execute(projectId: ProjectId, runId: string): Promise<void>;
  /** Runs park at their next step. */
  stop(): void;
}

/** After a failure that is none of the run's own. */
const PAUSE_MS = 5_000;
/** Until somebody looks again for runs whose tables are gone. */
const GONE_MS = 3_600_000;
const UNDEFINED_TABLE = "42P01";

export function createExecutor(options: ExecutorOptions): Executor {
  let stopping = false;
  return {
    async execute(projectId, runId) {
      const scope = options.scopeOf(projectId);
      const store = createRunStore(scope);
      const result = await store.claim(runId).catch((error: unknown) => {
        if (sqlState(error) === UNDEFINED_TABLE) return null;
        throw error;
      });
      // A deployment has taken the module of work away, and set its runs aside with it.
      if (result === null) return handBack(options.pool, projectId, runId, GONE_MS);
      if (result.kind === "ended") return forget(options.pool, projectId, runId);
      if (result.kind === "held") return leaveToHolder(options.pool, projectId, runId);
      // Whoever is before it wakes it at their end; this is for the case that they die.
      if (result.kind === "behind") return handBack(options.pool, projectId, runId, LEASE_MS);
      await carry({ ...options, scope }, store, projectId, result.claimed, () => stopping);
    },
    stop() {
      stopping = true;
    },
  };
}

async function carry(
  options: ExecutorOptions & { readonly scope: ProjectScope },
  store: RunStore,
  projectId: ProjectId,
  claimed: Claimed,
  isStopping: () => boolean,
): Promise<void> {
  const { logger, now, random, scope } = options;
  const { run, fence } = claimed;
  const held = { runId: run.id, fence };
  const renewal = setInterval(() => void store.renew(run.id, fence).catch(() => {}), LEASE_MS / 3);
  try {
    const release = await options.registry.get(projectId);
    const background = await options.definitions.of(run.definition);
    const definition = background === null ? null : definitionOf(background, run);
    if (release === null || definition === null) {
      const message = `The release that this run began with has no ${run.kind} \`${run.workflow}\` that can be read.`;
      await store.end(held, { status: "failed", output: null, error: { code: "no_definition", message } });
      return;
    }
    const masks = (): WorkMasks =>
      masksOf(background ?? release.bundle.background, maskedNames(release.bundle.entities));
    const actions = createActions({ ...options, release, masks });
    const calledBy = run.kind === "action" ? await scope.transaction((open) => contextOfRun(open, release, run)) : null;
    const { steps, timeoutMs, lookup } = definition;
    const deadlineMs = timeoutMs === null ? null : Date.parse(run.createdAt) + timeoutMs;
    await interpret({
      claimed,
      steps,
      lookup,
      calledBy,
      deadlineMs,
      output: (context) => outputOf(definition, context),
      store,
      actions,
      caller: createCaller({ ...options, release, claimed }),
      isSecret: (entity, field) => findEntity(release, entity)?.fields.get(field)?.secret === true,
      now,
      random,
      isStopping,
    });
  } catch (error) {
    // Somebody else carries it on.
    if (error instanceof ClaimLost) return;
    logger.warn({ err: error, projectId, run: run.id, workflow: run.workflow }, "a run was interrupted");
    await store.park(held, now() + PAUSE_MS);
  } finally {
    clearInterval(renewal);
  }
}

interface Definition {
  readonly steps: readonly BundleStep[];
  readonly timeoutMs: number | null;
  readonly lookup: Lookup | null;
  /** Null: what the last step gave. */
  readonly output: Template | null;
}

function outputOf({ steps, output }: Definition, context: EvaluationContext): JsonValue {
  if (output !== null) return fillTemplate(output, context);
  const made = context.values?.["steps"] as Readonly<Record<string, JsonValue>> | undefined;
  return made?.[steps.at(-1)?.id ?? ""] ?? null;
}

/** What an action answers that does not say. */
const nothing: Template = { kind: "literal", value: null };

function definitionOf({ workflows, actions }: BundleBackground, { kind, workflow }: Run): Definition | null {
  if (kind === "action") {
    const action = actions.find((each) => each.name === workflow);
    return action === undefined ? null : { ...action, output: action.output ?? nothing, timeoutMs: null, lookup: null };
  }
  const found = workflows.find((each) => each.kind === kind && each.name === workflow);
  if (found === undefined) return null;
  const { steps, timeoutMs, lookup: where, entity } = found;
  return { steps, timeoutMs, lookup: where === null || entity === null ? null : { entity, where }, output: null };
}

async function forget(pool: Pool, projectId: string, runId: string): Promise<void> {
  await pool.query("DELETE FROM plinth.due_runs WHERE project_id = $1 AND run_id = $2", [projectId, runId]);
}

/** What this process was to look for is looked for when the holder has parked it; or later here, should they die. */
async function leaveToHolder(pool: Pool, projectId: string, runId: string): Promise<void> {
  await pool.query(
    `UPDATE plinth.due_runs SET handed_at = NULL, woken = true, due_at = clock_timestamp() + $3 * interval '1 millisecond'
     WHERE project_id = $1 AND run_id = $2`,
    [projectId, runId, LEASE_MS],
  );
}

async function handBack(pool: Pool, projectId: string, runId: string, afterMs: number): Promise<void> {
  await pool.query(
    `UPDATE plinth.due_runs SET handed_at = NULL, woken = false,
       due_at = CASE WHEN woken THEN clock_timestamp() ELSE clock_timestamp() + $3 * interval '1 millisecond' END
     WHERE project_id = $1 AND run_id = $2`,
    [projectId, runId, afterMs],
  );
}
