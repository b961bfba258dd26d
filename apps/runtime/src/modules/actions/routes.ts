// `POST /v1/actions/<name>`: the project's own operations. In: an authenticated request. Out: the action's output, or
// the id of the run that executes it. The caller's right to call it is checked before the body is read.
import type { BundleAction } from "@plinth/bundle";
import type { ProjectScope } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { ModuleContext, Reply } from "../../http/contracts.ts";
import { mayCall } from "../../query/action-input.ts";
import { onceOf } from "../../query/once.ts";
import { checkMembers } from "../../records/check-body.ts";
import { actionCheckerOf } from "../../records/checkers.ts";
import { type CallOptions, callAction } from "../../workflows/call-action.ts";
import { requireJson } from "../json-body.ts";
import type { ModuleHandlers } from "../module-routes.ts";

export interface ActionRoutesOptions extends CallOptions {
  readonly scopeOf: (projectId: string) => ProjectScope;
  /** Called when a run may be due. */
  readonly onDue: () => void;
}

export function actionHandlers(options: ActionRoutesOptions): ModuleHandlers {
  return { "project.call": (context) => answer(options, context) };
}

async function answer(options: ActionRoutesOptions, context: ModuleContext): Promise<Reply> {
  const { principal, organization, release, incoming, projectId } = context;
  const name = incoming.path.slice(incoming.path.lastIndexOf("/") + 1);
  const action = release.bundle.background.actions.find((one) => one.name === name);
  if (action === undefined) throw new Error(`the release has a route to ${name}, and no such action`);
  if (!mayCall(action, principal.roles)) {
    throw new Fault("forbidden", { detail: `Your role does not allow you to call ${action.name}.` });
  }
  const { reply, isReplayed } = await callAction(options, {
    scope: options.scopeOf(projectId),
    release,
    action,
    values: valuesOf(context, action),
    principal,
    organization,
    ip: incoming.ip,
    requestId: incoming.id,
    once: onceOf(incoming, principal, organization),
  });
  if (reply.status === 202) options.onDue();
  return replyOf(reply, isReplayed);
}

/** An action without input can be called without a body. @throws Fault 400, 415, 422. */
function valuesOf({ release, incoming }: ModuleContext, action: BundleAction): ReadonlyMap<string, string | null> {
  const sent = incoming.body === null || incoming.body.length === 0 ? {} : requireJson(incoming);
  if (typeof sent !== "object" || sent === null || Array.isArray(sent)) {
    const problem = { path: "", code: "wrong_type", message: "It must be an object." };
    throw new Fault("validation_failed", { errors: [problem] });
  }
  const { problems, texts } = checkMembers(actionCheckerOf(release, action), sent as Record<string, unknown>);
  if (problems.length > 0) throw new Fault("validation_failed", { errors: problems });
  return texts;
}

function replyOf(
  { status, location, body }: { readonly status: number; readonly location: string | null; readonly body: string },
  isReplayed: boolean,
): Reply {
  return {
    status,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      ...(location === null ? {} : { location }),
      ...(isReplayed ? { "idempotency-replayed": "true" } : {}),
    },
    body,
  };
}
