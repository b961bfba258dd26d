// Records the outcome of an attempt. In: the claim, the request and the answer. Out: the new state of the attempt, the
// delivery and the endpoint, in one transaction; nothing if another process has the endpoint now.
import { inTransaction, quoteIdentifier, tenantNames } from "@plinth/postgres";
import type { Logger } from "@plinth/service";
import type { ClientBase, Pool } from "pg";
import { createFailureLog, type FailureLog } from "../events/failure-log.ts";
import type { SecretBox } from "../identity/secret-box.ts";
import type { OutboundReply } from "../outbound/call.ts";
import type { OutboundProblem } from "../outbound/outbound-error.ts";
import { LISTENERS_TABLE } from "../query/entity-view.ts";
import { type Claim, FAILURES_MAX, TOGETHER_MAX } from "./claim.ts";
import { DISABLED_EVENT, FAILED_EVENT } from "./message.ts";
import { nextDelayMs, pauseMs, retryAfterMs } from "./retry.ts";
import type { DeliveryRules } from "./rules.ts";
import { together } from "./together.ts";

export type Outcome =
  | { readonly kind: "answered"; readonly reply: OutboundReply }
  | { readonly kind: "failed"; readonly code: OutboundProblem; readonly message: string }
  /** Its reader can no longer see the event. */
  | { readonly kind: "revoked" }
  /** There was no place for the call. */
  | { readonly kind: "unsent" };

export interface Attempted {
  readonly number: number;
  /** Without the signature. */
  readonly headers: Readonly<Record<string, string>>;
}

interface Recording {
  readonly pool: Pool;
  readonly box: SecretBox;
  readonly logger: Logger;
  readonly now: () => number;
  readonly random: () => number;
}

/** Stored characters of an answer. */
const ANSWER_MAX = 4_096;
const UNSENT_DELAY_MS = 5_000;

export interface Ended {
  readonly claim: Claim;
  /** Null if there was no attempt. */
  readonly attempted: Attempted | null;
  readonly outcome: Outcome;
  /** The project's rules when it began. */
  readonly rules: DeliveryRules;
}

export type RecordOutcome = (ended: Ended) => Promise<void>;

/** Successes are recorded together; each other outcome has its own transaction. */
export function createRecordOutcome(options: Recording): RecordOutcome {
  const { pool } = options;
  const recordSuccess = together(async (successes: readonly Success[]) => {
    await pool.query({ name: "webhook-delivered", text: DELIVERED, values: [JSON.stringify(successes)] });
    return successes;
  }, TOGETHER_MAX);
  const failures = createFailureLog(options.logger, options.now);
  return async (ended) => {
    const { claim, attempted, outcome } = ended;
    if (attempted === null || outcome.kind !== "answered" || !isSuccess(outcome)) {
      return recordAlone(options, ended, failures);
    }
    await recordSuccess({
      id: claim.id,
      fence: claim.fence,
      endpoint: claim.endpoint.id,
      attempt: attempted.number,
      status: outcome.reply.status,
      exchange: sealedExchange(options, claim, attempted, outcome),
    });
  };
}

interface Success {
  readonly id: string;
  readonly fence: string;
  readonly endpoint: string;
  readonly attempt: number;
  readonly status: number;
  readonly exchange: string;
}

/**
 * A busy endpoint's row is written once a second. It is locked before its deliveries, like when an endpoint is deleted.
 */
const DELIVERED = `WITH held AS MATERIALIZED (
    SELECT id FROM plinth.webhook_endpoints
    WHERE id IN (SELECT s.endpoint FROM json_to_recordset($1::json) AS s (endpoint uuid)) ORDER BY id FOR KEY SHARE
  ), success AS MATERIALIZED (
    SELECT s.* FROM json_to_recordset($1::json) AS s (id uuid, fence bigint, endpoint uuid, attempt int, status int, exchange text)
    WHERE s.endpoint IN (SELECT id FROM held)
  ), noted AS (
    UPDATE plinth.webhook_attempts a SET ended_at = clock_timestamp(), status = s.status, error = NULL, exchange = s.exchange
    FROM success s WHERE a.delivery_id = s.id AND a.attempt = s.attempt
  ), settled AS (
    UPDATE plinth.webhook_deliveries d SET status = 'delivered', error = NULL, response_status = s.status,
      tries = d.tries + s.attempt - d.attempts, attempts = s.attempt, ended_at = clock_timestamp()
    FROM success s JOIN plinth.webhook_endpoints e ON e.id = s.endpoint AND e.fence = s.fence
    WHERE d.id = s.id AND d.status = 'pending' RETURNING d.endpoint_id
  ) UPDATE plinth.webhook_endpoints SET failures = 0, failing_since = NULL, open_until = NULL, last_success_at = clock_timestamp()
    WHERE id IN (SELECT endpoint_id FROM settled)
      AND (failures > 0 OR last_success_at IS NULL OR last_success_at < clock_timestamp() - interval '1 second')`;

