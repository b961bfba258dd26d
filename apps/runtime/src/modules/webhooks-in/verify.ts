// Verifies that the holder of a source's secret signed a request. In: a scheme as data, the raw bytes, the headers, and
// the live secrets. Out: null if it is genuine, else the reason why not. Signatures are compared in constant time;
// nothing is parsed before.
import {
  createHash,
  createHmac,
  createPublicKey,
  type KeyObject,
  timingSafeEqual,
  verify as verifySignature,
} from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** The source of each part of the signed message. */
export type MessagePart = "body" | "timestamp" | "url" | { readonly header: string } | { readonly text: string };

export interface Scheme {
  /** `form-sha1`: the address and the sorted parameters of a form, as Twilio signs them. */
  readonly algorithm: "hmac-sha1" | "hmac-sha256" | "hmac-sha512" | "token" | "ed25519" | "ecdsa-sha256" | "form-sha1";
  /** The header with the signatures, in lower case. */
  readonly header: string;
  /** Between several values of the header; null if it contains one. */
  readonly separator: string | null;
  /** The prefix of a signature; values without it are ignored. */
  readonly prefix: string;
  readonly suffix: string;
  readonly encoding: "hex" | "base64" | "raw";
  /** How a secret's text becomes a key. `utf8-nfkd`: normalized first. */
  readonly secret: { readonly prefix: string; readonly encoding: "utf8" | "utf8-nfkd" | "base64" };
  /** Seconds since 1970, in a separate header or, with a prefix, among the values of a separated one. */
  readonly timestamp: { readonly header: string; readonly prefix: string; readonly toleranceSeconds: number } | null;
  readonly message: readonly MessagePart[];
}

export type Refusal = "no_signature" | "bad_signature" | "bad_timestamp" | "old_timestamp";

export interface SignedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The address as the provider knows it. */
  readonly url: string;
  readonly nowMs: number;
}

/** No provider sends more signatures. Further ones are ignored. */
const SIGNATURES_MAX = 16;

/** @param secrets All live ones: one match is enough. */
export function verifyRequest(scheme: Scheme, request: SignedRequest, secrets: readonly string[]): Refusal | null {
  const signatures = signaturesOf(scheme, request.headers);
  if (signatures.length === 0) return "no_signature";
  const timestamp = timestampOf(scheme, request.headers);
  if (timestamp === null) return "bad_timestamp";
  // All are compared, so that the time doesn't reveal which one matches.
  const fits = messagesOf(scheme, request, timestamp).flatMap((message) =>
    secrets.flatMap((secret) => signatures.map((signature) => isGenuine(scheme, secret, message, signature))),
  );
  if (!fits.includes(true)) return "bad_signature";
  return scheme.timestamp !== null && isOld(timestamp, scheme.timestamp.toleranceSeconds, request.nowMs)
    ? "old_timestamp"
    : null;
}

/** Whether a text can be a secret of this scheme. */
export function isSecretOf(scheme: Scheme, text: string): boolean {
  return text.length >= 8 && isKeyOf(scheme, text);
}

function isKeyOf({ algorithm, secret }: Scheme, text: string): boolean {
  if (algorithm === "ed25519" || algorithm === "ecdsa-sha256") return publicKeyOf(algorithm, text) !== null;
  if (text.includes("-----BEGIN PUBLIC KEY")) return false;
  if (secret.encoding !== "base64") return true;
  const encoded = text.startsWith(secret.prefix) ? text.slice(secret.prefix.length) : text;
  return /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) && Buffer.from(encoded, "base64").length >= KEY_BYTES_MIN;
}

/**
 * The stored form of a secret's text. A public key is always stored as PEM, whose beginning marks it as public. If the
 * source's scheme changes later, it must not become the secret of an HMAC.
 */
export function keptText({ algorithm }: Pick<Scheme, "algorithm">, text: string): string {
  if (algorithm !== "ed25519" && algorithm !== "ecdsa-sha256") return text;
  return publicKeyOf(algorithm, text)?.export({ format: "pem", type: "spki" }).toString() ?? text;
}

/** 128 bits: a shorter key can be guessed from one signature. Standard Webhooks requires 24 bytes. */
const KEY_BYTES_MIN = 16;

function signaturesOf({ header, separator, prefix, suffix, encoding }: Scheme, headers: IncomingHttpHeaders): Buffer[] {
  const values = valuesOf(headers, header, separator).filter((one) => one.startsWith(prefix) && one.endsWith(suffix));
  return values.slice(0, SIGNATURES_MAX).flatMap((value) => {
    const text = value.slice(prefix.length, value.length - suffix.length);
    return decoded(text, encoding) ?? [];
  });
}

function valuesOf(headers: IncomingHttpHeaders, header: string, separator: string | null): readonly string[] {
  const value = headers[header];
  if (typeof value !== "string") return [];
  return separator === null ? [value] : value.split(separator).map((one) => one.trim());
}

function decoded(text: string, encoding: Scheme["encoding"]): Buffer | null {
  switch (encoding) {
    case "hex":
      return /^(?:[0-9a-f]{2})+$/i.test(text) ? Buffer.from(text, "hex") : null;
    case "base64":
      return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, "base64") : null;
    case "raw":
      return text === "" ? null : Buffer.from(text);
  }
}

