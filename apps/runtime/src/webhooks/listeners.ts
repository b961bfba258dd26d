// Endpoints whose deliveries are pulled and forwarded by somebody, such as `plinth webhooks listen`, in the place of being called. In: a
// pull, with what came of the deliveries of the last one. Out: deliveries that are due, signed. A listener that pulls no more is sent
// nothing after two minutes, and is deleted with its deliveries after a day.
import type { ProjectId } from "@plinth/bundle";
import { inTransaction } from "@plinth/postgres";
import type { Logger } from "@plinth/service";
import type { Pool } from "pg";
import type { OutboundProblem } from "../outbound/call.ts";
import { type BodySources, bodyNow } from "./body-now.ts";
import { CLAIMED, type Claim, createBeginAttempt, LEASE_MS } from "./claim.ts";
import {
  type Attempted,
  createRecordOutcome,
  exchangeContext,
  type Outcome,
  type RecordOutcome,
  sealedRequest,
} from "./record-outcome.ts";
import type { EndpointSecrets } from "./secrets.ts";
import { shownHeaders, signedHeaders } from "./signed-headers.ts";

/** For how long a listener is sent events after it was made, and after each pull. */
export const LISTENS_SECONDS = 120;
/** Listeners of a project at once. */
export const LISTENERS_MAX = 10;
/** Deliveries of one pull, and characters of their sealed bodies. */
const PULLED_MAX = 20;
const CHARACTERS_MAX = 2_000_000;
/** Days for which what a listener was sent can be looked at. */
const KEPT_DAYS = 1;

