// What a bundle says of webhooks that leave the project: what endpoints may be sent, and how deliveries are tried. Data alone; the
// operator's limits outrank it.
import type { Retry } from "@plinth/expression";
import { z } from "zod";

export interface PayloadVersion {
  /** Name in the version > the field that it is by now. */
  readonly names: Readonly<Record<string, string>>;
  /** Fields that the version doesn't have. */
  readonly omit: readonly string[];
}

export interface BundleOutbound {
  /** The events that endpoints may be sent, sorted; absent: all. */
  readonly events?: readonly string[];
  /** Of an endpoint that is made without saying which; absent: `full`. */
  readonly payload?: "full" | "thin";
  /** Of an endpoint that is made without saying which; absent: `hmac`. */
  readonly signing?: "hmac" | "ed25519";
  /** Attempts in all; absent: as many as the pauses have room for, which is eight where none are given. */
  readonly attempts?: number;
  /** Pauses between attempts; absent: the runtime's own. */
  readonly pauses?: Omit<Retry, "attempts">;
  /** Calls of one endpoint at once; absent: the runtime's own. */
  readonly concurrency?: number;
  /** How long an endpoint may fail, without a success, before it is disabled; absent: the runtime's own. */
  readonly disableAfterMs?: number;
  /** Which version of payloads new endpoints are sent, and what is sent by itself; absent: 1. */
  readonly version?: number;
  /** Earlier version > entity or declared event > how its members differ; absent: none. */
  readonly versions?: Readonly<Record<string, Readonly<Record<string, PayloadVersion>>>>;
  /** Days for which deliveries are kept after their end; absent: as long as the operator keeps them. */
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
