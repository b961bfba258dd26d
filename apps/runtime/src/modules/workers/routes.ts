// `/v1/events` and `/v1/runs`: what happened, what came of it, and what people do about it. In: requests of admins, and approvals by
// whom a step names. They are there only where the project lists `workers`.
import type { ProjectScope } from "@plinth/postgres";
import { z } from "zod";
import type { ModuleContext, Reply } from "../../http/contracts.ts";
import { jsonReply, readBody } from "../json-body.ts";
import type { ModuleHandlers } from "../module-routes.ts";
import { eventLog, readEvent, readLog, readRun, runLog } from "./logs.ts";
import { approveRun, cancelRun, retryRun, type Steering } from "./steer.ts";

const nothing = z.strictObject({});
const retryBody = z.strictObject({ from: z.string().max(200).optional() });
const approveBody = z.strictObject({ approved: z.boolean(), note: z.string().max(2_000).optional() });

export interface WorkerRoutesOptions {
  readonly scopeOf: (projectId: string) => ProjectScope;
  /** A run may be due now. */
  readonly onDue: () => void;
}

export function workerHandlers(options: WorkerRoutesOptions): ModuleHandlers {
  return {
    "project.events": (context) => readLog(eventLog, context),
    "project.event": (context) => readEvent(context, context.ids[0] ?? ""),
    "project.runs": (context) => readLog(runLog, context),
    "project.run": (context) => readRun(context, context.ids[0] ?? ""),
    "project.cancel_run": (context) => cancel(options, context),
    "project.retry_run": (context) => retry(options, context),
    "project.approve_run": (context) => approve(options, context),
  };
}

async function cancel(options: WorkerRoutesOptions, context: ModuleContext): Promise<Reply> {
  readBody(context.incoming, nothing);
  return steered(options, context, cancelRun);
}

async function retry(options: WorkerRoutesOptions, context: ModuleContext): Promise<Reply> {
  const { from = null } = readBody(context.incoming, retryBody);
  return steered(options, context, (steering) => retryRun(steering, from));
}

async function approve(options: WorkerRoutesOptions, context: ModuleContext): Promise<Reply> {
  const { approved, note = null } = readBody(context.incoming, approveBody);
  return steered(options, context, (steering) => approveRun(steering, { approved, note }));
}

async function steered(
  { scopeOf, onDue }: WorkerRoutesOptions,
  context: ModuleContext,
  steer: (steering: Steering) => Promise<void>,
): Promise<Reply> {
  const [runId = ""] = context.ids;
  await steer({ scope: scopeOf(context.projectId), context, runId });
  onDue();
  return jsonReply(202, { id: runId });
}
