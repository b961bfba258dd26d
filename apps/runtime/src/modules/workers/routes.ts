// `/v1/events` and `/v1/runs`: what happened, what came of it, and what people do about it. In: requests of admins, and approvals by
// whom a step names. They are there only where the project lists `workers`.
import type { ProjectScope } from "@plinth/postgres";
import { Fault, isUuid } from "@plinth/service";
import { z } from "zod";
import type { ModuleContext, ModuleHandler, ModuleRoutes, Reply } from "../../http/contracts.ts";
import { hasListeners } from "../../query/entity-view.ts";
import { jsonReply, readBody } from "../json-body.ts";
import { eventLog, readEvent, readLog, readRun, runLog } from "./logs.ts";
import { approveRun, cancelRun, retryRun, type Steering } from "./steer.ts";

const PATH = /^\/v1\/(events|runs)(?:\/([^/]+)(?:\/(cancel|retry|approve))?)?$/;
const nothing = z.strictObject({});
const retryBody = z.strictObject({ from: z.string().max(200).optional() });
const approveBody = z.strictObject({ approved: z.boolean(), note: z.string().max(2_000).optional() });

export interface WorkerRoutesOptions {
  readonly scopeOf: (projectId: string) => ProjectScope;
  /** A run may be due now. */
  readonly onDue: () => void;
}

export function createWorkerRoutes(options: WorkerRoutesOptions): ModuleRoutes {
  return {
    readsQuery: true,
    match(method, path, release) {
      const [, list, id, deed] = PATH.exec(path) ?? [];
      // A release of before there were events has no tables of them.
      if (list === undefined || !hasListeners(release.bundle)) return null;
      if (id === undefined) return method === "GET" ? listOf(list) : null;
      if (deed === undefined) return method === "GET" ? oneOf(list, id) : null;
      return list === "runs" && method === "POST" ? (context) => act(options, context, id, deed) : null;
    },
  };
}

function listOf(list: string): ModuleHandler {
  return async (context) => {
    requireAdmin(context);
    return readLog(list === "events" ? eventLog : runLog, context);
  };
}

function oneOf(list: string, id: string): ModuleHandler {
  return async (context) => {
    refuseQuery(context);
    requireAdmin(context);
    const known = idOf(id);
    return list === "events" ? readEvent(context, known) : readRun(context, known);
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

function requireAdmin({ principal }: ModuleContext): void {
  if (!principal.roles.includes("admin"))
    throw new Fault("forbidden", { detail: "Only an admin sees events and runs." });
}

function refuseQuery({ incoming }: ModuleContext): void {
  if (incoming.query !== "") throw new Fault("unknown_parameter", { detail: "This route takes no query parameters." });
}

function idOf(id: string): string {
  if (!isUuid(id)) throw new Fault("not_found");
  return id.toLowerCase();
}
