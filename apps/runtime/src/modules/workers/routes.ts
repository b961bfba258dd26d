// `/v1/events`, `/v1/runs` and `/v1/signing-secret`: what happened, what came of it, and what people do about it. In: requests of
// admins, and approvals by whom a step names. They are there only where the project lists `workers`.
import type { ProjectScope } from "@plinth/postgres";
import { z } from "zod";
import type { ModuleContext, ModuleHandler, ModuleRoutes, Reply } from "../../http/contracts.ts";
import type { CallSecrets } from "../../identity/call-secrets.ts";
import { hasListeners } from "../../query/entity-view.ts";
import { jsonReply, readBody } from "../json-body.ts";
import { type BackgroundOf, eventLog, readEvent, readLog, readRun, runLog } from "./logs.ts";
import { rotateSecret } from "./signing-secret.ts";
import { approveRun, cancelRun, retryRun, type Steering } from "./steer.ts";

const SECRET_PATH = /^\/v1\/signing-secret(\/rotate)?$/;
const PATH = /^\/v1\/(events|runs)(?:\/([^/]+)(?:\/(cancel|retry|approve))?)?$/;
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
    readsQuery: true,
    match(method, path, release) {
      // A release of before there were events has no tables of them.
      if (!hasListeners(release.bundle)) return null;
      const [isSecret, rotate] = SECRET_PATH.exec(path) ?? [];
      if (isSecret !== undefined)
        return method === (rotate === undefined ? "GET" : "POST") ? secretOf(options, method) : null;
      const [, list, id, deed] = PATH.exec(path) ?? [];
      if (list === undefined) return null;
      if (id === undefined) return method === "GET" ? listOf(list) : null;
      if (deed === undefined) return method === "GET" ? oneOf(options, list, id) : null;
      return list === "runs" && method === "POST" ? (context) => act(options, context, id, deed) : null;
    },
  };
}

async function cancel(options: WorkerRoutesOptions, context: ModuleContext): Promise<Reply> {
  readBody(context.incoming, nothing);
  return steered(options, context, cancelRun);
}

function oneOf({ backgroundOf }: WorkerRoutesOptions, list: string, id: string): ModuleHandler {
  return async (context) => {
    refuseQuery(context);
    requireAdmin(context);
    const known = idOf(id);
    return list === "events" ? readEvent(context, known) : readRun(context, known, backgroundOf);
  };
}

/** What the project's own services verify calls with. */
function secretOf({ scopeOf, secrets }: WorkerRoutesOptions, method: string): ModuleHandler {
  return async (context) => {
    refuseQuery(context);
    requireAdmin(context, "Only an admin sees the signing secret.");
    const { principal } = context;
    // Whoever has it can pass for this project.
    if (principal.kind === "operator" && principal.readOnly) {
      throw new Fault("forbidden", { detail: "Who may only look at the project doesn't see its signing secret." });
    }
    if (method === "POST") {
      readBody(context.incoming, nothing);
      await rotateSecret(secrets, scopeOf(context.projectId), context);
    }
    const [current, previous] = await secrets.of(context.projectId);
    const told = previous === undefined ? null : { secret: previous.text, until: previous.until };
    return jsonReply(200, { secret: current?.text ?? null, previous: told });
  };
}

async function act(options: WorkerRoutesOptions, context: ModuleContext, id: string, deed: string): Promise<Reply> {
  refuseQuery(context);
  const runId = idOf(id);
  const steering: Steering = { scope: options.scopeOf(context.projectId), context, runId };
  switch (deed) {
    case "approve": {
      const { approved, note = null } = readBody(context.incoming, approveBody);
      await approveRun(steering, { approved, note });
      break;
    }
    case "retry": {
      requireAdmin(context);
      await retryRun(steering, readBody(context.incoming, retryBody).from ?? null);
      break;
    }
    default:
      requireAdmin(context);
      readBody(context.incoming, nothing);
      await cancelRun(steering);
  }
  options.onDue();
  return jsonReply(202, { id: runId });
}

function requireAdmin({ principal }: ModuleContext, detail = "Only an admin sees events and runs."): void {
  if (!principal.roles.includes("admin")) throw new Fault("forbidden", { detail });
}

function refuseQuery({ incoming }: ModuleContext): void {
  if (incoming.query !== "") throw new Fault("unknown_parameter", { detail: "This route takes no query parameters." });
}

function idOf(id: string): string {
  if (!isUuid(id)) throw new Fault("not_found");
  return id.toLowerCase();
}
