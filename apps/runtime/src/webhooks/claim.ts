// Claims the next deliveries to attempt. In: the due deliveries, and those that a process already has. Out: claims. One
// process at a time holds an endpoint, by a lease with a fence, and only that process sends its due deliveries, so a
// claim of a delivery writes nothing. An endpoint that fails, or has not succeeded yet, gets few claims, and all such
// endpoints of a project share a few, so that they take nothing from the others.
import type { ProjectId } from "@plinth/bundle";
import type { Pool } from "pg";
import type { SecretBox } from "../identity/secret-box.ts";
import type { SigningSecret } from "../identity/webhook-signature.ts";
import type { Endpoint } from "./endpoint.ts";
import { CONCURRENCY } from "./rules.ts";
import { LIVE_SECRETS, openSecrets, type SealedSecret } from "./secrets.ts";
import { STORED_BODY, type StoredBody } from "./stored-body.ts";
import { together } from "./together.ts";

export interface Claim extends StoredBody {
  readonly id: string;
  /**
   * The endpoint's fence. It rises whenever another process takes the endpoint; results with an earlier fence change
   * nothing.
   */
  readonly fence: string;
  readonly project_id: ProjectId;
  readonly event_id: string | null;
  readonly event_name: string;
  readonly release_id: string;
  readonly fields: readonly string[] | null;
  readonly subject_entity: string | null;
  readonly subject_id: string | null;
  readonly tries: number;
  readonly url: string;
  /** Concurrent calls of its endpoint: as many as its blueprint says and the operator allows. */
  readonly concurrency: number;
  /** Whether a listener pulls the delivery (`listeners.ts`) and makes one attempt. */
  readonly pulled: boolean;
  readonly endpoint: Endpoint;
  /** Its endpoint has not succeeded yet, or has just failed. */
  readonly doubtful: boolean;
}

/** A process's deliveries for an endpoint. */
export interface HeldLane {
  readonly endpoint: string;
  readonly project: string;
  readonly doubtful: boolean;
  readonly n: number;
}

/** The claiming process, and its room. */
export interface Room {
  /** The same for all claims of a process. */
  readonly holder: string;
  readonly lanes: readonly HeldLane[];
  /** Deliveries that the process has. */
  readonly ids: readonly string[];
  readonly healthy: number;
  readonly doubtful: number;
  /** The operator's limit: concurrent calls of one endpoint. */
  readonly concurrencyMax: number;
}

/**
 * For an endpoint. Longer than one call may take, which is 15 s: each call begins with at least two thirds of it left.
 */
export const LEASE_MS = 30_000;
const LEFT_MS_MIN = 20_000;
/** Claims of an endpoint that succeeds. Some wait in their process, so that calls don't wait for the next claim. */
export const HELD_PER_ENDPOINT = 64;
/** The same for a project. */
const HELD_PER_PROJECT = 160;
/** Claims of an endpoint that has not succeeded yet, or has just failed. */
const PER_DOUBTFUL_ENDPOINT = 2;
/** For all such endpoints of a project: half of the calls that a process makes for a project at once. */
const DOUBTFUL_PER_PROJECT = 10;
/** After this many failures in a row, an endpoint gets one delivery at a time, with pauses. */
export const FAILURES_MAX = 5;

/** Columns of a `Claim`, of the rows `d` and `e`. */
export const CLAIMED: string = `d.id, d.project_id, d.event_id, d.event_name, ${STORED_BODY}, d.release_id, d.fields, d.subject_entity, d.subject_id, e.url,
    json_build_object('id', e.id, 'events', e.events, 'role', e.role, 'owner_kind', e.owner_kind, 'owner_id', e.owner_id,
      'payload', e.payload, 'version', e.version) AS endpoint`;

/** SQL over the rows `p`. */
const CALLS_AT_ONCE = (most: string): string => `least(coalesce(p.webhook_concurrency, ${CONCURRENCY}), ${most}::int)`;

const IS_DUE = `SELECT 1 FROM plinth.webhook_deliveries WHERE status = 'pending' AND due_at <= clock_timestamp() LIMIT 1`;
/** SQL over the row `e`. */
const DOUBTFUL = "(e.failures > 0 OR e.last_success_at IS NULL)";
const IS_FREE = "(e.holder = $1 OR e.lease_until IS NULL OR e.lease_until <= clock_timestamp())";
const LASTS = `(e.lease_until > clock_timestamp() + interval '${LEFT_MS_MIN} milliseconds') IS TRUE`;
const RENEWED = `clock_timestamp() + interval '${LEASE_MS} milliseconds'`;

/**
 * A loose index scan over the endpoints with waiting deliveries: the number of look-ups doesn't depend on the number of
 * deliveries. An endpoint that another process takes meanwhile returns no rows.
 */
