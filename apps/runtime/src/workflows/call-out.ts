// Executes a step that calls another service. In: the call, filled in. Out: the answer, as JSON. All attempts of a step
// send the same key, so that a service that respects it acts once. Calls to a project's own services are also signed.
import type { JsonValue, StepAction } from "@plinth/bundle";
import type { EvaluationContext } from "@plinth/expression";
import { eventValue } from "../events/event-context.ts";
import { parseExactly } from "../events/exact-json.ts";
import type { CallSecrets } from "../identity/call-secrets.ts";
import { signatureHeaders } from "../identity/webhook-signature.ts";
import type { Outbound, OutboundReply, OutboundRequest } from "../outbound/call.ts";
import { OutboundError } from "../outbound/outbound-error.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import { MASK } from "../project/mask.ts";
import { laterStatuses } from "./retry.ts";
import type { Claimed } from "./run.ts";
import { type EmailAction, type SendingOptions, sendEmail } from "./send-email.ts";
import { lostAnswer, StepFailed } from "./step-failed.ts";
import { fillMembers, fillTemplate } from "./template.ts";

export type HttpAction = Extract<StepAction, { readonly kind: "http.request" }>;
export type OutsideAction = HttpAction | EmailAction;

export function isOutside(action: StepAction): action is OutsideAction {
  return action.kind === "http.request" || action.kind === "email.send";
}

/** Whether the call can be repeated if the result of an attempt is unknown. */
export function isRepeatable(action: OutsideAction): boolean {
  return action.kind === "http.request" && action.repeat === "idempotent";
}

