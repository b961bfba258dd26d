// A request whose effect must happen once. In: a request with an `Idempotency-Key`. Out: the key and the fingerprint
// for its saved reply. A key belongs to one principal, and to one request of theirs.
import { createHash } from "node:crypto";
import { Fault } from "@plinth/service";
import { type CallerPrincipal, principalId } from "../project/principal.ts";

export const IDEMPOTENCY_TABLE = "idempotency__replies";
/** After this time, a key can be used for another request. */
export const IDEMPOTENCY_HOURS = 24;

/** A request whose effect must happen once. */
export interface Once {
  readonly principal: string;
  readonly key: string;
  /**
   * Distinguishes a repetition from another request with the same key. It ends with the id of the request that had the
   * effect.
   */
  readonly fingerprint: string;
  readonly requestId: string;
  /** The address of the created record; null if it creates nothing, or the address isn't known yet. */
  readonly location: string | null;
}

/** Length of the hexadecimal hash at the beginning of a fingerprint. */
export const HASH_CHARS = 64;

/** Whether the saved reply belongs to this same request, whichever of its repetitions had the effect. */
export function isRepetition(kept: string, { fingerprint }: Once): boolean {
  return kept.slice(0, HASH_CHARS) === fingerprint.slice(0, HASH_CHARS);
}

interface OnceRequest {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** The part after `?`; empty if there is none. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer | null;
}

/** Null if the request has no such header. @throws Fault `bad_request`. */
export function onceOf(request: OnceRequest, principal: CallerPrincipal, organization: string | null): Once | null {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return null;
  if (typeof key !== "string" || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new Fault("bad_request", {
      detail: "Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.",
    });
  }
  const hash = createHash("sha256").update(JSON.stringify([request.method, request.path, organization]));
  if (request.query !== "") hash.update(`?${request.query}`);
  if (request.body !== null) hash.update(request.body);
  return {
    principal: `${principal.kind} ${principalId(principal)}`,
    key,
    fingerprint: `${hash.digest("hex")} ${request.id}`,
    requestId: request.id,
    location: null,
  };
}

export function keyReused(): Fault {
  return new Fault("idempotency_key_reused", {
    detail: "The first request with this key had another method, path or body. Use another key for this one.",
  });
}
