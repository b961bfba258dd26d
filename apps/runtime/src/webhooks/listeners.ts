// Endpoints whose deliveries are pulled and forwarded, for example by `plinth webhooks listen`, instead of being
// called. In: a pull, with the results of the last one's deliveries. Out: due deliveries, signed. A listener that stops
// pulling gets no more events after two minutes, and is deleted with its deliveries after a day.
import type { ProjectId } from "@plinth/bundle";
import { inTransaction } from "@plinth/postgres";
import { Fault, type Logger } from "@plinth/service";
import type { ClientBase, Pool } from "pg";
import type { OutboundProblem } from "../outbound/outbound-error.ts";
import type { ReleaseRegistry } from "../project/active-release.ts";
import { type BodySources, bodyNow } from "./body-now.ts";
import { CLAIMED, type Claim, LEASE_MS } from "./claim.ts";
import { lockListeners } from "./listening.ts";
import { type Attempted, createRecordOutcome, exchangeContext, type Outcome, sealedRequest } from "./record-outcome.ts";
import { rulesOf, type WebhookLimits } from "./rules.ts";
import { LIVE_SECRETS, openSecrets, type SealedSecret } from "./secrets.ts";
import { shownHeaders, signedHeaders } from "./signed-headers.ts";

/** How long a listener gets events after its creation, and after each pull. */
export const LISTENS_SECONDS = 120;
/** Listeners of a project at once. */
export const LISTENERS_MAX = 10;
/** Deliveries of one pull, and characters of their sealed bodies. */
const PULLED_MAX = 20;
const CHARACTERS_MAX = 2_000_000;
/** Days for which a listener's deliveries can be read. */
const KEPT_DAYS = 1;