const CLAIM = `
  WITH RECURSIVE lane AS (
    (SELECT project_id, endpoint_id FROM plinth.webhook_deliveries WHERE status = 'pending' ORDER BY project_id, endpoint_id LIMIT 1)
    UNION ALL
    SELECT next.project_id, next.endpoint_id FROM lane CROSS JOIN LATERAL (
      SELECT d.project_id, d.endpoint_id FROM plinth.webhook_deliveries d
      WHERE d.status = 'pending' AND (d.project_id, d.endpoint_id) > (lane.project_id, lane.endpoint_id)
      ORDER BY d.project_id, d.endpoint_id LIMIT 1
    ) next
  ), held AS MATERIALIZED (
    SELECT endpoint, project, doubtful, n FROM json_to_recordset($2::json) AS h (endpoint uuid, project text, doubtful boolean, n int)
  ), busy AS (
    SELECT project, doubtful, sum(n) AS n FROM held GROUP BY project, doubtful
  ), due AS (
    SELECT w.id, w.endpoint_id, w.due_at, w.doubtful, row_number() OVER (PARTITION BY w.project_id, w.doubtful
        ORDER BY w.turn, w.failures, w.due_at) + coalesce(b.n, 0) AS turn
    FROM (
      SELECT d.id, d.due_at, d.turn, l.project_id, l.endpoint_id, ${DOUBTFUL} AS doubtful, least(e.failures, ${FAILURES_MAX}) AS failures
      FROM lane l JOIN plinth.projects p ON p.id = l.project_id AND p.suspended_at IS NULL
        JOIN plinth.webhook_endpoints e ON e.id = l.endpoint_id AND e.enabled AND e.listens_until IS NULL AND ${IS_FREE}
          AND (e.open_until IS NULL OR e.open_until <= clock_timestamp())
        LEFT JOIN held h ON h.endpoint = l.endpoint_id
      CROSS JOIN LATERAL (
        SELECT d.id, d.due_at, row_number() OVER (ORDER BY d.due_at) AS turn FROM plinth.webhook_deliveries d
        WHERE d.project_id = l.project_id AND d.endpoint_id = l.endpoint_id AND d.status = 'pending'
          AND d.due_at <= clock_timestamp() AND d.id <> ALL ($3::uuid[])
        ORDER BY d.due_at
        LIMIT greatest(0, CASE WHEN e.failures >= ${FAILURES_MAX} THEN 1
          WHEN ${DOUBTFUL} THEN least(${PER_DOUBTFUL_ENDPOINT}, ${CALLS_AT_ONCE("$6")}) ELSE ${HELD_PER_ENDPOINT} END - coalesce(h.n, 0))
      ) d
    ) w LEFT JOIN busy b ON b.project = w.project_id AND b.doubtful = w.doubtful
  ), picked AS MATERIALIZED (
    (SELECT id, endpoint_id, doubtful FROM due WHERE NOT doubtful AND turn <= ${HELD_PER_PROJECT} ORDER BY turn, due_at LIMIT $4)
    UNION ALL
    (SELECT id, endpoint_id, doubtful FROM due WHERE doubtful AND turn <= ${DOUBTFUL_PER_PROJECT} ORDER BY turn, due_at LIMIT $5)
  ), taken AS (
    UPDATE plinth.webhook_endpoints e SET holder = $1, lease_until = ${RENEWED}, fence = e.fence + (e.holder IS DISTINCT FROM $1)::int
    WHERE e.id IN (
      SELECT e.id FROM plinth.webhook_endpoints e
      WHERE e.id IN (SELECT endpoint_id FROM picked) AND e.enabled AND ${IS_FREE} AND (e.holder = $1 AND ${LASTS}) IS NOT TRUE
      FOR NO KEY UPDATE SKIP LOCKED
    ) RETURNING e.id, e.fence
  ), mine AS (
    SELECT id, fence FROM taken UNION ALL
    SELECT e.id, e.fence FROM plinth.webhook_endpoints e
    WHERE e.id IN (SELECT endpoint_id FROM picked) AND e.holder = $1 AND ${LASTS}
  )
  SELECT ${CLAIMED}, mine.fence::text,
    d.tries + greatest(0, (SELECT max(a.attempt) FROM plinth.webhook_attempts a WHERE a.delivery_id = d.id) - d.attempts) AS tries,
    picked.doubtful, false AS pulled, ${CALLS_AT_ONCE("$6")} AS concurrency
  FROM picked JOIN mine ON mine.id = picked.endpoint_id JOIN plinth.webhook_deliveries d ON d.id = picked.id
    JOIN plinth.webhook_endpoints e ON e.id = picked.endpoint_id
    JOIN plinth.projects p ON p.id = d.project_id
  ORDER BY d.due_at`;

