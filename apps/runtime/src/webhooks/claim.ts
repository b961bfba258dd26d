// Which deliveries are attempted now. In: what is due. Out: claims, each held by one process until its lease ends. A dead endpoint
// takes no more places than its own: so many at once for each endpoint, fewer for one that fails, and so many for each project.
import type { ProjectId } from "@plinth/bundle";
import { inTransaction } from "@plinth/postgres";
import type { Pool } from "pg";
import type { Endpoint } from "./endpoint.ts";
import { CONCURRENCY, type WebhookLimits } from "./rules.ts";
import { together } from "./together.ts";

export interface Claim {
  readonly id: string;
  readonly fence: string;
  readonly project_id: ProjectId;
  readonly event_id: string | null;
  readonly event_name: string;
  readonly body: string;
  readonly release_id: string;
  readonly fields: readonly string[] | null;
  readonly subject_entity: string | null;
  readonly subject_id: string | null;
  readonly attempts: number;
  readonly tries: number;
  readonly url: string;
  /** Whether the delivery is pulled by a listener (`listeners.ts`), which makes one attempt. */
  readonly pulled: boolean;
  readonly endpoint: Endpoint;
}

/** Longer than one call may take, which is 15 s: it is renewed when the call begins. What a dead process held is free within it. */
export const LEASE_MS = 30_000;
/** Of one that has not succeeded yet, or has just failed: several that are silent leave the project's others places. */
const PER_DOUBTFUL_ENDPOINT = 2;
/** An endpoint that has failed so often in a row is asked by one delivery at a time, with pauses. */
export const FAILURES_MAX = 5;
/** As many places as a project has for its calls. */
const PER_PROJECT = 20;

/** The columns of a `Claim`, of the rows `d` and `e`. */
export const CLAIMED = `d.id, d.fence, d.project_id, d.event_id, d.event_name, d.body, d.release_id, d.fields, d.subject_entity,
    d.subject_id, d.attempts, d.tries, e.url, e.listens_until IS NOT NULL AS pulled,
    json_build_object('id', e.id, 'events', e.events, 'role', e.role, 'owner_kind', e.owner_kind, 'owner_id', e.owner_id,
      'payload', e.payload) AS endpoint`;

/** One at a time, so that what is under way is counted exactly. */
const LOCK = "SELECT pg_try_advisory_xact_lock(hashtextextended('plinth.webhooks', 0)) AS got";
const IS_DUE = `SELECT 1 FROM plinth.webhook_deliveries WHERE status = 'pending' AND due_at <= clock_timestamp() LIMIT 1`;

/** A loose index scan over the endpoints that something waits for: as many look-ups, however many deliveries there are. */
const CLAIM = `
  WITH RECURSIVE lane AS (
    (SELECT project_id, endpoint_id FROM plinth.webhook_deliveries WHERE status = 'pending' ORDER BY project_id, endpoint_id LIMIT 1)
    UNION ALL
    SELECT next.project_id, next.endpoint_id FROM lane CROSS JOIN LATERAL (
      SELECT d.project_id, d.endpoint_id FROM plinth.webhook_deliveries d
      WHERE d.status = 'pending' AND (d.project_id, d.endpoint_id) > (lane.project_id, lane.endpoint_id)
      ORDER BY d.project_id, d.endpoint_id LIMIT 1
    ) next
  ), leased AS (
    SELECT project_id, endpoint_id, count(*) AS n FROM plinth.webhook_deliveries
    WHERE lease_until > clock_timestamp() GROUP BY project_id, endpoint_id
  ), busy AS (
    SELECT project_id, sum(n) AS n FROM leased GROUP BY project_id
  ), due AS (
    SELECT w.id, w.due_at, row_number() OVER (PARTITION BY l.project_id ORDER BY w.turn, w.due_at) + coalesce(b.n, 0) AS turn
    FROM lane l
      JOIN plinth.webhook_endpoints e ON e.id = l.endpoint_id AND e.enabled AND e.listens_until IS NULL
        AND (e.open_until IS NULL OR e.open_until <= clock_timestamp())
      JOIN plinth.projects p ON p.id = l.project_id
      LEFT JOIN leased o ON o.endpoint_id = l.endpoint_id
      LEFT JOIN busy b ON b.project_id = l.project_id
    CROSS JOIN LATERAL (
      SELECT d.id, d.due_at, row_number() OVER (ORDER BY d.due_at) AS turn FROM plinth.webhook_deliveries d
      WHERE d.project_id = l.project_id AND d.endpoint_id = l.endpoint_id AND d.status = 'pending'
        AND d.due_at <= clock_timestamp() AND (d.lease_until IS NULL OR d.lease_until <= clock_timestamp())
      ORDER BY d.due_at
      LIMIT greatest(0, least(coalesce(p.webhook_concurrency, ${CONCURRENCY}), $2, CASE WHEN e.failures >= ${FAILURES_MAX} THEN 1
        WHEN e.failures > 0 OR e.last_success_at IS NULL THEN ${PER_DOUBTFUL_ENDPOINT} END) - coalesce(o.n, 0))
    ) w
  ), picked AS (
    SELECT id FROM due WHERE turn <= ${PER_PROJECT} ORDER BY turn, due_at LIMIT $1
  )
  UPDATE plinth.webhook_deliveries d SET fence = d.fence + 1, lease_until = clock_timestamp() + interval '${LEASE_MS} milliseconds'
  FROM picked, plinth.webhook_endpoints e WHERE d.id = picked.id AND e.id = d.endpoint_id
  RETURNING ${CLAIMED}`;

/** None where another process is at it. */
export async function claimDue(pool: Pool, most: number, { concurrencyMax }: WebhookLimits): Promise<readonly Claim[]> {
  const { rows: due } = await pool.query(IS_DUE);
  if (due.length === 0) return [];
  return inTransaction(pool, async (client) => {
    const { rows: locks } = await client.query(LOCK);
    if (locks[0].got !== true) return [];
    const { rows } = await client.query<Claim>(CLAIM, [most, concurrencyMax]);
    return rows;
  });
}

/** Right before a call: an attempt is noted, and its lease begins anew. Out: its number; null where another process has the delivery. */
export type BeginAttempt = (claim: Pick<Claim, "id" | "fence">) => Promise<number | null>;

export function createBeginAttempt(pool: Pool): BeginAttempt {
  return together(async (claims) => {
    const { rows } = await pool.query<{ id: string; attempt: number }>({
      name: "webhook-begin",
      text: BEGIN,
      values: [claims.map(({ id }) => id), claims.map(({ fence }) => fence)],
    });
    const attempts = new Map(rows.map(({ id, attempt }) => [id, attempt]));
    return claims.map(({ id }) => attempts.get(id) ?? null);
  }, TOGETHER_MAX);
}

/** Attempts in one statement. */
export const TOGETHER_MAX = 50;

const BEGIN = `WITH mine AS (
    UPDATE plinth.webhook_deliveries d SET attempts = attempts + 1, tries = tries + 1,
      lease_until = clock_timestamp() + interval '${LEASE_MS} milliseconds'
    FROM unnest($1::uuid[], $2::bigint[]) AS begun (id, fence)
    WHERE d.id = begun.id AND d.fence = begun.fence AND d.status = 'pending'
      AND EXISTS (SELECT 1 FROM plinth.webhook_endpoints e WHERE e.id = d.endpoint_id AND e.enabled)
    RETURNING d.id, d.attempts
  ) INSERT INTO plinth.webhook_attempts (delivery_id, attempt) SELECT id, attempts FROM mine RETURNING delivery_id AS id, attempt`;
