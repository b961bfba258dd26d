// Reads a publication as it was sent. In: bytes. Out: what the cell checks and stores of it, as plain data; or the
// problems with its shape. Pure: it can run in a thread, because a large blueprint takes a quarter of a second.
import { gzipSync } from "node:zlib";
import {
  type Approval,
  type DecodeProblem,
  decodePublication,
  hashOf,
  type LegacyApproval,
  type Publication,
  type ReceivedPublication,
} from "@plinth/bundle";
import type { StoredDescription } from "../project/stored-description.ts";
import { essenceOf } from "./migration-sql.ts";

/** A publication, with its large parts as the texts that are stored. */
export interface ReadPublication {
  readonly projectId: string;
  readonly releaseId: string;
  readonly approval: Approval | LegacyApproval;
  readonly bundleHash: string;
  readonly planHash: string;
  /** UTF-8, as the approval's hashes cover it: in an older format if it was sent in one. */
  readonly bundle: Uint8Array;
  readonly plan: Uint8Array;
  readonly steps: readonly { readonly id: string; readonly hash: string }[];
}

export type PublicationRead =
  | { readonly kind: "read"; readonly publication: ReadPublication; readonly description: StoredDescription }
  | { readonly kind: "malformed"; readonly message: string }
  | { readonly kind: "undecodable"; readonly problems: readonly DecodeProblem[] };

/** Reads the bytes of a publication, perhaps in a thread. */
export type PublicationReader = (bytes: Uint8Array) => Promise<PublicationRead>;

export function readPublication(bytes: Uint8Array): PublicationRead {
  let sent: unknown;
  try {
    // Only control sends this, and the hashes show whether it arrived complete.
    sent = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
  } catch (error) {
    return { kind: "malformed", message: (error as Error).message };
  }
  const decoded = decodePublication(sent);
  if (!decoded.ok) return { kind: "undecodable", problems: decoded.problems };
  const { openapi, sdkTypes } = decoded.value.bundle;
  return {
    kind: "read",
    publication: contentOf(decoded.value, decoded.value.sent),
    description: { openapi: gzipSync(JSON.stringify(openapi)), sdkTypes: gzipSync(sdkTypes) },
  };
}

/** @param sent The original parts of an older format, over which the approval's hashes are computed. */
export function contentOf(
  { projectId, releaseId, plan, approval }: Publication,
  sent: ReceivedPublication["sent"],
): ReadPublication {
  return {
    projectId,
    releaseId,
    approval,
    bundleHash: hashOf(sent.bundle),
    planHash: hashOf(sent.plan),
    bundle: Buffer.from(JSON.stringify(sent.bundle)),
    plan: Buffer.from(JSON.stringify(sent.plan)),
    steps: plan.steps.map((step) => ({ id: step.id, hash: hashOf(essenceOf(step)) })),
  };
}
