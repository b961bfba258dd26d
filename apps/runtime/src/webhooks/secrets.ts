// The secrets that sign an endpoint's messages. In: an endpoint. Out: its secrets, sealed in the cell's tables. The
// text of a secret leaves the process once, for the admin who created it; a private key never does.
import { createUuidV7 } from "@plinth/service";
import type { ClientBase } from "pg";
import type { SecretBox } from "../identity/secret-box.ts";
import { newHmacSecret, newKeyPair, type SigningSecret } from "../identity/webhook-signature.ts";

export interface EndpointSecrets {
  /**
   * Creates a new one; earlier ones end after the overlap. @returns the secret with which receivers verify; null if it
   * is a public key.
   */
  add(
    client: ClientBase,
    endpoint: { readonly id: string; readonly signing: "hmac" | "ed25519" },
    overlapHours: number,
  ): Promise<string | null>;
}

export interface SealedSecret {
  readonly id: string;
  readonly sealed: string;
}

/** Live secrets of an endpoint: a further rotation ends the oldest. */
const LIVE_MAX = 4;

/** A part of a statement: the live secrets of the endpoint of that column, the newest first, as JSON. */
export const LIVE_SECRETS = (endpoint: string): string =>
  `SELECT coalesce(json_agg(s), '[]'::json) FROM (
     SELECT s.id, s.sealed FROM plinth.webhook_secrets s
     WHERE s.endpoint_id = ${endpoint} AND (s.until IS NULL OR s.until > clock_timestamp())
     ORDER BY s.until DESC NULLS FIRST, s.id DESC LIMIT ${LIVE_MAX}
   ) s`;

export function openSecrets(
  box: SecretBox,
  endpoint: string,
  sealed: readonly SealedSecret[],
): readonly SigningSecret[] {
  return sealed.map((one) => ({ text: box.open(one.sealed, contextOf(endpoint, one.id)).toString("utf8") }));
}

export function createEndpointSecrets({ box }: { readonly box: SecretBox }): EndpointSecrets {
  const newId = createUuidV7({ now: Date.now });
  return {
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
