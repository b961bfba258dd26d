// `/v1/events`, `/v1/runs`, `/v1/queues` and `/v1/schedules`: what happened, what came of it, what is to come, and what people do
// about it. In: requests of admins, and approvals by whom a step names. They are there only where the project lists `workers`.
import type { ProjectScope } from "@plinth/postgres";
import { Fault, isUuid, runKinds } from "@plinth/service";
import { z } from "zod";
import type { ModuleContext, ModuleHandler, ModuleRoutes, Reply } from "../../http/contracts.ts";
import { hasListeners } from "../../query/entity-view.ts";
import { jsonReply, readBody } from "../json-body.ts";
import { eventLog, readEvent, readLog, readRun, runLog } from "./logs.ts";
import { readQueues } from "./queues.ts";
import { pauseSchedule, readSchedules, resumeSchedule, runSchedule } from "./schedules.ts";
import { approveRun, cancelAll, cancelRun, retryAll, retryRun, type Scoped, settleRun } from "./steer.ts";

const PATH = /^\/v1\/(events|runs|queues|schedules)(?:\/([^/]+)(?:\/([a-z]+))?)?$/;
const nothing = z.strictObject({});
const note = z.string().max(2_000).optional();
const retryBody = z.strictObject({ from: z.string().max(200).optional() });
const approveBody = z.strictObject({ approved: z.boolean(), note });
const doneBody = z.strictObject({ output: z.unknown().optional(), note });
const failBody = z.strictObject({ note });
const until = z.iso.datetime({ offset: true });
const kind = z.enum(runKinds);
const retryAllBody = z.strictObject({ kind, code: z.string().min(1).max(200), until });
const cancelAllBody = z.strictObject({ kind, until });
const resumeBody = z.strictObject({ skip_missed: z.boolean().optional() });

export interface WorkerRoutesOptions {
  readonly scopeOf: (projectId: string) => ProjectScope;
  /** UUID v7, increasing. */
  readonly newId: () => string;
  /** A run may be due now. */
  readonly onDue: () => void;
}

type Deed = (scoped: Scoped, id: string, options: WorkerRoutesOptions) => Promise<object>;

export function createWorkerRoutes(options: WorkerRoutesOptions): ModuleRoutes {
  return {
    readsQuery: true,
    match(method, path, release) {
      const [, list, id, name] = PATH.exec(path) ?? [];
      // A release of before there were events has no tables of them.
      if (list === undefined || !hasListeners(release.bundle)) return null;
      if (id === undefined) return method === "GET" ? listOf(options, list) : null;
      if (name === undefined) return method === "GET" ? oneOf(list, id) : null;
      const deed = deeds.get(`${list}/${name}`);
      return deed !== undefined && method === "POST" ? (context) => act(options, context, deed, id) : null;
    },
  };
}

function listOf(options: WorkerRoutesOptions, list: string): ModuleHandler {
  return async (context) => {
    requireAdmin(context);
    switch (list) {
      case "events":
        return readLog(eventLog, context);
      case "runs":
        return readLog(runLog, context);
      default:
        refuseQuery(context);
        return (list === "queues" ? readQueues : readSchedules)(scopedOf(options, context));
    }
  };
}

function oneOf(list: string, id: string): ModuleHandler | null {
  if (list !== "events" && list !== "runs") return null;
  return async (context) => {
    refuseQuery(context);
    requireAdmin(context);
    const known = idOf(id);
    return list === "events" ? readEvent(context, known) : readRun(context, known);
  };
}

/** What may be asked of one of a list: in, its id or name; out, what the answer tells. */
const deeds: ReadonlyMap<string, Deed> = new Map<string, Deed>([
  [
    "runs/approve",
    async (scoped, id) => {
      const runId = idOf(id);
      const { approved, note: why = null } = readBody(scoped.context.incoming, approveBody);
      await approveRun({ ...scoped, runId }, { approved, note: why });
      return { id: runId };
    },
  ],
  [
    "runs/retry",
    ofRun(async (scoped, runId) => {
      await retryRun({ ...scoped, runId }, readBody(scoped.context.incoming, retryBody).from ?? null);
    }),
  ],
  [
    "runs/cancel",
    ofRun(async (scoped, runId) => {
      readBody(scoped.context.incoming, nothing);
      await cancelRun({ ...scoped, runId });
    }),
  ],
  [
    "runs/done",
    ofRun(async (scoped, runId) => {
      const { output = null, note: why = null } = readBody(scoped.context.incoming, doneBody);
      await settleRun({ ...scoped, runId }, { kind: "done", output, note: why });
    }),
  ],
  [
    "runs/fail",
    ofRun(async (scoped, runId) => {
      const { note: why = null } = readBody(scoped.context.incoming, failBody);
      await settleRun({ ...scoped, runId }, { kind: "failed", note: why });
    }),
  ],
  [
    "queues/retry",
    ofAdmin(async (scoped, workflow) => {
      const { code, ...bulk } = readBody(scoped.context.incoming, retryAllBody);
      return retryAll(scoped, { workflow, ...bulk }, code);
    }),
  ],
  [
    "queues/cancel",
    ofAdmin(async (scoped, workflow) => {
      return cancelAll(scoped, { workflow, ...readBody(scoped.context.incoming, cancelAllBody) });
    }),
  ],
  [
    "schedules/run",
    ofAdmin(async (scoped, name, { newId }) => {
      readBody(scoped.context.incoming, nothing);
      const runId = newId();
      await runSchedule(scoped, name, runId);
      return { id: runId };
    }),
  ],
  [
    "schedules/pause",
    ofAdmin(async (scoped, name) => {
      readBody(scoped.context.incoming, nothing);
      await pauseSchedule(scoped, name);
      return { name };
    }),
  ],
  [
    "schedules/resume",
    ofAdmin(async (scoped, name) => {
      await resumeSchedule(scoped, name, readBody(scoped.context.incoming, resumeBody).skip_missed ?? false);
      return { name };
    }),
  ],
]);

function ofAdmin(deed: Deed): Deed {
  return async (scoped, id, options) => {
    requireAdmin(scoped.context);
    return deed(scoped, id, options);
  };
}

function ofRun(deed: (scoped: Scoped, runId: string) => Promise<void>): Deed {
  return ofAdmin(async (scoped, id) => {
    const runId = idOf(id);
    await deed(scoped, runId);
    return { id: runId };
  });
}

async function act(options: WorkerRoutesOptions, context: ModuleContext, deed: Deed, id: string): Promise<Reply> {
  refuseQuery(context);
  const done = await deed(scopedOf(options, context), id, options);
  options.onDue();
  return jsonReply(202, done);
}

function scopedOf({ scopeOf }: WorkerRoutesOptions, context: ModuleContext): Scoped {
  return { scope: scopeOf(context.projectId), context };
}

function requireAdmin({ principal }: ModuleContext): void {
  if (!principal.roles.includes("admin"))
    throw new Fault("forbidden", { detail: "Only an admin sees background work." });
}

function refuseQuery({ incoming }: ModuleContext): void {
  if (incoming.query !== "") throw new Fault("unknown_parameter", { detail: "This route takes no query parameters." });
}

function idOf(id: string): string {
  if (!isUuid(id)) throw new Fault("not_found");
  return id.toLowerCase();
}
