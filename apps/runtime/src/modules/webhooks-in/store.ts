// Stores inbound requests in the cell's tables. In: a request that was verified or refused. Out: a row, and, in the
// same statement, its event. A repeated request only increases a count.
import { createHash } from "node:crypto";
import { quoteIdentifier, quoteLiteral } from "@plinth/postgres";
import type { ClientBase, Pool } from "pg";
import type { SecretBox } from "../../identity/secret-box.ts";
import type { ActiveRelease } from "../../project/active-release.ts";
import { hasListeners, LISTENERS_TABLE } from "../../query/entity-view.ts";
import { providerOf } from "./providers.ts";
import type { StoredHeaders } from "./stored-headers.ts";

export interface Received {
  readonly id: string;
  readonly source: string;
  readonly type: string | null;
  /** The event's name in the project; null if the type is mapped to none. */
  readonly event: string | null;
  /** Equal when the same event is repeated. */
  readonly key: string;
  readonly requestId: string;
  readonly headers: StoredHeaders;
  readonly body: Buffer;
  /** The body as JSON text; null if it isn't JSON. */
  readonly json: string | null;
  /** A value that no other event's signature covers; null if there is none. */
  readonly proof: string | null;
  /** The reason why it becomes no event, unless the reason is its type. */
  readonly unmapped?: string;
}

/** `reused`: the signature has already come with another event. Nothing was stored. */
export type Kept = "new" | "repeated" | "reused";

export interface InboundStore {
  /** Committed when it returns. */
  keep(release: ActiveRelease, received: Received): Promise<Kept>;
  /** Several of one source with different keys. All of them are committed when it returns. */
  keepList(release: ActiveRelease, received: readonly Received[]): Promise<Kept>;
  keepRefusal(projectId: string, source: string, id: string, reason: string): Promise<void>;
  contentOf(projectId: string, id: string, sealed: string): Content;
  /** Emits the event of a stored request again. Null if nothing listens, or if its body can't be an event's data. */
  emitAgain(client: ClientBase, release: ActiveRelease, stored: Stored, as: Emitted): Promise<string | null>;
}

/** A row, locked. */
export interface Stored {
  readonly id: string;
  readonly source: string;
  readonly type: string | null;
  /** Null for a refused one. */
  readonly sealed: string | null;
}

export interface Emitted {
  readonly event: string;
  readonly requestId: string;
}

/** For one source: older ones are deleted. */
const REFUSED_MAX = 50;
/** Errors for JSON that Postgres can't store: NUL characters, and numbers out of its range. */
const UNSTORABLE: ReadonlySet<string> = new Set(["22P05", "22P02", "22003", "54001"]);
const PROOF = "inbound_requests_proof";

