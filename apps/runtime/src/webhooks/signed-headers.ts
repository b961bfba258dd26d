// The headers of an attempt. In: the endpoint's secrets and a body. Out: the headers as they are sent, and as they are
// stored.
import { type SigningSecret, signatureHeaders } from "../identity/webhook-signature.ts";

type Headers = Readonly<Record<string, string>>;

/** @param atMs Milliseconds since the epoch. */
export function signedHeaders(
  secrets: readonly SigningSecret[],
  deliveryId: string,
  body: string,
  atMs: number,
): Headers {
  const signed = signatureHeaders(secrets, { key: `msg_${deliveryId}`, atMs, body });
  return { "user-agent": "Plinth-Webhooks", "content-type": "application/json", ...signed };
}

/** Without the signature, so that nobody who looks at a delivery can send it again. */
export function shownHeaders({ "webhook-signature": _, ...shown }: Headers): Headers {
  return shown;
}
