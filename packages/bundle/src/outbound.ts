// Outbound webhooks in a bundle: which events endpoints can receive, and how deliveries are retried. Only data; the
// operator's limits have priority.
import type { Retry } from "@plinth/expression";
import { z } from "zod";

export interface PayloadVersion {
  /** The name in the version > the current field. */
  readonly names: Readonly<Record<string, string>>;
  /** Fields that the version doesn't have. */
  readonly omit: readonly string[];
}

export interface BundleOutbound {
  /** The events that endpoints can receive, sorted; absent: all. */
  readonly events?: readonly string[];
  /** The default for a new endpoint; absent: `full`. */
  readonly payload?: "full" | "thin";
  /** The default for a new endpoint; absent: `hmac`. */
  readonly signing?: "hmac" | "ed25519";
  /** The number of attempts in total; absent: as many as the pauses allow, which is eight by default. */
  readonly attempts?: number;
  /** Pauses between attempts; absent: the runtime's default. */
  readonly pauses?: Omit<Retry, "attempts">;
  /** Simultaneous calls to one endpoint; absent: the runtime's default. */
  readonly concurrency?: number;
  /** After how long without a success a failing endpoint is disabled; absent: the runtime's default. */
  readonly disableAfterMs?: number;
  /** The current payload version, which new endpoints receive by default; absent: 1. */
  readonly version?: number;
  /** Earlier version > entity or declared event > differences in its members; absent: none. */
  readonly versions?: Readonly<Record<string, Readonly<Record<string, PayloadVersion>>>>;
  /** After how many days finished deliveries are deleted; absent: the operator decides. */
  readonly retentionDays?: number;
}

const whole = z.number().int().positive();

export const outbound: z.ZodType = z.looseObject({
  events: z.array(z.string()).optional(),
  payload: z.enum(["full", "thin"]).optional(),
  signing: z.enum(["hmac", "ed25519"]).optional(),
  attempts: whole.optional(),
  pauses: z
    .looseObject({ backoff: z.enum(["constant", "linear", "exponential"]), delayMs: whole, delayMsMax: whole })
    .optional(),
  concurrency: whole.optional(),
  disableAfterMs: whole.optional(),
  retentionDays: whole.optional(),
  version: whole.optional(),
  versions: z
    .record(
      z.string(),
      z.record(z.string(), z.looseObject({ names: z.record(z.string(), z.string()), omit: z.array(z.string()) })),
    )
    .optional(),
});
