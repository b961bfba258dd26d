// Which deliveries are attempted next. In: what is due, and how many a process has room for. Out: claims, each held by one process until
// its lease ends. All leases of an endpoint are one process's at a time, which limits how many calls it makes at once. An endpoint that
// fails, or has not succeeded yet, has few leases, and all such endpoints of a project share a few: they take nothing from the others.
import type { ProjectId } from "@plinth/bundle";
import { inTransaction } from "@plinth/postgres";
import type { Pool } from "pg";
import type { Endpoint } from "./endpoint.ts";
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
  readonly endpoint: Endpoint;
  /** Its endpoint has not succeeded yet, or has just failed. */
  readonly doubtful: boolean;
}

/** What a process has room for. */
export interface Room {
  /** Who claims: the same for all claims of a process. */
  readonly holder: string;
  readonly healthy: number;
  readonly doubtful: number;
}

/** Longer than one call may take, which is 15 s: it is renewed when the call begins. What a dead process held is free within it. */
export const LEASE_MS = 30_000;
/** Calls of an endpoint at once. */
export const PER_ENDPOINT = 8;
/** Leases of an endpoint that succeeds: some wait in the process that has them, so that no call waits for the next claim. */
export const HELD_PER_ENDPOINT = 64;
/** The same of a project. */
const HELD_PER_PROJECT = 160;
/** Leases of an endpoint that has not succeeded yet, or has just failed. */
const PER_DOUBTFUL_ENDPOINT = 2;
/** Of all such endpoints of a project: half of the calls that a process makes for a project at once. */
const DOUBTFUL_PER_PROJECT = 10;
/** An endpoint that has failed so often in a row is asked by one delivery at a time, with pauses. */
export const FAILURES_MAX = 5;

/** One at a time, so that what is under way is counted exactly. */
const LOCK = "SELECT pg_try_advisory_xact_lock(hashtextextended('plinth.webhooks', 0)) AS got";
const IS_DUE = `SELECT 1 FROM plinth.webhook_deliveries WHERE status = 'pending' AND due_at <= clock_timestamp() LIMIT 1`;

/** Of the row `e`. */
const DOUBTFUL = "(e.failures > 0 OR e.last_success_at IS NULL)";

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
    SELECT d.project_id, d.endpoint_id, count(*) AS n, bool_or(d.holder IS DISTINCT FROM $1) AS elsewhere,
      ${DOUBTFUL} AS doubtful
    FROM plinth.webhook_deliveries d JOIN plinth.webhook_endpoints e ON e.id = d.endpoint_id
    WHERE d.lease_until > clock_timestamp() GROUP BY d.project_id, d.endpoint_id, e.id
  ), busy AS (
    SELECT project_id, doubtful, sum(n) AS n FROM leased GROUP BY project_id, doubtful
  ), due AS (
    SELECT w.id, w.due_at, w.doubtful, row_number() OVER (PARTITION BY w.project_id, w.doubtful
        ORDER BY w.turn, w.failures, w.due_at) + coalesce(b.n, 0) AS turn
    FROM (
      SELECT d.id, d.due_at, d.turn, l.project_id, ${DOUBTFUL} AS doubtful, least(e.failures, ${FAILURES_MAX}) AS failures
      FROM lane l
        JOIN plinth.webhook_endpoints e ON e.id = l.endpoint_id AND e.enabled
          AND (e.open_until IS NULL OR e.open_until <= clock_timestamp())
        LEFT JOIN leased o ON o.endpoint_id = l.endpoint_id
      CROSS JOIN LATERAL (
        SELECT d.id, d.due_at, row_number() OVER (ORDER BY d.due_at) AS turn FROM plinth.webhook_deliveries d
        WHERE d.project_id = l.project_id AND d.endpoint_id = l.endpoint_id AND d.status = 'pending'
          AND d.due_at <= clock_timestamp() AND (d.lease_until IS NULL OR d.lease_until <= clock_timestamp())
        ORDER BY d.due_at
        LIMIT greatest(0, CASE WHEN e.failures >= ${FAILURES_MAX} THEN 1
          WHEN ${DOUBTFUL} THEN ${PER_DOUBTFUL_ENDPOINT} ELSE ${HELD_PER_ENDPOINT} END - coalesce(o.n, 0))
      ) d WHERE o.elsewhere IS NOT TRUE
    ) w LEFT JOIN busy b ON b.project_id = w.project_id AND b.doubtful = w.doubtful
  ), picked AS (
    (SELECT id, doubtful FROM due WHERE NOT doubtful AND turn <= ${HELD_PER_PROJECT} ORDER BY turn, due_at LIMIT $2)
    UNION ALL
    (SELECT id, doubtful FROM due WHERE doubtful AND turn <= ${DOUBTFUL_PER_PROJECT} ORDER BY turn, due_at LIMIT $3)
  )
  UPDATE plinth.webhook_deliveries d SET fence = d.fence + 1, holder = $1,
    lease_until = clock_timestamp() + interval '${LEASE_MS} milliseconds'
  FROM picked, plinth.webhook_endpoints e WHERE d.id = picked.id AND e.id = d.endpoint_id
  RETURNING d.id, d.fence, d.project_id, d.event_id, d.event_name, d.body, d.release_id, d.fields, d.subject_entity, d.subject_id,
    d.attempts, d.tries, e.url, picked.doubtful,
    json_build_object('id', e.id, 'events', e.events, 'role', e.role, 'owner_kind', e.owner_kind, 'owner_id', e.owner_id,
      'payload', e.payload) AS endpoint`;

/** None where another process is at it. */
export async function claimDue(pool: Pool, { holder, healthy, doubtful }: Room): Promise<readonly Claim[]> {
  const { rows: due } = await pool.query(IS_DUE);
  if (due.length === 0) return [];
  return inTransaction(pool, async (client) => {
    const { rows: locks } = await client.query(LOCK);
    if (locks[0].got !== true) return [];
    const { rows } = await client.query<Claim>({
      name: "webhook-claim",
      text: CLAIM,
      values: [holder, Math.max(0, healthy), Math.max(0, doubtful)],
    });
    return rows;
  });
}

/** Gives back what was claimed and not begun: it is due as before. */
export async function releaseClaims(pool: Pool, claims: readonly Pick<Claim, "id" | "fence">[]): Promise<void> {
  if (claims.length === 0) return;
  await pool.query(
    `UPDATE plinth.webhook_deliveries d SET lease_until = NULL FROM unnest($1::uuid[], $2::bigint[]) AS held (id, fence)
     WHERE d.id = held.id AND d.fence = held.fence AND d.status = 'pending'`,
    [claims.map(({ id }) => id), claims.map(({ fence }) => fence)],
  );
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
