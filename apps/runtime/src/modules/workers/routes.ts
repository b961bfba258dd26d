// The handlers of events, runs, approvals, queues and schedules. In: requests of admins, of callers about their own
// runs, and approvals by the roles that a step names. Out: the requested data, or a confirmation.
import type { ProjectScope } from "@plinth/postgres";
import { Fault, runKinds } from "@plinth/service";
import { z } from "zod";
import type { ModuleContext, ModuleHandler, Reply } from "../../http/contracts.ts";
import type { CallSecrets } from "../../identity/call-secrets.ts";
import type { UsageLimits } from "../../workflows/work-usage.ts";
import { jsonReply, readBody } from "../json-body.ts";
import type { ModuleHandlers } from "../module-routes.ts";
import { type ApprovalAnswer, answerApproval } from "./answer-approval.ts";
import { readApprovals } from "./approvals.ts";
import { type BackgroundOf, eventLog, readEvent, readLog, readRun, runLog } from "./logs.ts";
import { readQueues } from "./queues.ts";
import { retryAll, retryRun } from "./retry.ts";
import { pauseSchedule, readSchedules, resumeSchedule, runSchedule } from "./schedules.ts";
import { type BulkEnding, type Settling, settleAll, settleRun } from "./settle.ts";
import { noteReading, rotateSecret } from "./signing-secret.ts";
import { cancelAll, cancelRun, type Scoped } from "./steer.ts";

const nothing = z.strictObject({});
const note = z.string().max(2_000).optional();
const outOfOrder = z.boolean().optional();
const retryBody = z.strictObject({ from: z.string().max(200).optional(), out_of_order: outOfOrder });
const step = z.string().min(1).max(200);
const since = z.iso.datetime({ offset: true }).optional();
const approveBody = z.strictObject({ step, since, approved: z.boolean().optional(), note });
const rejectBody = z.strictObject({ step, since, note });
const doneBody = z.strictObject({
  step: step.optional(),
  output: z.unknown().optional(),
  note,
  out_of_order: outOfOrder,
});
const failBody = z.strictObject({ step: step.optional(), note, out_of_order: outOfOrder });
const name = z.string().min(1).max(200);
const queue = { workflow: name, kind: z.enum(runKinds), until: z.iso.datetime({ offset: true }) };
const retryAllBody = z.strictObject({ ...queue, code: name });
const cancelAllBody = z.strictObject(queue);
const settleAllBody = z.strictObject({
  ...queue,
  calls: z.enum(["done", "failed", "again"]),
  step: step.optional(),
  output: z.unknown().optional(),
  note,
});
const scheduleBody = z.strictObject({ schedule: name });
const resumeBody = z.strictObject({ schedule: name, skip_missed: z.boolean().optional() });

export interface WorkerRoutesOptions {
  readonly scopeOf: (projectId: string) => ProjectScope;
  /** UUID v7, increasing. */
  readonly newId: () => string;
  /** Called when a run may be due. */
  readonly onDue: () => void;
  readonly secrets: CallSecrets;
  readonly backgroundOf: BackgroundOf;
  /** The operator's limits, as the queues show them. */
  readonly limits: UsageLimits;
}

