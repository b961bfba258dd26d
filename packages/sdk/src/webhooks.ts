// Verifies webhooks. In: the headers, the body as it arrived, and the endpoint's secret or public key. Out: the event,
// or an error with the reason. Standard Webhooks 1.0, with WebCrypto: the same in Node and in browsers. It follows the
// standard strictly, so that nothing malformed passes.

/** A header's name in lower case > its value; or the headers of `fetch`. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** How many seconds the timestamp can differ from the current time. Default 300. */
  readonly toleranceSeconds?: number;
  /** Milliseconds since the epoch. Default: now. */
  readonly now?: number;
}

/** The payload for an endpoint. */
export interface WebhookEvent<Data = unknown> {
  readonly id: string;
  readonly name: string;
  readonly project: string;
  readonly at: string;
  readonly actor: { readonly kind: string | null; readonly id: string | null };
  readonly request_id: string | null;
  /** The version of the payload: the one that the endpoint asked for, if the blueprint has several. */
  readonly version: number;
  readonly record: Readonly<Record<string, unknown>> | null;
  readonly old: Readonly<Record<string, unknown>> | null;
  readonly data: Data;
}

/** Why a webhook is not valid: answer with 400, and don't process it. */
export class WebhookRefused extends Error {
  override readonly name: string = "WebhookRefused";
}

/**
 * @param body As it arrived: text or bytes, never parsed and serialized again.
 * @param secrets `whsec_` or `whpk_` and base64; several during a rotation.
 * @throws WebhookRefused, and TypeError if a secret is malformed.
 */
export async function verifyWebhook<Event = WebhookEvent>(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() }: VerifyOptions = {},
): Promise<Event> {
  const keys = await Promise.all((typeof secrets === "string" ? [secrets] : secrets).map(keyOf));
  const id = header(headers, "webhook-id");
  const time = header(headers, "webhook-timestamp");
  if (!/^[1-9]\d{0,11}$/.test(time)) throw new WebhookRefused("The timestamp is not a whole number of seconds.");
  if (Math.abs(now / 1000 - Number(time)) > toleranceSeconds) {
    throw new WebhookRefused("The timestamp differs too much from the current time.");
  }
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const head = new TextEncoder().encode(`${id}.${time}.`);
  const message = new Uint8Array(head.length + bytes.length);
  message.set(head);
  message.set(bytes, head.length);
  for (const signature of header(headers, "webhook-signature").split(" ")) {
    const [version, text = "", ...more] = signature.split(",");
    const given = more.length > 0 ? null : bytesOf(text);
    if (given === null) continue;
    for (const { key, is, algorithm } of keys) {
      if (version === is && (await crypto.subtle.verify(algorithm, key, given, message))) return parse(bytes);
    }
  }
  throw new WebhookRefused("No signature is valid.");
}

interface Key {
  readonly key: CryptoKey;
  /** The version of the signatures that it verifies. */
  readonly is: string;
  readonly algorithm: string;
}

async function keyOf(secret: string): Promise<Key> {
  const raw = bytesOf(secret.slice(secret.indexOf("_") + 1));
  if (raw !== null && secret.startsWith("whsec_") && raw.length >= 24) {
    const hmac = { name: "HMAC", hash: "SHA-256" };
    return { key: await crypto.subtle.importKey("raw", raw, hmac, false, ["verify"]), is: "v1", algorithm: "HMAC" };
  }
  if (raw?.length === 32 && secret.startsWith("whpk_")) {
    const key = await crypto.subtle.importKey("raw", raw, "Ed25519", false, ["verify"]);
    return { key, is: "v1a", algorithm: "Ed25519" };
  }
  throw new TypeError("To verify a webhook, use a secret with whsec_ or whpk_ and base64.");
}

function header(headers: WebhookHeaders, name: string): string {
  const value =
    typeof headers["get"] === "function"
      ? (headers["get"] as (name: string) => string | null)(name)
      : (headers as Readonly<Record<string, unknown>>)[name];
  if (typeof value !== "string" || value === "") throw new WebhookRefused(`There is no header ${name}.`);
  return value;
}

/** Null if it is not strictly valid base64. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> | null {
  if (text === "" || !/^(?:[\w+/]{4})*(?:[\w+/]{2}==|[\w+/]{3}=)?$/.test(text) || text.includes("_")) return null;
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function parse<Event>(bytes: Uint8Array): Event {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as Event;
  } catch {
    throw new WebhookRefused("The body is not JSON.");
  }
}