async function recordAlone(options: Recording, ended: Ended, failures: FailureLog): Promise<void> {
  const { pool, logger } = options;
  const { claim, attempted, outcome } = ended;
  const { disabled, failed } = await inTransaction(pool, async (client) => {
    await client.query("SELECT FROM plinth.webhook_endpoints WHERE id = $1 FOR NO KEY UPDATE", [claim.endpoint.id]);
    if (attempted !== null) await endAttempt(options, client, claim, attempted, outcome);
    const next = nextOf(options, ended);
    const { rowCount } = await client.query(SETTLE, [
      claim.id,
      claim.fence,
      next.status,
      next.error,
      outcome.kind === "answered" ? outcome.reply.status : null,
      next.delayMs,
      attempted?.number ?? null,
    ]);
    if (rowCount === 0 || claim.pulled) return { disabled: null, failed: null };
    const failure = next.status === "failed" ? (next.error ?? "unknown") : null;
    if (failure !== null) await noteFailed(client, ended, failure);
    return { disabled: attempted === null ? null : await judgeEndpoint(client, ended), failed: failure };
  });
  if (failed !== null) {
    const of = { projectId: claim.project_id, delivery: claim.id, endpoint: claim.endpoint.id, code: failed };
    failures("delivery.failed", { ...of, event: claim.event_name });
  }
  if (disabled !== null)
    logger.warn(
      { projectId: claim.project_id, endpoint: claim.endpoint.id, reason: disabled },
      "a webhook endpoint was disabled",
    );
}

const SETTLE = `UPDATE plinth.webhook_deliveries d SET status = $3, error = $4, response_status = coalesce($5, response_status),
    tries = tries + coalesce($7::int - attempts, 0), attempts = coalesce($7::int, attempts), ended_at = CASE WHEN $3 = 'pending' THEN NULL ELSE clock_timestamp() END,
    due_at = CASE WHEN $6::float8 IS NULL THEN due_at ELSE clock_timestamp() + make_interval(secs => $6::float8 / 1000) END
  WHERE id = $1 AND status = 'pending'
    AND EXISTS (SELECT 1 FROM plinth.webhook_endpoints e WHERE e.id = d.endpoint_id AND e.fence = $2)`;

interface Next {
  readonly status: "pending" | "failed" | "revoked";
  readonly error: string | null;
  readonly delayMs: number | null;
}

function nextOf({ now, random }: Recording, { claim, outcome, rules }: Ended): Next {
  if (outcome.kind === "revoked") return { status: "revoked", error: "revoked", delayMs: null };
  if (outcome.kind === "unsent") return { status: "pending", error: null, delayMs: UNSENT_DELAY_MS };
  const error = errorOf(outcome);
  if (isGone(outcome) || claim.pulled) return { status: "failed", error, delayMs: null };
  const receiverMs = outcome.kind === "answered" ? retryAfterMs(outcome.reply.headers["retry-after"], now()) : 0;
  const delayMs = nextDelayMs(claim.tries + 1, receiverMs, random(), rules);
  return { status: delayMs === null ? "failed" : "pending", error, delayMs };
}

export function isSuccess(outcome: Outcome): boolean {
  return outcome.kind === "answered" && outcome.reply.status >= 200 && outcome.reply.status < 300;
}

/** 410: the receiver doesn't want any more events. */
function isGone(outcome: Outcome): boolean {
  return outcome.kind === "answered" && outcome.reply.status === 410;
}

function errorOf(outcome: Outcome): string {
  if (outcome.kind === "answered") return `http_${outcome.reply.status}`;
  return outcome.kind === "failed" ? outcome.code : outcome.kind;
}

async function endAttempt(
  options: Recording,
  client: ClientBase,
  claim: Claim,
  attempted: Attempted,
  outcome: Outcome,
): Promise<void> {
  await client.query(
    `UPDATE plinth.webhook_attempts SET ended_at = clock_timestamp(), status = $3, error = $4, exchange = $5
     WHERE delivery_id = $1 AND attempt = $2`,
    [
      claim.id,
      attempted.number,
      outcome.kind === "answered" ? outcome.reply.status : null,
      errorOf(outcome),
      sealedExchange(options, claim, attempted, outcome),
    ],
  );
}

/** The request, while no answer is known. */
export function sealedRequest(box: SecretBox, claim: Claim, { number, headers }: Attempted): string {
  const exchange = { request_headers: headers, response_headers: null, response_body: null };
  return box.seal(Buffer.from(JSON.stringify(exchange)), exchangeContext(claim.project_id, claim.id, number));
}

