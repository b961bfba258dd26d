// Executes the call of an action. In: a checked call. Out: its reply. The effects of a `sync` action, its line in the
// audit log and the saved reply of an `Idempotency-Key` are one transaction. An `async` one creates a run, which
// continues by itself.
import type { BundleAction } from "@plinth/bundle";
import type { EvaluationContext, Value } from "@plinth/expression";
import { limitStatements, type ProjectScope, type TenantTransaction } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import { TOO_MANY_RUNS, type WorkBudget } from "../events/work-budget.ts";
import type { SecretBox } from "../identity/secret-box.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import { type CallerPrincipal, principalId } from "../project/principal.ts";
import { maskedNames, masksOf } from "../project/work-masks.ts";
import { type ActionInput, maskedInput, readActionInput } from "../query/action-input.ts";
import { turnMissed } from "../query/database-faults.ts";
import { doOnce, type OnceReply } from "../query/idempotency.ts";
import { type HeldKey, holdKey } from "../query/kept-replies.ts";
import { lockParents } from "../query/lock-parents.ts";
import type { Once } from "../query/once.ts";
import { isBehindOthers, within } from "../query/within.ts";
import { type Acting, type CallerContext, contextOf, keptCaller } from "./acting.ts";
import { createActions } from "./actions.ts";
import { plannedWrites } from "./planned-writes.ts";
import type { Claimed, Run } from "./run.ts";
import { walkSteps } from "./sync-steps.ts";
import { fillTemplate } from "./template.ts";
import { hasRoomForRun, makeDue } from "./waits.ts";

export interface ActionCall extends Acting<CallerPrincipal> {
  readonly scope: ProjectScope;
  readonly release: ActiveRelease;
  readonly action: BundleAction;
  /** Member > text for its parameter. */
  readonly values: ReadonlyMap<string, string | null>;
  readonly requestId: string;
  readonly once: Once | null;
}

export interface CallOptions {
  readonly secretBox: SecretBox;
  /** UUID v7, increasing. */
  readonly newId: () => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly budget: WorkBudget;
}

/** The maximum time that its locks are held, in addition to one statement's own limit. */
const SYNC_MS_MAX = 5_000;

/** Others may lock the same records in another order. The transaction that has to give way starts again. */
const TRIES_MAX = 3;

interface Called {
  readonly reply: OnceReply;
  readonly isReplayed: boolean;
}

/** @throws Fault. */
export async function callAction(options: CallOptions, call: ActionCall): Promise<Called> {
  const { once, release, scope } = call;
  if (once === null) return repeated(options, call, null);
  const held = await holdKey(release, scope, once);
  let keptBytes: number | null = null;
  try {
    const called = await repeated(options, call, held);
    if (!called.isReplayed) keptBytes = called.reply.body.length;
    return called;
  } finally {
    held.end(keptBytes);
  }
}

async function repeated(options: CallOptions, call: ActionCall, held: HeldKey | null): Promise<Called> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(options, call, held);
    } catch (error) {
      if (tries >= TRIES_MAX || !isBehindOthers(error)) throw turnMissed(error);
    }
  }
}

function attempt(options: CallOptions, call: ActionCall, held: HeldKey | null): Promise<Called> {
  const { scope, release, once, action } = call;
  return scope.transaction(async (open) => {
    const { statementMsMax } = release.bundle.limits;
    await limitStatements(open.client, statementMsMax);
    return doOnce(open, release, once, async () => {
      held?.requireRoom();
      const input = await readActionInput(open, call, action, call.values);
      const run = runOf(call, input, options);
      await writeCall(open, call, run, input);
      return action.mode === "sync" ? answer(options, call, open, run) : begin(options, call, open, run);
    });
  });
}

async function answer(options: CallOptions, call: ActionCall, open: TenantTransaction, run: Run): Promise<OnceReply> {
  const { release, action } = call;
  const { background, entities } = release.bundle;
  const claimed: Claimed = { run, event: null, steps: new Map(), fence: "0", isCancelled: false };
  const { principal, organization, ip } = call;
  const before = contextOfCall(run, await contextOf(open, release, call));
  await lockParents(
    { tenant: within(open, { isRepeated: false }), release },
    plannedWrites(release, action.steps, before),
  );
  const context = await walkSteps(
    {
      open,
      actions: createActions({ ...options, release, masks: () => masksOf(background, maskedNames(entities)) }),
      caller: { principal, organization, ip },
      claimed,
      context: before,
      statementMsMax: release.bundle.limits.statementMsMax,
      deadlineMs: options.now() + SYNC_MS_MAX,
      now: options.now,
    },
    action.steps,
  );
  const data = action.output === null ? null : fillTemplate(action.output, context);
  return { status: 200, location: null, body: JSON.stringify({ data }) };
}

/** Like the context of a run in `walk.ts`. */
function contextOfCall(run: Run, caller: CallerContext): EvaluationContext {
  return {
    ...caller,
    rows: {},
    organization: run.organization,
    now: run.createdAt,
    values: {
      input: run.input as Value,
      run: { id: run.id, workflow: run.workflow, request_id: run.requestId },
    },
  };
}

async function begin(
  { now, budget }: CallOptions,
  call: ActionCall,
  open: TenantTransaction,
  run: Run,
): Promise<OnceReply> {
  const { release } = call;
  if (!(await hasRoomForRun(open, budget, release.projectId))) {
    throw new Fault("rate_limited", { detail: TOO_MANY_RUNS.message });
  }
  await open.query(
    `INSERT INTO ${release.schema}."workers__runs" ("id", "workflow", "kind", "definition", "status", "input", "request_id",
       "actor_kind", "actor_id", "organization_id", "caller")
     VALUES ($1, $2, 'action', $3, 'queued', $4::jsonb, $5, $6, $7, $8::uuid, $9::jsonb)`,
    [
      run.id,
      run.workflow,
      run.definition,
      JSON.stringify(run.input),
      run.requestId,
      run.actorKind,
      run.actorId,
      run.organization,
      JSON.stringify(run.caller),
    ],
  );
  await makeDue(open, release.projectId, { id: run.id, worker: "" }, now());
  const body = JSON.stringify({ data: { id: run.id, workflow: run.workflow, kind: run.kind, status: "queued" } });
  return { status: 202, location: `/v1/runs/${run.id}`, body };
}

function runOf(call: ActionCall, input: ActionInput, { newId, now }: CallOptions): Run {
  const { principal, organization, release, action, requestId } = call;
  return {
    id: newId(),
    workflow: action.name,
    kind: "action",
    definition: release.releaseId,
    input,
    depth: 0,
    causedBy: null,
    requestId,
    actorKind: principal.kind,
    actorId: principalId(principal),
    organization,
    caller: keptCaller(call),
    createdAt: new Date(now()).toISOString(),
  };
}

/** Audits the call itself. The writes of its steps have their own lines, under the same request. */
async function writeCall(
  open: TenantTransaction,
  { release, action }: ActionCall,
  run: Run,
  input: ActionInput,
): Promise<void> {
  await open.query(
    `INSERT INTO ${release.schema}."audit_log" ("request_id", "actor_kind", "actor_id", "operation", "entity", "record_id", "changes")
     VALUES ($1, $2, $3, 'call', 'action', $4::uuid, $5::jsonb)`,
    [
      run.requestId,
      run.actorKind,
      run.actorId,
      run.id,
      JSON.stringify({ action: action.name, input: maskedInput(action, input) }),
    ],
  );
}