export interface PulledDelivery {
  readonly id: string;
  readonly event: string;
  /** Which pull it belongs to: an outcome of an earlier one changes nothing. */
  readonly fence: string;
  readonly attempt: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What came of a pulled delivery: an answer, or why there is none. */
export interface PulledOutcome {
  readonly id: string;
  readonly fence: string;
  readonly attempt: number;
  readonly result:
    | { readonly kind: "answered"; readonly status: number; readonly body: string }
    | { readonly kind: "failed"; readonly code: OutboundProblem; readonly message: string };
}

export interface Listeners {
  /** @returns Null where the project has no such listener. */
  pull(
    projectId: ProjectId,
    endpointId: string,
    outcomes: readonly PulledOutcome[],
  ): Promise<readonly PulledDelivery[] | null>;
}

interface ListenersOptions extends BodySources {
  readonly pool: Pool;
  readonly secrets: EndpointSecrets;
  readonly logger: Logger;
}

export function createListeners(options: ListenersOptions): Listeners {
  const { pool, box } = options;
  const beginAttempt = createBeginAttempt(pool);
  const recordOutcome = createRecordOutcome({ ...options, now: Date.now, random: Math.random });

  async function begin(claim: Claim): Promise<PulledDelivery | null> {
    const body = await bodyNow(options, claim);
    if (body === null) {
      await recordOutcome(claim, null, { kind: "revoked" });
      return null;
    }
    const headers = signedHeaders(await options.secrets.of(claim.endpoint.id), claim.id, body, Date.now());
    const number = await beginAttempt(claim);
    if (number === null) return null;
    await pool.query("UPDATE plinth.webhook_attempts SET exchange = $3 WHERE delivery_id = $1 AND attempt = $2", [
      claim.id,
      number,
      sealedRequest(box, claim, { number, headers: shownHeaders(headers) }),
    ]);
    return { id: claim.id, event: claim.event_name, fence: claim.fence, attempt: number, headers, body };
  }

  return {
    async pull(projectId, endpointId, outcomes) {
      const { rowCount } = await pool.query(RENEW, [projectId, endpointId]);
      if (rowCount === 0) return null;
      await Promise.all(outcomes.map((outcome) => record(options, recordOutcome, { projectId, endpointId, outcome })));
      const claims = await inTransaction(pool, async (client) => {
        const { rows } = await client.query<Claim>(CLAIM, [projectId, endpointId]);
        return rows;
      });
      const begun = await Promise.all(claims.map(begin));
      // Ids of deliveries rise with their events.
      return begun.filter((one) => one !== null).sort((a, b) => (a.id < b.id ? -1 : 1));
    },
  };
}

const RENEW = `UPDATE plinth.webhook_endpoints SET listens_until = clock_timestamp() + interval '${LISTENS_SECONDS} seconds'
  WHERE project_id = $1 AND id = $2 AND enabled AND listens_until IS NOT NULL`;

const CLAIM = `WITH waiting AS (
    SELECT id, body FROM plinth.webhook_deliveries
    WHERE project_id = $1 AND endpoint_id = $2 AND status = 'pending' AND (lease_until IS NULL OR lease_until <= clock_timestamp())
    ORDER BY id LIMIT ${PULLED_MAX} FOR UPDATE SKIP LOCKED
  ), picked AS (
    SELECT id FROM (
      SELECT id, row_number() OVER of AS place, sum(length(body)) OVER of AS characters FROM waiting WINDOW of AS (ORDER BY id)
    ) counted WHERE place = 1 OR characters <= ${CHARACTERS_MAX}
  )
  UPDATE plinth.webhook_deliveries d SET fence = d.fence + 1, lease_until = clock_timestamp() + interval '${LEASE_MS} milliseconds'
  FROM picked, plinth.webhook_endpoints e WHERE d.id = picked.id AND e.id = d.endpoint_id
  RETURNING ${CLAIMED}`;

/** Under the fence of its pull, an attempt that has no end yet. */
const BEGUN = `SELECT ${CLAIMED}, a.exchange FROM plinth.webhook_deliveries d
    JOIN plinth.webhook_endpoints e ON e.id = d.endpoint_id AND e.listens_until IS NOT NULL
    JOIN plinth.webhook_attempts a ON a.delivery_id = d.id AND a.attempt = $5 AND a.ended_at IS NULL
  WHERE d.project_id = $1 AND d.endpoint_id = $2 AND d.id = $3 AND d.fence = $4 AND d.status = 'pending'`;

async function record(
  { pool, box }: ListenersOptions,
  recordOutcome: RecordOutcome,
  told: { readonly projectId: ProjectId; readonly endpointId: string; readonly outcome: PulledOutcome },
): Promise<void> {
  const { projectId, endpointId, outcome } = told;
  const { id, fence, attempt, result } = outcome;
  const { rows } = await pool.query<Claim & { exchange: string }>(BEGUN, [projectId, endpointId, id, fence, attempt]);
  const [claim] = rows;
  if (claim === undefined) return;
  const kept = box.open(claim.exchange, exchangeContext(projectId, id, attempt)).toString("utf8");
  const { request_headers: headers } = JSON.parse(kept) as { readonly request_headers: Attempted["headers"] };
  const came: Outcome =
    result.kind === "failed"
      ? result
      : { kind: "answered", reply: { status: result.status, headers: {}, body: result.body } };
  await recordOutcome(claim, { number: attempt, headers }, came);
}

/** Fails what waits for listeners that pull no more, and deletes those that ended a day ago. Out: how many were deleted. */
export async function sweepListeners(pool: Pool): Promise<number> {
  await pool.query(
    `UPDATE plinth.webhook_deliveries d SET status = 'failed', error = 'listener_gone', lease_until = NULL, ended_at = clock_timestamp()
     FROM plinth.webhook_endpoints e WHERE e.listens_until < clock_timestamp() AND d.endpoint_id = e.id
       AND d.project_id = e.project_id AND d.status = 'pending'`,
  );
  const { rowCount } = await pool.query(
    "DELETE FROM plinth.webhook_endpoints WHERE listens_until < clock_timestamp() - make_interval(days => $1)",
    [KEPT_DAYS],
  );
  return rowCount ?? 0;
}
