// A step that calls another service. In: the call, filled. Out: what was answered, as JSON. All tries of a step carry the same
// key, so that a service which honours it acts once.
import type { JsonValue, StepAction } from "@plinth/bundle";
import type { EvaluationContext } from "@plinth/expression";
import { type Outbound, OutboundError, type OutboundReply } from "../outbound/call.ts";
import { StepFailed } from "./step-failed.ts";
import { fillMembers, fillTemplate } from "./template.ts";

export type OutsideAction = Extract<StepAction, { readonly kind: "http.request" }>;

export function isOutside(action: StepAction): action is OutsideAction {
  return action.kind === "http.request";
}

/** @throws StepFailed. */
export async function callOut(
  outbound: Outbound,
  action: OutsideAction,
  {
    key,
    context,
    timeoutMs,
  }: { readonly key: string; readonly context: EvaluationContext; readonly timeoutMs: number },
): Promise<JsonValue> {
  const headers: Record<string, string> = { "user-agent": "Plinth", "idempotency-key": key };
  for (const [name, value] of Object.entries(fillMembers(action.headers, context))) {
    if (value !== null) headers[name.toLowerCase()] = typeof value === "string" ? value : JSON.stringify(value);
  }
  const filled = action.body === null ? null : fillTemplate(action.body, context);
  const body = filled === null || typeof filled === "string" ? filled : JSON.stringify(filled);
  if (body !== null) headers["content-type"] ??= typeof filled === "string" ? "text/plain" : "application/json";
  const url = String(fillTemplate(action.url, context) ?? "");
  const reply = await answerOf(outbound.call({ method: action.method, url, headers, body, timeoutMs }));
  refuseFailure(reply);
  return { status: reply.status, headers: reply.headers, body: jsonOf(reply) };
}

async function answerOf(call: Promise<OutboundReply>): Promise<OutboundReply> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const { problem, message } = error;
    throw new StepFailed(problem, message, {
      isFinal: problem === "refused" || problem === "too_large",
      isUnknown: problem === "no_answer" || problem === "too_large",
    });
  }
}

/** Statuses that say that a later try may succeed, RFC 9110 and 6585. */
const LATER: ReadonlySet<number> = new Set([408, 425, 429]);
const RETRY_AFTER_MS_MAX = 3_600_000;

function refuseFailure({ status, headers }: OutboundReply): void {
  if (status >= 200 && status < 300) return;
  const isLater = status >= 500 || LATER.has(status);
  throw new StepFailed("http_status", `The service answered with ${status}.`, {
    isFinal: !isLater,
    retryAfterMs: retryAfterMs(headers["retry-after"]),
  });
}

/** Seconds, or a date. */
function retryAfterMs(text: string | undefined): number {
  if (text === undefined) return 0;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), RETRY_AFTER_MS_MAX) : 0;
}

function jsonOf({ headers, body }: OutboundReply): JsonValue {
  if (!/^application\/(?:[\w.+-]*\+)?json\b/i.test(headers["content-type"] ?? "")) return body;
  try {
    return JSON.parse(body) as JsonValue;
  } catch {
    return body;
  }
}
