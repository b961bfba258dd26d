// A request that is to have its effect once. In: a request with an `Idempotency-Key`. Out: what its reply is kept and found by.
// A key belongs to whoever sends it, and to one request of theirs.
import { createHash } from "node:crypto";
import { Fault } from "@plinth/service";
import { type CallerPrincipal, principalId } from "../project/principal.ts";

export const IDEMPOTENCY_TABLE = "idempotency__replies";
/** A key may be used for something else after this. */
export const IDEMPOTENCY_HOURS = 24;

/** A request that is to have its effect once. */
export interface Once {
  readonly principal: string;
  readonly key: string;
  /** Tells a repetition from another request with the same key; behind it, the request that had the effect. */
  readonly fingerprint: string;
  readonly requestId: string;
  /** Where what it creates will be found; null where it creates nothing, or that is not known yet. */
  readonly location: string | null;
}

/** Hexadecimal digits of the hash that a fingerprint begins with. */
export const HASH_CHARS = 64;

/** Whether what is kept is the reply to this very request, whichever of its repetitions had the effect. */
export function isRepetition(kept: string, { fingerprint }: Once): boolean {
  return kept.slice(0, HASH_CHARS) === fingerprint.slice(0, HASH_CHARS);
}

interface OnceRequest {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** What stands behind `?`; empty where nothing does. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer | null;
}

/** Null where the request has no such header. @throws Fault `bad_request`. */
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
    detail: "The first request with this key had another method, path or body. Send this one with a key of its own.",
  });
}