function sealedExchange({ box }: Recording, claim: Claim, { number, headers }: Attempted, outcome: Outcome): string {
  const exchange = {
    request_headers: headers,
    ...(outcome.kind === "answered" ? answerOf(outcome.reply) : { response_headers: null, response_body: null }),
    ...(outcome.kind === "failed" ? { message: outcome.message } : {}),
  };
  return box.seal(Buffer.from(JSON.stringify(exchange)), exchangeContext(claim.project_id, claim.id, number));
}

/** Without cookies, which are credentials: nobody who looks at a delivery needs them. */
function answerOf({ headers, body }: OutboundReply): object {
  const { "set-cookie": _, ...others } = headers;
  return { response_headers: others, response_body: body.slice(0, ANSWER_MAX) };
}

export function exchangeContext(project: string, delivery: string, attempt: number): string {
  return `webhook-exchange/${project}/${delivery}/${attempt}`;
}

/** Returns the reason why it was disabled; null if it wasn't. */
async function judgeEndpoint(client: ClientBase, { claim, outcome, rules }: Ended): Promise<string | null> {
  const { id } = claim.endpoint;
  const { rows } = await client.query<{ failures: number; too_long: boolean }>(
    `UPDATE plinth.webhook_endpoints SET failures = failures + 1, failing_since = coalesce(failing_since, clock_timestamp()),
       last_failure_at = clock_timestamp() WHERE id = $1
     RETURNING failures, failing_since < clock_timestamp() - make_interval(secs => $2::float8 / 1000) AS too_long`,
    [id, rules.failingMsMax],
  );
  const [row] = rows;
  if (row === undefined) return null;
  if (isGone(outcome) || row.too_long) {
    const reason = isGone(outcome) ? "gone" : "failing";
    if (!(await disableEndpoint(client, id, reason))) return null;
    await noteDisabled(client, claim, reason);
    return reason;
  }
  if (row.failures >= FAILURES_MAX) {
    await client.query(
      "UPDATE plinth.webhook_endpoints SET open_until = clock_timestamp() + make_interval(secs => $2::float8 / 1000) WHERE id = $1",
      [id, pauseMs(row.failures - FAILURES_MAX)],
    );
  }
  return null;
}

/**
 * Written to the project's own log, where people look for who did what, and emitted as an event if somebody listens for
 * it.
 */
async function noteDisabled(client: ClientBase, claim: Claim, reason: string): Promise<void> {
  const { schema } = tenantNames(claim.project_id);
  await client.query(
    `INSERT INTO ${quoteIdentifier(schema)}."audit_log" ("actor_kind", "actor_id", "operation", "entity", "record_id", "changes")
     VALUES ('service', 'webhooks', 'disable', 'webhook_endpoint', $1, $2)`,
    [claim.endpoint.id, JSON.stringify({ reason, delivery: claim.id })],
  );
  // An endpoint is disabled once until somebody enables it. So a chain of such events ends when an endpoint that
  // receives them is itself disabled.
  await emit(client, claim, DISABLED_EVENT, { endpoint_id: claim.endpoint.id, reason });
}

/** A delivery of such an event that fails is no event, because its receivers may all be unreachable. */
async function noteFailed(client: ClientBase, { claim, rules }: Ended, code: string): Promise<void> {
  if (!rules.tellsFailures || claim.event_name === FAILED_EVENT) return;
  const about = { delivery_id: claim.id, endpoint_id: claim.endpoint.id, event: claim.event_name };
  await emit(client, claim, FAILED_EVENT, { ...about, code });
}

async function emit(client: ClientBase, { project_id }: Claim, name: string, data: object): Promise<void> {
  const { schema } = tenantNames(project_id);
  const listeners = `${quoteIdentifier(schema)}.${quoteIdentifier(LISTENERS_TABLE)}`;
  const { rows } = await client.query("SELECT to_regclass($1) IS NOT NULL AS there", [listeners]);
  if (rows[0].there !== true) return;
  await client.query(
    `INSERT INTO plinth.outbox (project_id, name, actor_kind, actor_id, data)
     SELECT $1, $2::text, 'service', 'webhooks', $3::jsonb WHERE EXISTS (SELECT 1 FROM ${listeners} l WHERE l."event" = $2::text)`,
    [project_id, name, JSON.stringify(data)],
  );
}

/**
 * Its waiting deliveries fail. They can be replayed once the endpoint is enabled again. It doesn't get the events that it
 * has missed for lack of room. False if it was already
 * disabled.
 */
export async function disableEndpoint(client: ClientBase, id: string, reason: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `UPDATE plinth.webhook_endpoints SET enabled = false, disabled_at = clock_timestamp(), disabled_reason = $2, behind_from = NULL,
       updated_at = clock_timestamp() WHERE id = $1 AND enabled`,
    [id, reason],
  );
  if (rowCount === 0) return false;
  await client.query(
    `UPDATE plinth.webhook_deliveries SET status = 'failed', error = 'endpoint_disabled', ended_at = clock_timestamp()
     WHERE endpoint_id = $1 AND status = 'pending'`,
    [id],
  );
  return true;
}