export interface PulledDelivery {
  readonly id: string;
  readonly event: string;
  /** An outcome of an earlier attempt changes nothing. */
  readonly attempt: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The result of a pulled delivery: an answer, or the reason why there is none. */
export interface PulledOutcome {
  readonly id: string;
  readonly attempt: number;
  readonly result:
    | { readonly kind: "answered"; readonly status: number; readonly body: string }
    | { readonly kind: "failed"; readonly code: OutboundProblem; readonly message: string };
}

export interface Listeners {
  /**
   * @returns null if the project has no such listener. @throws Fault conflict if it has ended, and others have taken
   * its place.
   */
  pull(
    projectId: ProjectId,
    endpointId: string,
    outcomes: readonly PulledOutcome[],
  ): Promise<readonly PulledDelivery[] | null>;
}

interface ListenersOptions extends BodySources {
  readonly pool: Pool;
  readonly registry: ReleaseRegistry;
  readonly limits: WebhookLimits;
  readonly logger: Logger;
}

interface Pulled extends Claim {
  readonly attempt: number;
  readonly sealed: readonly SealedSecret[];
}

export function createListeners(options: ListenersOptions): Listeners {
  const { pool, box, registry, limits, logger } = options;
  const recordOutcome = createRecordOutcome({ ...options, now: Date.now, random: Math.random });

  async function handOut({ attempt: number, sealed, ...claim }: Pulled): Promise<PulledDelivery | null> {
    const release = await registry.get(claim.project_id);
    const body = await bodyNow(options, claim, release);
    if (body === null) {
      const rules = rulesOf(release?.bundle.background.outbound ?? {}, limits, release?.bundle.background.events);
      await recordOutcome({ claim, attempted: { number, headers: {} }, outcome: { kind: "revoked" }, rules });
      return null;
    }
    const headers = signedHeaders(openSecrets(box, claim.endpoint.id, sealed), claim.id, body, Date.now());
    await pool.query("UPDATE plinth.webhook_attempts SET exchange = $3 WHERE delivery_id = $1 AND attempt = $2", [
      claim.id,
      number,
      sealedRequest(box, claim, { number, headers: shownHeaders(headers) }),
    ]);
    return { id: claim.id, event: claim.event_name, attempt: number, headers, body };
  }

  /** It doesn't delay the others, and is given out again when its time is over. */
  const notHandedOut =
    ({ id, project_id: projectId }: Pulled) =>
    (error: unknown): null => {
      logger.error({ err: error, projectId, delivery: id }, "a webhook could not be given to its listener");
      return null;
    };

  async function record(
    claim: Claim & { readonly exchange: string },
    { attempt, result }: PulledOutcome,
  ): Promise<void> {
    const kept = box.open(claim.exchange, exchangeContext(claim.project_id, claim.id, attempt)).toString("utf8");
    const { request_headers: headers } = JSON.parse(kept) as { readonly request_headers: Attempted["headers"] };
    const outcome: Outcome =
      result.kind === "failed"
        ? result
        : { kind: "answered", reply: { status: result.status, headers: {}, body: result.body } };
    const release = await registry.get(claim.project_id);
    const rules = rulesOf(release?.bundle.background.outbound ?? {}, limits, release?.bundle.background.events);
    await recordOutcome({ claim, attempted: { number: attempt, headers }, outcome, rules });
  }

  return {
    async pull(projectId, endpointId, outcomes) {
      const of = [projectId, endpointId];
      if (!(await renew(pool, projectId, endpointId))) return null;
      for (const outcome of outcomes) {
        const { rows } = await pool.query<Claim & { exchange: string }>(BEGUN, [...of, outcome.id, outcome.attempt]);
        const [claim] = rows;
        if (claim !== undefined) await record(claim, outcome);
      }
      const pulled = await inTransaction(pool, async (client) => {
        // Pulls of one listener run one after another, so that none gives out what another has just taken.
        await client.query(
          "SELECT FROM plinth.webhook_endpoints WHERE project_id = $1 AND id = $2 FOR NO KEY UPDATE",
          of,
        );
        const { rows } = await client.query<Pulled>(PULL, of);
        return rows;
      });
      const handedOut = await Promise.all(pulled.map((one) => handOut(one).catch(notHandedOut(one))));
      // Ids of deliveries rise with their events.
      return handedOut.filter((one) => one !== null).sort((a, b) => (a.id < b.id ? -1 : 1));
    },
  };
}

const RENEW = `UPDATE plinth.webhook_endpoints SET listens_until = clock_timestamp() + interval '${LISTENS_SECONDS} seconds'
  WHERE project_id = $1 AND id = $2 AND enabled AND listens_until`;

/** An ended listener takes a place again. Returns whether the listener exists. */
async function renew(pool: Pool, projectId: ProjectId, endpointId: string): Promise<boolean> {
  const of = [projectId, endpointId];
  const { rowCount } = await pool.query(`${RENEW} > clock_timestamp()`, of);
  if (rowCount === 1) return true;
  return inTransaction(pool, async (client) => {
    // Locks its row before the list, in the same order as a change of an endpoint.
    const revived = await client.query(`${RENEW} IS NOT NULL`, of);
    if (revived.rowCount === 0) return false;
    await lockListeners(client, projectId);
    await requireRoom(client, projectId);
    return true;
  });
}

/**
 * With the project's listeners locked, after one more was created, enabled or revived. @throws Fault conflict if the
 * project has too many listeners.
 */
export async function requireRoom(client: ClientBase, projectId: string): Promise<void> {
  const { rows } = await client.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM plinth.webhook_endpoints
     WHERE project_id = $1 AND enabled AND listens_until > clock_timestamp()`,
    [projectId],
  );
  if ((rows[0]?.n ?? 0) <= LISTENERS_MAX) return;
  throw new Fault("conflict", { detail: `A project can have at most ${LISTENERS_MAX} listeners at once.` });
}

/** No process sends to a listener, so its fence doesn't change. */
const PULLED = `${CLAIMED}, e.fence::text, d.tries, true AS pulled, true AS doubtful, 1 AS concurrency`;

/** Begins an attempt of a waiting delivery that nobody holds. The listener has 30 s to report its result. */
const PULL = `WITH waiting AS (
    SELECT id, coalesce(length(body), (SELECT b.bytes FROM plinth.webhook_bodies b WHERE b.id = d.body_id)) AS characters, attempts
    FROM plinth.webhook_deliveries d
    WHERE project_id = $1 AND endpoint_id = $2 AND status = 'pending' AND NOT EXISTS (
      SELECT 1 FROM plinth.webhook_attempts a
      WHERE a.delivery_id = d.id AND a.ended_at IS NULL AND a.started_at > clock_timestamp() - interval '${LEASE_MS} milliseconds'
    ) ORDER BY id LIMIT ${PULLED_MAX}
  ), picked AS (
    SELECT id, attempts FROM (
      SELECT id, attempts, row_number() OVER of AS place, sum(characters) OVER of AS characters FROM waiting WINDOW of AS (ORDER BY id)
    ) counted WHERE place = 1 OR characters <= ${CHARACTERS_MAX}
  ), noted AS (
    INSERT INTO plinth.webhook_attempts (delivery_id, attempt)
    SELECT id, greatest(attempts, (SELECT max(a.attempt) FROM plinth.webhook_attempts a WHERE a.delivery_id = id)) + 1 FROM picked
    RETURNING delivery_id, attempt
  )
  SELECT ${PULLED}, noted.attempt, (${LIVE_SECRETS("e.id")}) AS sealed
  FROM noted JOIN plinth.webhook_deliveries d ON d.id = noted.delivery_id JOIN plinth.webhook_endpoints e ON e.id = d.endpoint_id`;

/** Only the newest attempt: the listener of an earlier one can't report any more. */
const BEGUN = `SELECT ${PULLED}, a.exchange FROM plinth.webhook_deliveries d
    JOIN plinth.webhook_endpoints e ON e.id = d.endpoint_id AND e.listens_until IS NOT NULL
    JOIN plinth.webhook_attempts a ON a.delivery_id = d.id AND a.attempt = $4 AND a.ended_at IS NULL AND a.exchange IS NOT NULL
  WHERE d.project_id = $1 AND d.endpoint_id = $2 AND d.id = $3 AND d.status = 'pending'
    AND a.attempt = (SELECT max(attempt) FROM plinth.webhook_attempts WHERE delivery_id = d.id)`;

/**
 * Fails the deliveries of listeners that no longer pull, and deletes listeners that ended a day ago. Returns how many
 * were deleted.
 */
export async function sweepListeners(pool: Pool): Promise<number> {
  await pool.query(
    `UPDATE plinth.webhook_deliveries d SET status = 'failed', error = 'listener_gone', ended_at = clock_timestamp()
     FROM plinth.webhook_endpoints e WHERE e.listens_until < clock_timestamp() AND d.endpoint_id = e.id
       AND d.project_id = e.project_id AND d.status = 'pending'`,
  );
  const { rowCount } = await pool.query(
    "DELETE FROM plinth.webhook_endpoints WHERE listens_until < clock_timestamp() - make_interval(days => $1)",
    [KEPT_DAYS],
  );
  return rowCount ?? 0;
}