export async function claimDue(
  pool: Pool,
  { holder, lanes, ids, healthy, doubtful, concurrencyMax }: Room,
): Promise<readonly Claim[]> {
  const { rows: due } = await pool.query({ name: "webhook-is-due", text: IS_DUE });
  if (due.length === 0) return [];
  const room = [Math.max(0, healthy), Math.max(0, doubtful)];
  const { rows } = await pool.query<Claim>({
    name: "webhook-claim",
    text: CLAIM,
    values: [holder, JSON.stringify(lanes), ids, ...room, concurrencyMax],
  });
  return rows;
}

/**
 * Releases endpoints without claims, so that other processes don't wait until the leases end. Never call it during a
 * claim of the same process.
 */
export async function releaseEndpoints(pool: Pool, holder: string, endpoints: readonly string[]): Promise<void> {
  if (endpoints.length === 0) return;
  await pool.query({
    name: "webhook-release",
    text: "UPDATE plinth.webhook_endpoints SET lease_until = NULL WHERE id = ANY ($1::uuid[]) AND holder = $2",
    values: [endpoints, holder],
  });
}

export interface Begun {
  /** The number of the attempt. */
  readonly number: number;
  /** The secrets that sign it, the newest first. There are several while receivers change over. */
  readonly secrets: readonly SigningSecret[];
}

/**
 * Called immediately before a call: records the attempt, and extends the lease beyond it. Null if another process has
 * the endpoint.
 */
export type BeginAttempt = (claim: Pick<Claim, "id" | "fence" | "endpoint">) => Promise<Begun | null>;

export function createBeginAttempt({ pool, box }: { readonly pool: Pool; readonly box: SecretBox }): BeginAttempt {
  return together(async (claims) => {
    const { rows } = await pool.query<{
      id: string;
      attempt: number;
      endpoint: string;
      sealed: readonly SealedSecret[];
    }>({
      name: "webhook-begin",
      text: BEGIN,
      values: [claims.map(({ id }) => id), claims.map(({ endpoint }) => endpoint.id), claims.map(({ fence }) => fence)],
    });
    const secrets = new Map<string, readonly SigningSecret[]>();
    const begun = new Map<string, Begun>();
    for (const { id, attempt, endpoint, sealed } of rows) {
      const opened = secrets.get(endpoint) ?? openSecrets(box, endpoint, sealed);
      secrets.set(endpoint, opened);
      begun.set(id, { number: attempt, secrets: opened });
    }
    return claims.map(({ id }) => begun.get(id) ?? null);
  }, TOGETHER_MAX);
}

/** Attempts in one statement. */
export const TOGETHER_MAX = 50;

/**
 * A call doesn't wait until the record is on disk, because a loss has no effect: a process that dies loses nothing, and
 * if the database's machine dies, the delivery is sent again anyway. A lease must outlast that, too.
 */
const BEGIN = `WITH begun AS MATERIALIZED (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) AS b (id, endpoint, fence)
  ), lane AS MATERIALIZED (
    SELECT DISTINCT endpoint, fence FROM begun
  ), renewed AS (
    UPDATE plinth.webhook_endpoints e SET lease_until = ${RENEWED} FROM lane
    WHERE e.id = lane.endpoint AND e.fence = lane.fence AND e.enabled AND NOT ${LASTS} RETURNING e.id
  ), mine AS (
    SELECT id FROM renewed UNION ALL
    SELECT e.id FROM plinth.webhook_endpoints e JOIN lane ON e.id = lane.endpoint AND e.fence = lane.fence WHERE e.enabled AND ${LASTS}
  ), commit AS MATERIALIZED (
    SELECT set_config('synchronous_commit', CASE WHEN EXISTS (SELECT 1 FROM renewed) THEN current_setting('synchronous_commit')
      ELSE 'off' END, true)
  ), noted AS (
    INSERT INTO plinth.webhook_attempts (delivery_id, attempt)
    SELECT d.id, greatest(d.attempts, (SELECT max(a.attempt) FROM plinth.webhook_attempts a WHERE a.delivery_id = d.id)) + 1
    FROM begun JOIN mine ON mine.id = begun.endpoint JOIN plinth.webhook_deliveries d ON d.id = begun.id AND d.status = 'pending'
    RETURNING delivery_id AS id, attempt
  ) SELECT noted.id, noted.attempt, begun.endpoint, (${LIVE_SECRETS("begun.endpoint")}) AS sealed
    FROM noted JOIN begun ON begun.id = noted.id CROSS JOIN commit`;
