// Inbound requests in the cell's tables. In: a request that was verified or refused. Out: a row, and, in the same statement, the event
// that it becomes. A repeated request changes nothing but a count.
import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { quoteIdentifier, quoteLiteral } from "@plinth/postgres";
import type { Pool } from "pg";
import type { SecretBox } from "../../identity/secret-box.ts";
import type { ActiveRelease } from "../../project/active-release.ts";
import { hasListeners, LISTENERS_TABLE } from "../../query/entity-view.ts";
import { providerOf } from "./providers.ts";

export interface Received {
  readonly id: string;
  readonly source: string;
  readonly type: string | null;
  /** Ours; null where it is mapped to none. */
  readonly event: string | null;
  /** What the same event has again when it is repeated. */
  readonly key: string;
  readonly requestId: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body as JSON text; null where it is none. */
  readonly json: string | null;
}

export type Kept = "new" | "repeated";

export interface InboundStore {
  /** Committed once it has come back. */
  keep(release: ActiveRelease, received: Received): Promise<Kept>;
  keepRefusal(projectId: string, source: string, id: string, reason: string): Promise<void>;
  /** The newest first. */
  list(projectId: string): Promise<readonly ShownRequest[]>;
  /** The event again. Null where there is no such request. */
  replay(release: ActiveRelease, id: string, requestId: string, eventOf: EventOf): Promise<string | null>;
}

/** What a kept request would become now. */
export type EventOf = (request: { readonly source: string; readonly type: string | null }) => string | null;

export interface ShownRequest {
  readonly id: string;
  readonly source: string;
  readonly received_at: string;
  readonly status: "accepted" | "unmapped" | "refused";
  readonly reason: string | null;
  readonly type: string | null;
  readonly event: string | null;
  readonly repeats: number;
  readonly replayed_at: string | null;
}

const SHOWN_MAX = 100;
/** Of one source: the older ones go. */
const REFUSED_MAX = 50;
/** What Postgres can't hold as JSON, though it is JSON: NUL characters, and numbers beyond its own. */
const UNSTORABLE: ReadonlySet<string> = new Set(["22P05", "22P02", "22003", "54001"]);
/** Headers that prove a request, or hold credentials. */
const HIDDEN = /authorization|cookie|signature|hmac|token|secret|key/;

export function createInboundStore({ pool, box }: { readonly pool: Pool; readonly box: SecretBox }): InboundStore {
  return {
    async keep(release, received) {
      const sealed = box.seal(contentOf(received), contextOf(release.projectId, received.id));
      const insert = async ({ event, json }: Pick<Received, "event" | "json">, reason: string | null) => {
        const values = [
          release.projectId,
          received.id,
          received.source,
          event === null ? "unmapped" : "accepted",
          reason,
          received.type,
          event,
          createHash("sha256").update(received.key).digest(),
          sealed,
        ];
        const emits = event !== null && json !== null && hasListeners(release.bundle);
        const text = emits
          ? `WITH ${KEEP}, ${emitFrom(release, received.source, KEPT)} ${COUNT}`
          : `WITH ${KEEP} ${COUNT}`;
        const { rows } = await pool.query<{ kept: number }>(
          text,
          emits ? [...values, received.requestId, json] : values,
        );
        return rows[0]?.kept === 1 ? "new" : "repeated";
      };
      try {
        return await insert(received, received.event === null ? "unmapped" : null);
      } catch (error) {
        if (!UNSTORABLE.has(String((error as { readonly code?: string }).code))) throw error;
        return insert({ event: null, json: null }, "unreadable");
      }
    },

    async keepRefusal(projectId, source, id, reason) {
      await pool.query(
        `WITH _old AS (
           DELETE FROM plinth.inbound_requests WHERE project_id = $1 AND id IN
             (SELECT id FROM plinth.inbound_requests WHERE project_id = $1 AND source = $2 AND status = 'refused'
              ORDER BY id DESC OFFSET ${REFUSED_MAX - 1}))
         INSERT INTO plinth.inbound_requests (project_id, source, id, status, reason) VALUES ($1, $2, $3, 'refused', $4)`,
        [projectId, source, id, reason],
      );
    },

    async list(projectId) {
      const { rows } = await pool.query<ShownRequest>(
        `SELECT id, source, ${rfc3339("received_at")} AS received_at, status, reason, type, event, repeats,
           ${rfc3339("replayed_at")} AS replayed_at
         FROM plinth.inbound_requests WHERE project_id = $1 ORDER BY id DESC LIMIT ${SHOWN_MAX}`,
        [projectId],
      );
      return rows;
    },

    async replay(release, id, requestId, eventOf) {
      const { rows } = await pool.query<{ source: string; type: string | null; sealed: string | null }>(
        "SELECT source, type, sealed FROM plinth.inbound_requests WHERE project_id = $1 AND id = $2",
        [release.projectId, id],
      );
      const [found] = rows;
      if (found === undefined || found.sealed === null || !hasListeners(release.bundle)) return null;
      const event = eventOf(found);
      const { json } = JSON.parse(box.open(found.sealed, contextOf(release.projectId, id)).toString()) as Content;
      if (event === null || json === null) return null;
      await pool.query(
        `WITH _kept AS (UPDATE plinth.inbound_requests SET replayed_at = clock_timestamp(), event = $4, status = 'accepted',
           reason = NULL WHERE project_id = $1 AND id = $2 RETURNING id),
           ${emitFrom(release, found.source, { source: "$3", event: "$4", requestId: "$5", json: "$6" })} ${COUNT}`,
        [release.projectId, id, found.source, event, requestId, json],
      );
      return event;
    },
  };
}

