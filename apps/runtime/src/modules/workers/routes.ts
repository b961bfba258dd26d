// `/v1/events`, `/v1/runs` and `/v1/signing-secret`: what happened, what came of it, and what people do about it. In: requests of
// admins, and approvals by whom a step names. They are there only where the project lists `workers`.
import type { ProjectScope } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import { z } from "zod";
import type { ModuleContext, Reply } from "../../http/contracts.ts";
import type { CallSecrets } from "../../identity/call-secrets.ts";
import { jsonReply, readBody } from "../json-body.ts";
import type { ModuleHandlers } from "../module-routes.ts";
import { type BackgroundOf, eventLog, readEvent, readLog, readRun, runLog } from "./logs.ts";
import { rotateSecret } from "./signing-secret.ts";
import { approveRun, cancelRun, retryRun, type Steering } from "./steer.ts";

const nothing = z.strictObject({});
const retryBody = z.strictObject({ from: z.string().max(200).optional() });
const approveBody = z.strictObject({ approved: z.boolean(), note: z.string().max(2_000).optional() });

export interface WorkerRoutesOptions {
  readonly scopeOf: (projectId: string) => ProjectScope;
  /** A run may be due now. */
  readonly onDue: () => void;
  readonly secrets: CallSecrets;
  readonly backgroundOf: BackgroundOf;
}

export function workerHandlers(options: WorkerRoutesOptions): ModuleHandlers {
  return {
    "project.events": (context) => readLog(eventLog, context),
    "project.event": (context) => readEvent(context, context.ids[0] ?? ""),
    "project.runs": (context) => readLog(runLog, context),
    "project.run": (context) => readRun(context, context.ids[0] ?? "", options.backgroundOf),
    "project.cancel_run": (context) => cancel(options, context),
    "project.retry_run": (context) => retry(options, context),
    "project.approve_run": (context) => approve(options, context),
    "project.signing_secret": (context) => tellSecret(options, context),
    "project.rotate_signing_secret": (context) => rotate(options, context),
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

async function rotate(options: WorkerRoutesOptions, context: ModuleContext): Promise<Reply> {
  readBody(context.incoming, nothing);
  refuseViewer(context);
  await rotateSecret(options.secrets, options.scopeOf(context.projectId), context);
  return tellSecret(options, context);
}

/** What the project's own services verify calls with. */
async function tellSecret({ secrets }: WorkerRoutesOptions, context: ModuleContext): Promise<Reply> {
  refuseViewer(context);
  const [current, previous] = await secrets.of(context.projectId);
  const told = previous === undefined ? null : { secret: previous.text, until: previous.until };
  return jsonReply(200, { secret: current?.text ?? null, previous: told });
}

/** Whoever has the secret can pass for this project. */
function refuseViewer({ principal }: ModuleContext): void {
  if (principal.kind === "operator" && principal.readOnly) {
    throw new Fault("forbidden", { detail: "Who may only look at the project doesn't see its signing secret." });
  }
}