export interface CallingOptions extends SendingOptions {
  readonly outbound: Outbound;
  readonly secrets: CallSecrets;
  readonly release: ActiveRelease;
  readonly claimed: Claimed;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export interface Calling {
  /** The same for all attempts of one call. */
  readonly key: string;
  /** From 1. */
  readonly attempt: number;
  readonly context: EvaluationContext;
  readonly timeoutMs: number;
  /** Records that the call is about to be made. It is only made once this has succeeded. */
  readonly begin: () => Promise<void>;
}

export interface Caller {
  /** @throws StepFailed, and the errors of `begin`. */
  call(action: OutsideAction, calling: Calling): Promise<JsonValue>;
  /**
   * The result of an attempt whose process ended during the call; null if it did nothing, or can be repeated. @throws
   * StepFailed if the result is unknown.
   */
  known(action: OutsideAction): Promise<JsonValue>;
}

export function createCaller(options: CallingOptions): Caller {
  return {
    call: (action, calling) =>
      action.kind === "email.send" ? sendEmail(options, action, calling) : call(options, action, calling),
    async known(action) {
      // The list of mails shows which were sent: the next attempt only sends the others, or fails if that is unknown.
      if (action.kind === "email.send" || isRepeatable(action)) return null;
      throw new StepFailed("no_answer", lostAnswer.message, { isUnknown: true });
    },
  };
}

async function call(options: CallingOptions, action: HttpAction, calling: Calling): Promise<JsonValue> {
  let sent: OutboundRequest | null = null;
  const reply = await answerOf(
    options.outbound.call(options.release.projectId, async () => {
      const request = await requestOf(options, action, calling);
      sent = request;
      // If a process dies while the call waits for its slot, no call was made, so none is recorded.
      const begin = async (): Promise<OutboundRequest["headers"]> => {
        await calling.begin();
        return {};
      };
      return { ...request, begin };
    }),
  );
  refuseFailure(reply, sent);
  const answer = jsonOf(reply);
  return action.signed ? answer : { status: reply.status, headers: withoutCookies(reply.headers), body: answer };
}

async function requestOf(options: CallingOptions, action: HttpAction, calling: Calling): Promise<OutboundRequest> {
  const { key, context, timeoutMs } = calling;
  const headers: Record<string, string> = { "user-agent": "Plinth", "idempotency-key": key };
  for (const [name, value] of Object.entries(fillMembers(action.headers, context))) {
    if (value !== null) headers[name.toLowerCase()] = typeof value === "string" ? value : JSON.stringify(value);
  }
  const filled = contentOf(options, action, calling);
  const body = filled === null || typeof filled === "string" ? filled : JSON.stringify(filled);
  if (body !== null) headers["content-type"] ??= typeof filled === "string" ? "text/plain" : "application/json";
  if (action.signed) {
    const secrets = await options.secrets.of(options.release.projectId);
    Object.assign(headers, signatureHeaders(secrets, { key, atMs: options.now(), body: body ?? "" }));
  }
  const url = String(fillTemplate(action.url, context) ?? "");
  return { method: action.method, url, headers, body, timeoutMs };
}

/** The body for a worker's service if its `http` declares none. It contains no internal field of the record. */
function contentOf({ release, claimed }: CallingOptions, action: HttpAction, calling: Calling): JsonValue {
  if (action.body !== null) return fillTemplate(action.body, calling.context);
  if (!action.signed || action.method === "GET" || action.method === "DELETE") return null;
  const { run, event } = claimed;
  const entity = release.bundle.entities.find(({ name }) => name === event?.entity);
  const internal = new Set(entity?.fields.filter(({ hidden }) => hidden).map(({ name }) => name));
  const shown = (record: Readonly<Record<string, JsonValue>> | null): JsonValue =>
    record === null ? null : Object.fromEntries(Object.entries(record).filter(([name]) => !internal.has(name)));
  return {
    event:
      event === null
        ? null
        : { ...(eventValue(event) as Record<string, JsonValue>), record: shown(event.record), old: shown(event.old) },
    input: run.input,
    run: { id: run.id, worker: run.workflow, attempt: calling.attempt, request_id: run.requestId },
  };
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

const RETRY_AFTER_MS_MAX = 3_600_000;

function refuseFailure({ status, headers, body }: OutboundReply, sent: OutboundRequest | null): void {
  if (status >= 200 && status < 300) return;
  const isLater = status >= 500 || laterStatuses.includes(status);
  throw new StepFailed("http_status", `The service answered with status ${status}.`, {
    isFinal: !isLater,
    status,
    body: answerShown(body, sent?.headers ?? {}),
    retryAfterMs: retryAfterMs(headers["retry-after"]),
  });
}

/** The part of a refusal that is stored, and that `error.body` shows. */
const ANSWER_MAX = 2_000;
/** Shorter values occur in too many words. */
const CREDENTIAL_MIN = 5;
/** Headers without credentials. */
const openHeaders: ReadonlySet<string> = new Set(["user-agent", "content-type", "accept", "accept-language"]);

/** Without the credentials of the call, which some services repeat. */
function answerShown(body: string, sent: OutboundRequest["headers"]): string | null {
  const values = Object.entries(sent).flatMap(([name, value]) => (openHeaders.has(name) ? [] : [value]));
  // `Bearer abc` and `abc`.
  const credentials = values
    .flatMap((value) => [value, ...value.split(/\s+/)])
    .filter((text) => text.length >= CREDENTIAL_MIN);
  const shown = credentials.reduce((text, secret) => text.replaceAll(secret, MASK), storableText(body));
  return shown === "" ? null : shown.slice(0, ANSWER_MAX);
}

/** Seconds, or a date. */
function retryAfterMs(text: string | undefined): number {
  if (text === undefined) return 0;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), RETRY_AFTER_MS_MAX) : 0;
}

/** Without cookies, which are credentials: nobody who looks at the run needs them. */
function withoutCookies(headers: OutboundReply["headers"]): OutboundReply["headers"] {
  const { "set-cookie": _, ...others } = headers;
  return others;
}

function jsonOf({ headers, body }: OutboundReply): JsonValue {
  if (!/^application\/(?:[\w.+-]*\+)?json\b/i.test(headers["content-type"] ?? "")) return storableText(body);
  try {
    return storable(parseExactly(body) as JsonValue, 0);
  } catch {
    return storableText(body);
  }
}

/** Neither Postgres nor this process accepts unlimited nesting. Deeper values are stored as text. */
const DEPTH_MAX = 100;

/** @throws RangeError if it is too deep. */
function storable(value: JsonValue, depth: number): JsonValue {
  if (typeof value === "string") return storableText(value);
  if (value === null || typeof value !== "object") return value;
  if (depth > DEPTH_MAX) throw new RangeError("nested too deeply");
  if (Array.isArray(value)) return value.map((item) => storable(item as JsonValue, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [storableText(name), storable(member, depth + 1)]),
  );
}

/** Postgres can store neither U+0000 nor half a surrogate pair in jsonb. */
function storableText(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\ufffd");
}