interface Content {
  readonly headers: Readonly<Record<string, unknown>>;
  /** As base64. */
  readonly body: string;
  readonly json: string | null;
}

function contentOf({ headers, body, json }: Received): Buffer {
  const shown = Object.fromEntries(Object.entries(headers).filter(([name]) => !HIDDEN.test(name)));
  const content: Content = { headers: shown, body: json === null ? body.toString("base64") : "", json };
  return Buffer.from(JSON.stringify(content));
}

/** $1 project, $2 id, $3 source, $4 status, $5 reason, $6 type, $7 event, $8 key, $9 sealed. */
const KEEP = `_rows AS (
    INSERT INTO plinth.inbound_requests AS r (project_id, id, source, status, reason, type, event, dedupe_key, sealed)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    ON CONFLICT (project_id, source, dedupe_key) WHERE dedupe_key IS NOT NULL DO UPDATE SET repeats = r.repeats + 1
    RETURNING id, repeats
  ), _kept AS (SELECT id FROM _rows WHERE repeats = 0)`;
const COUNT = "SELECT count(*)::int AS kept FROM _kept";

const KEPT = { source: "$3", event: "$7", requestId: "$10", json: "$11" } as const;

/** The event of each row of `_kept`; `$1` is the project. The table of listeners is asked as every write does. */
function emitFrom(
  release: ActiveRelease,
  name: string,
  { source, event, requestId, json }: Record<keyof typeof KEPT, string>,
): string {
  return `_out AS (
    INSERT INTO plinth.outbox (project_id, name, actor_kind, actor_id, request_id, data)
    SELECT $1, ${event}::text, 'service', 'webhook ' || ${source}::text, ${requestId}::text, ${dataOf(release, name, json)} FROM _kept
    WHERE EXISTS (SELECT 1 FROM ${release.schema}.${quoteIdentifier(LISTENERS_TABLE)} l WHERE l."event" = ${event}::text))`;
}

/** What the event carries of the body: without the provider's envelope, where there is one. */
function dataOf({ bundle }: ActiveRelease, name: string, json: string): string {
  const source = bundle.background.inbound?.find((one) => one.name === name);
  const member = source === undefined ? undefined : providerOf(source)?.data;
  return member === undefined ? `${json}::jsonb` : `coalesce(${json}::jsonb->${quoteLiteral(member)}, ${json}::jsonb)`;
}

const rfc3339 = (column: string): string => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

function contextOf(projectId: string, id: string): string {
  return `inbound-request/${projectId}/${id}`;
}