export function workerHandlers(options: WorkerRoutesOptions): ModuleHandlers {
  const look =
    (read: (scoped: Scoped) => Promise<Reply>): ModuleHandler =>
    (context) =>
      read(scopedOf(options, context));
  const action =
    (act: (scoped: Scoped, runId: string) => Promise<object>): ModuleHandler =>
    async (context) => {
      const done = await act(scopedOf(options, context), context.ids[0] ?? "");
      options.onDue();
      return jsonReply(202, done);
    };
  const ofRun = (act: (scoped: Scoped, runId: string) => Promise<void>): ModuleHandler =>
    action(async (scoped, runId) => {
      await act(scoped, runId);
      return { id: runId };
    });
  return {
    "project.events": (context) => readLog(eventLog, context),
    "project.event": (context) => readEvent(context, context.ids[0] ?? ""),
    "project.runs": (context) => readLog(runLog, context),
    "project.run": (context) => readRun(context, context.ids[0] ?? "", options.backgroundOf),
    "project.approvals": readApprovals,
    "project.signing_secret": (context) => readSecret(options, context),
    "project.rotate_signing_secret": (context) => rotate(options, context),
    "project.queues": look((scoped) => readQueues(scoped, options.limits)),
    "project.schedules": look(readSchedules),
    "project.cancel_run": ofRun(async (scoped, runId) => {
      readBody(scoped.context.incoming, nothing);
      await cancelRun({ ...scoped, runId });
    }),
    "project.retry_run": ofRun(async (scoped, runId) => {
      const { from = null, out_of_order = false } = readBody(scoped.context.incoming, retryBody);
      await retryRun({ ...scoped, runId }, { from, outOfOrder: out_of_order }, options.backgroundOf);
    }),
    "project.approve_run": ofRun(async (scoped, runId) => {
      const body = readBody(scoped.context.incoming, approveBody);
      await answerApproval({ ...scoped, runId }, answerOf(body, body.approved ?? true));
    }),
    "project.reject_run": ofRun(async (scoped, runId) => {
      const body = readBody(scoped.context.incoming, rejectBody);
      await answerApproval({ ...scoped, runId }, answerOf(body, false));
    }),
    "project.settle_run": ofRun(async (scoped, runId) => {
      const sent = readBody(scoped.context.incoming, doneBody);
      const { output = null, note: why = null } = sent;
      await settleRun({ ...scoped, runId }, settlingOf(sent), { kind: "done", output, note: why });
    }),
    "project.fail_run": ofRun(async (scoped, runId) => {
      const sent = readBody(scoped.context.incoming, failBody);
      await settleRun({ ...scoped, runId }, settlingOf(sent), { kind: "failed", note: sent.note ?? null });
    }),
    "project.retry_queue": action(async (scoped) => {
      const { code, ...bulk } = readBody(scoped.context.incoming, retryAllBody);
      return retryAll(scoped, bulk, code, options.backgroundOf);
    }),
    "project.settle_queue": action((scoped) => {
      const sent = readBody(scoped.context.incoming, settleAllBody);
      const { calls, step: path = null, output = null, note: why = null, ...bulk } = sent;
      const ending: BulkEnding = calls === "again" ? { kind: "again" } : { kind: calls, output, note: why };
      return settleAll(scoped, { ...bulk, step: path }, ending, options.backgroundOf);
    }),
    "project.cancel_queue": action((scoped) => cancelAll(scoped, readBody(scoped.context.incoming, cancelAllBody))),
    "project.run_schedule": action(async (scoped) => {
      const { schedule } = readBody(scoped.context.incoming, scheduleBody);
      const runId = options.newId();
      await runSchedule(scoped, schedule, runId);
      return { id: runId };
    }),
    "project.pause_schedule": action(async (scoped) => {
      const { schedule } = readBody(scoped.context.incoming, scheduleBody);
      await pauseSchedule(scoped, schedule);
      return { name: schedule };
    }),
    "project.resume_schedule": action(async (scoped) => {
      const { schedule, skip_missed = false } = readBody(scoped.context.incoming, resumeBody);
      await resumeSchedule(scoped, schedule, skip_missed);
      return { name: schedule };
    }),
  };
}

function answerOf(sent: z.infer<typeof rejectBody>, approved: boolean): ApprovalAnswer {
  return { step: sent.step, since: sent.since ?? null, approved, note: sent.note ?? null };
}

function settlingOf(sent: z.infer<typeof failBody>): Settling {
  return { path: sent.step ?? null, outOfOrder: sent.out_of_order ?? false };
}

function scopedOf({ scopeOf }: WorkerRoutesOptions, context: ModuleContext): Scoped {
  return { scope: scopeOf(context.projectId), context };
}

async function rotate(options: WorkerRoutesOptions, context: ModuleContext): Promise<Reply> {
  readBody(context.incoming, nothing);
  refuseViewer(context);
  await rotateSecret(options.secrets, options.scopeOf(context.projectId), context);
  return secretReply(options, context);
}

async function readSecret(options: WorkerRoutesOptions, context: ModuleContext): Promise<Reply> {
  refuseViewer(context);
  await noteReading(options.scopeOf(context.projectId), context);
  return secretReply(options, context);
}

/** The secret with which the project's own services verify calls. */
async function secretReply({ secrets }: WorkerRoutesOptions, context: ModuleContext): Promise<Reply> {
  const [current, previous] = await secrets.of(context.projectId);
  const shown = previous === undefined ? null : { secret: previous.text, until: previous.until };
  return jsonReply(200, { secret: current?.text ?? null, previous: shown });
}

/** With the secret, a caller could impersonate this project. */
function refuseViewer({ principal }: ModuleContext): void {
  if (principal.kind === "operator" && principal.readOnly) {
    throw new Fault("forbidden", { detail: "A viewer of the project can't see its signing secret." });
  }
}