export function createInboundStore({ pool, box }: { readonly pool: Pool; readonly box: SecretBox }): InboundStore {
  const contentOf: InboundStore["contentOf"] = (projectId, id, sealed) =>
    JSON.parse(box.open(sealed, contextOf(projectId, id)).toString()) as Content;
  const store: InboundStore = {
    async keep(release, received) {
      const sealed = box.seal(sealable(received), contextOf(release.projectId, received.id));
      const insert = async ({ event, json }: Pick<Received, "event" | "json">, reason: string | null) => {
        const values = [
          release.projectId,
          received.id,
          received.source,
          event === null ? "unmapped" : "accepted",
          reason,
          received.type,
          event,
          digestOf(received.key),
          sealed,
          received.proof === null ? null : digestOf(received.proof),
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
        if (received.json === null) return await insert(received, "unreadable");
        return await insert(received, received.event === null ? (received.unmapped ?? "unmapped") : null);
      } catch (error) {
        if ((error as { readonly constraint?: string }).constraint === PROOF) return "reused";
        if (!isUnstorable(error)) throw error;
        return insert({ event: null, json: null }, "unreadable");
      }
    },

    async keepList(release, received) {
      const [{ source = "", requestId = "" } = {}] = received;
      const rows = received.map((one) => ({
        id: one.id,
        status: one.event === null ? "unmapped" : "accepted",
        reason: one.event === null ? "unmapped" : null,
        type: one.type,
        event: one.event,
        key: digestOf(one.key).toString("hex"),
        sealed: box.seal(sealable(one), contextOf(release.projectId, one.id)),
        proof: one.proof === null ? null : digestOf(one.proof).toString("hex"),
      }));
      const data = received.map(({ event, json }) => (event === null ? null : json));
      const text = hasListeners(release.bundle)
        ? `WITH ${KEEP_LIST}, ${emitList(release, source)} ${COUNT}`
        : `WITH ${KEEP_LIST} ${COUNT}`;
      const values = [release.projectId, source, JSON.stringify(rows)];
      try {
        const { rows: kept } = await pool.query<{ kept: number }>(
          text,
          hasListeners(release.bundle) ? [...values, requestId, data] : values,
        );
        return (kept[0]?.kept ?? 0) > 0 ? "new" : "repeated";
      } catch (error) {
        if ((error as { readonly constraint?: string }).constraint === PROOF) return "reused";
        if (!isUnstorable(error)) throw error;
        // One of them can't be an event's data, so they are stored one by one. If the provider repeats the request, the
        // keys identify those that are stored.
        for (const one of received) await store.keep(release, one);
        return "new";
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

    contentOf,

    async emitAgain(client, release, { id, source, sealed }, { event, requestId }) {
      if (sealed === null || !hasListeners(release.bundle)) return null;
      const { json } = contentOf(release.projectId, id, sealed);
      if (json === null) return null;
      // A request that can't be an event's data must not prevent others in the same transaction.
      await client.query("SAVEPOINT emit_again");
      try {
        await client.query(
          `WITH _kept AS (UPDATE plinth.inbound_requests SET replayed_at = clock_timestamp(), event = $4, status = 'accepted',
             reason = NULL WHERE project_id = $1 AND id = $2 RETURNING id),
             ${emitFrom(release, source, { source: "$3", event: "$4", requestId: "$5", json: "$6" })} ${COUNT}`,
          [release.projectId, id, source, event, requestId, json],
        );
      } catch (error) {
        if (!isUnstorable(error)) throw error;
        await client.query("ROLLBACK TO SAVEPOINT emit_again");
        await client.query(
          "UPDATE plinth.inbound_requests SET status = 'unmapped', reason = 'unreadable' WHERE project_id = $1 AND id = $2",
          [release.projectId, id],
        );
        return null;
      } finally {
        await client.query("RELEASE SAVEPOINT emit_again").catch(() => {});
      }
      return event;
    },
  };
  return store;
}

function isUnstorable(error: unknown): boolean {
  return UNSTORABLE.has(String((error as { readonly code?: string }).code));
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

export interface Content {
  readonly headers: StoredHeaders;
  /** As base64; empty if `json` is set. */
  readonly body: string;
  readonly json: string | null;
}

function sealable({ headers, body, json }: Received): Buffer {
  const content: Content = { headers, body: json === null ? body.toString("base64") : "", json };
  return Buffer.from(JSON.stringify(content));
}

/** $1 project, $2 id, $3 source, $4 status, $5 reason, $6 type, $7 event, $8 key, $9 sealed, $10 proof. */
const KEEP = `_rows AS (
    INSERT INTO plinth.inbound_requests AS r (project_id, id, source, status, reason, type, event, dedupe_key, sealed, proof, screened)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, true)
    ON CONFLICT (project_id, source, dedupe_key) WHERE dedupe_key IS NOT NULL DO UPDATE SET repeats = r.repeats + 1
    RETURNING id, repeats
  ), _kept AS (SELECT id FROM _rows WHERE repeats = 0)`;
/** $1 project, $2 source, $3 the rows. */
const KEEP_LIST = `_in AS (
    SELECT * FROM json_to_recordset($3::json) AS i (id uuid, status text, reason text, type text, event text, key text, sealed text,
      proof text)
  ), _rows AS (
    INSERT INTO plinth.inbound_requests AS r (project_id, id, source, status, reason, type, event, dedupe_key, sealed, proof, screened)
    SELECT $1, id, $2, status, reason, type, event, decode(key, 'hex'), sealed, decode(proof, 'hex'), true FROM _in ORDER BY id
    ON CONFLICT (project_id, source, dedupe_key) WHERE dedupe_key IS NOT NULL DO UPDATE SET repeats = r.repeats + 1
    RETURNING id, repeats, event
  ), _kept AS (SELECT id, event FROM _rows WHERE repeats = 0)`;
const COUNT = "SELECT count(*)::int AS kept FROM _kept";

const KEPT = { source: "$3", event: "$7", requestId: "$11", json: "$12" } as const;

/** The event of each row of `_kept`; `$1` is the project. It checks the table of listeners, like every write. */
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

/** The events of a list, in its order. $4 request, $5 the data of each row of `$3`. */
function emitList(release: ActiveRelease, name: string): string {
  return `_out AS (
    INSERT INTO plinth.outbox (project_id, name, actor_kind, actor_id, request_id, data)
    SELECT $1, k.event, 'service', 'webhook ' || $2::text, $4::text, ${dataOf(release, name, "d.json")}
    FROM json_array_elements($3::json) WITH ORDINALITY AS i (one, at)
      JOIN _kept k ON k.id = (i.one->>'id')::uuid
      JOIN unnest($5::text[]) WITH ORDINALITY AS d (json, at) ON d.at = i.at
    WHERE EXISTS (SELECT 1 FROM ${release.schema}.${quoteIdentifier(LISTENERS_TABLE)} l WHERE l."event" = k.event)
    ORDER BY i.at)`;
}

/** The event's data from the body, without the provider's envelope. */
function dataOf({ bundle }: ActiveRelease, name: string, json: string): string {
  const source = bundle.background.inbound?.find((one) => one.name === name);
  const member = source === undefined ? undefined : providerOf(source)?.data;
  return member === undefined ? `${json}::jsonb` : `coalesce(${json}::jsonb->${quoteLiteral(member)}, ${json}::jsonb)`;
}

export function contextOf(projectId: string, id: string): string {
  return `inbound-request/${projectId}/${id}`;
}
