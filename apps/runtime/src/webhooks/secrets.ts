// What an endpoint's messages are signed with. In: an endpoint. Out: its secrets, sealed in the cell's tables. The text of one leaves
// the process once, for the admin who has made it; a private key never does.
import { createUuidV7 } from "@plinth/service";
import type { ClientBase, Pool } from "pg";
import type { SecretBox } from "../identity/secret-box.ts";
import { newHmacSecret, newKeyPair, type SigningSecret } from "../identity/webhook-signature.ts";
import { together } from "./together.ts";

export interface EndpointSecrets {
  /** The newest first; others while receivers change over. */
  of(endpointId: string): Promise<readonly SigningSecret[]>;
  /**
   * A new one; those before it end after the overlap.
   * @returns What receivers verify with, where that is a secret; null where it is a public key.
   */
  add(
    client: ClientBase,
    endpoint: { readonly id: string; readonly signing: "hmac" | "ed25519" },
    overlapHours: number,
  ): Promise<string | null>;
}

/** Live ones of an endpoint: who rotates more often ends the oldest. */
const LIVE_MAX = 4;
/** Looked up in one statement. */
const ENDPOINTS_MAX = 50;
const LIVE = `SELECT s.id, e.id AS endpoint_id, s.sealed FROM unnest($1::uuid[]) AS e (id) CROSS JOIN LATERAL (
    SELECT s.id, s.sealed FROM plinth.webhook_secrets s WHERE s.endpoint_id = e.id AND (s.until IS NULL OR s.until > clock_timestamp())
    ORDER BY s.until DESC NULLS FIRST, s.id DESC LIMIT ${LIVE_MAX}
  ) s`;

export function createEndpointSecrets({
  pool,
  box,
}: {
  readonly pool: Pool;
  readonly box: SecretBox;
}): EndpointSecrets {
  const newId = createUuidV7({ now: Date.now });
  return {
    of: together(async (endpointIds: readonly string[]) => {
      const { rows } = await pool.query<{ id: string; endpoint_id: string; sealed: string }>({
        name: "webhook-secrets",
        text: LIVE,
        values: [[...new Set(endpointIds)]],
      });
      const secrets = Map.groupBy(rows, (row) => row.endpoint_id);
      const opened = new Map(
        [...secrets].map(([endpoint, own]) => [
          endpoint,
          own.map(({ id, sealed }) => ({ text: box.open(sealed, contextOf(endpoint, id)).toString("utf8") })),
        ]),
      );
      return endpointIds.map((id) => opened.get(id) ?? []);
    }, ENDPOINTS_MAX),
    async add(client, endpoint, overlapHours) {
      await client.query("DELETE FROM plinth.webhook_secrets WHERE endpoint_id = $1 AND until <= clock_timestamp()", [
        endpoint.id,
      ]);
      await client.query(
        `UPDATE plinth.webhook_secrets SET until = clock_timestamp() + make_interval(hours => $2) WHERE endpoint_id = $1 AND until IS NULL`,
        [endpoint.id, overlapHours],
      );
      const pair = endpoint.signing === "ed25519" ? newKeyPair() : null;
      const text = pair?.privateKey ?? newHmacSecret();
      const id = newId();
      await client.query(
        "INSERT INTO plinth.webhook_secrets (endpoint_id, id, sealed, public_key) VALUES ($1, $2, $3, $4)",
        [endpoint.id, id, box.seal(Buffer.from(text), contextOf(endpoint.id, id)), pair?.publicKey ?? null],
      );
      return pair === null ? text : null;
    },
  };
}

function contextOf(endpointId: string, id: string): string {
  return `webhook-secret/${endpointId}/${id}`;
}
