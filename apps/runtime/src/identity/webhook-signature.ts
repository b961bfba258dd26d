// Signs messages to other services as defined by https://www.standardwebhooks.com. In: secrets, and a message. Out: its
// headers. `whsec_` secrets sign by HMAC-SHA256 (`v1`), `whsk_` keys by Ed25519 (`v1a`). It keeps and logs no secret.
import { createHmac, createPrivateKey, createSecretKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** One secret in the form that receivers get (`whsec_`), or a private key that no receiver ever gets (`whsk_`). */
export interface SigningSecret {
  readonly text: string;
}

export interface SignedMessage {
  /** The same for all attempts. */
  readonly key: string;
  readonly atMs: number;
  readonly body: string;
}

export const HMAC_PREFIX = "whsec_";
const PRIVATE_PREFIX = "whsk_";
const PUBLIC_PREFIX = "whpk_";
const SECRET_BYTES = 32;

/** The headers that prove a message: one signature for each secret. */
export function signatureHeaders(
  secrets: readonly SigningSecret[],
  { key, atMs, body }: SignedMessage,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(atMs / 1_000));
  const signatures = secrets.map(({ text }) => signatureOf(text, `${key}.${timestamp}.${body}`));
  return { "webhook-id": key, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}

function signatureOf(secret: string, message: string): string {
  if (secret.startsWith(PRIVATE_PREFIX)) {
    const raw = Buffer.from(secret.slice(PRIVATE_PREFIX.length), "base64");
    const key = createPrivateKey({
      key: Buffer.concat([PKCS8_HEAD, raw.subarray(0, 32)]),
      format: "der",
      type: "pkcs8",
    });
    return `v1a,${sign(null, Buffer.from(message), key).toString("base64")}`;
  }
  const key = createSecretKey(secret.slice(HMAC_PREFIX.length), "base64");
  return `v1,${createHmac("sha256", key).update(message).digest("base64")}`;
}

/** The bytes before the 32 bytes of an Ed25519 private key in PKCS #8 (RFC 8410). */
const PKCS8_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");

export function newHmacSecret(): string {
  return HMAC_PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** The private key is the seed followed by the public key, as in the standard's libraries. */
export function newKeyPair(): { readonly privateKey: string; readonly publicKey: string } {
  const { privateKey } = generateKeyPairSync("ed25519");
  const { d = "", x = "" } = privateKey.export({ format: "jwk" });
  const [seed, open] = [Buffer.from(d, "base64url"), Buffer.from(x, "base64url")];
  return {
    privateKey: PRIVATE_PREFIX + Buffer.concat([seed, open]).toString("base64"),
    publicKey: PUBLIC_PREFIX + open.toString("base64"),
  };
}
