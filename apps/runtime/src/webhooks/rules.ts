// The rules for a project's endpoints: those of its blueprint, within the operator's limits. Pure.
import type { BundleBackground, BundleOutbound } from "@plinth/bundle";
import { isOwnEvent } from "../events/own-events.ts";
import type { BacklogLimits } from "./backlog.ts";

/** The operator's limits for all blueprints. */
export interface WebhookLimits extends BacklogLimits {
  /** Concurrent calls of one endpoint. */
  readonly concurrencyMax: number;
  /** Days for which a delivery can be retried, and for which an endpoint can fail. */
  readonly failingDaysMax: number;
}

export const defaultWebhookLimits: WebhookLimits = {
  concurrencyMax: 20,
  failingDaysMax: 30,
  pendingMax: 100_000,
  pendingBytesMax: 256 * 1_048_576,
};

/** Concurrent calls of one endpoint, if the blueprint sets none. */
export const CONCURRENCY = 8;
const DAY_MS = 86_400_000;
const FAILING_MS = 5 * DAY_MS;

export interface DeliveryRules {
  readonly attempts: BundleOutbound["attempts"];
  readonly pauses: BundleOutbound["pauses"];
  /** From the first attempt to the last. */
  readonly spanMsMax: number;
  /** How long an endpoint can fail without a success. */
  readonly failingMsMax: number;
  /** Whether a delivery that has finally failed is an event. */
  readonly tellsFailures: boolean;
}

export function rulesOf(
  { attempts, pauses, disableAfterMs = FAILING_MS }: BundleOutbound,
  limits: WebhookLimits,
  events: BundleBackground["events"] = [],
): DeliveryRules {
  const mostMs = limits.failingDaysMax * DAY_MS;
  const failingMsMax = Math.min(disableAfterMs, mostMs);
  return {
    attempts,
    pauses,
    spanMsMax: mostMs,
    failingMsMax,
    tellsFailures: isOwnEvent({ events }, "delivery.failed"),
  };
}

/** Whether endpoints can receive an event of the name. */
export function maySend({ outbound }: { readonly outbound?: BundleOutbound }, event: string): boolean {
  return outbound?.events === undefined || outbound.events.includes(event);
}
