// API keys: `plk_<pub|sec>_<30 base62><6 base62 of CRC32>`. The checksum rejects invalid keys before any look-up; it is
// not a secret. Only the SHA-256 is ever stored.
import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

export type ApiKeyKind = "publishable" | "secret";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const infix: Record<ApiKeyKind, string> = { publishable: "pub", secret: "sec" };

/** A new random key (178 bits). It can't be shown again: store `hashApiKey` of it. */
export function newApiKey(kind: ApiKeyKind): string {
  let body = `plk_${infix[kind]}_`;
  for (let i = 0; i < 30; i++) body += alphabet[randomInt(alphabet.length)];
  return body + checksum(body);
}

export function apiKeyIsWellFormed(text: string): boolean {
  return /^plk_(pub|sec)_[0-9A-Za-z]{36}$/.test(text) && text.slice(-6) === checksum(text.slice(0, -6));
}

/** SHA-256 as hex. */
export function hashApiKey(text: string): string {
  return hash("sha256", text, "hex");
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = "";
  for (let i = 0; i < 6; i++) {
    text = `${alphabet[rest % 62]}${text}`;
    rest = Math.floor(rest / 62);
  }
  return text;
}