/** Empty if the scheme has none; null if it is missing, repeated, or not a number of seconds. */
function timestampOf({ timestamp, header, separator }: Scheme, headers: IncomingHttpHeaders): string | null {
  if (timestamp === null) return "";
  const separated = timestamp.header === header ? separator : null;
  const values = valuesOf(headers, timestamp.header, separated).filter((one) => one.startsWith(timestamp.prefix));
  const [only, second] = values.map((one) => one.slice(timestamp.prefix.length));
  return only !== undefined && second === undefined && /^[1-9]\d{0,11}$/.test(only) ? only : null;
}

function isOld(timestamp: string, toleranceSeconds: number, nowMs: number): boolean {
  return Math.abs(nowMs / 1_000 - Number(timestamp)) > toleranceSeconds;
}

/**
 * The texts that may have been signed: one, or, if the address is part of it, one for each way to write the address.
 * Empty if a part is missing.
 */
function messagesOf(scheme: Scheme, { headers, body, url }: SignedRequest, timestamp: string): readonly Buffer[] {
  if (scheme.algorithm === "form-sha1") return addressMessages(url, headers, body);
  const parts: Buffer[] = [];
  for (const part of scheme.message) {
    if (part === "body") parts.push(body);
    else if (part === "timestamp") parts.push(Buffer.from(timestamp));
    else if (part === "url") parts.push(Buffer.from(url));
    else if ("text" in part) parts.push(Buffer.from(part.text));
    else {
      const value = headers[part.header];
      if (typeof value !== "string") return [];
      parts.push(Buffer.from(value));
    }
  }
  return [Buffer.concat(parts)];
}

/**
 * https://www.twilio.com/docs/usage/webhooks/webhooks-security: the address and, for a form, its parameters in the
 * order of their names. Other bodies are signed by their hash in the address. Some of Twilio's services sign with the
 * port and some without.
 */
function addressMessages(url: string, headers: IncomingHttpHeaders, body: Buffer): readonly Buffer[] {
  const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true;
  const hash = new URL(url).searchParams.get("bodySHA256");
  if (hash !== null) {
    const ours = Buffer.from(createHash("sha256").update(body).digest("hex"));
    if (!isEqual(Buffer.from(hash.toLowerCase()), ours)) return [];
  } else if (!isForm && body.length > 0) return [];
  const pairs = hash === null ? [...new URLSearchParams(body.toString("utf8"))] : [];
  const sorted = [...new Set(pairs.map(([name, value]) => `${name}\0${value}`))].sort();
  const parameters = sorted.map((pair) => pair.replace("\0", "")).join("");
  return [...new Set([url, withPort(url, false), withPort(url, true)])].map((one) => Buffer.from(one + parameters));
}

/** As text: a parsed address could be written differently, and would no longer be the signed one. */
function withPort(url: string, isShown: boolean): string {
  const [, scheme = "", host = "", rest = ""] =
    /^(https?:\/\/)([^/?#:]*|\[[^\]]*\])(?::\d+)?(?=[/?#]|$)(.*)$/s.exec(url) ?? [];
  if (host === "") return url;
  return scheme + host + (isShown ? (scheme === "https://" ? ":443" : ":80") : "") + rest;
}

function isGenuine(scheme: Scheme, secret: string, message: Buffer, signature: Buffer): boolean {
  // It may have been set while the source had another scheme.
  if (!isKeyOf(scheme, secret)) return false;
  switch (scheme.algorithm) {
    case "token":
      return isEqual(digestOf(signature), digestOf(keyOf(scheme, secret)));
    case "ed25519":
    case "ecdsa-sha256": {
      const key = publicKeyOf(scheme.algorithm, secret);
      return key !== null && verifySignature(scheme.algorithm === "ed25519" ? null : "sha256", message, key, signature);
    }
    default: {
      const hash = scheme.algorithm.slice(scheme.algorithm.indexOf("-") + 1);
      return isEqual(signature, createHmac(hash, keyOf(scheme, secret)).update(message).digest());
    }
  }
}

/** Hides a token's length, although it is not secret. */
function digestOf(text: Buffer): Buffer {
  return createHmac("sha256", "plinth token").update(text).digest();
}

function isEqual(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

function keyOf({ secret: { prefix, encoding } }: Scheme, text: string): Buffer {
  if (encoding === "utf8") return Buffer.from(text);
  if (encoding === "utf8-nfkd") return Buffer.from(text.normalize("NFKD"));
  return Buffer.from(text.startsWith(prefix) ? text.slice(prefix.length) : text, "base64");
}

/** PEM, base64 of DER, or, for ed25519, base64 or hex of the 32 bytes. */
function publicKeyOf(algorithm: "ed25519" | "ecdsa-sha256", text: string): KeyObject | null {
  try {
    const key = text.includes("-----BEGIN")
      ? createPublicKey(text)
      : createPublicKey({ key: derOf(algorithm, text), format: "der", type: "spki" });
    return key.asymmetricKeyType === (algorithm === "ed25519" ? "ed25519" : "ec") ? key : null;
  } catch {
    return null;
  }
}

const ED25519_HEAD = Buffer.from("302a300506032b6570032100", "hex");

function derOf(algorithm: "ed25519" | "ecdsa-sha256", text: string): Buffer {
  const bytes = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? "hex" : "base64");
  return algorithm === "ed25519" && bytes.length === 32 ? Buffer.concat([ED25519_HEAD, bytes]) : bytes;
}
