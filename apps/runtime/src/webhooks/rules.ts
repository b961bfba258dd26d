// What holds for a project's endpoints: what its blueprint says, within what the operator allows. Pure.
import type { BundleOutbound } from "@plinth/bundle";

/** The operator's: no blueprint has more. */
export interface WebhookLimits {
  /** Calls of one endpoint at once. */
  readonly concurrencyMax: number;
  /** Days for which a delivery is tried at most, and an endpoint may fail. */
  readonly failingDaysMax: number;
}

export const defaultWebhookLimits: WebhookLimits = { concurrencyMax: 20, failingDaysMax: 30 };

/** Calls of one endpoint at once, where the blueprint says nothing. */
export const CONCURRENCY = 8;
const DAY_MS = 86_400_000;
const FAILING_MS = 5 * DAY_MS;

export interface DeliveryRules {
  readonly attempts: BundleOutbound["attempts"];
  readonly pauses: BundleOutbound["pauses"];
  /** From the first attempt to the last. */
  readonly spanMsMax: number;
  /** How long an endpoint may fail, without a success. */
  readonly failingMsMax: number;
}

export function rulesOf(
  { attempts, pauses, disableAfterMs = FAILING_MS }: BundleOutbound,
  limits: WebhookLimits,
): DeliveryRules {
  const mostMs = limits.failingDaysMax * DAY_MS;
  return { attempts, pauses, spanMsMax: mostMs, failingMsMax: Math.min(disableAfterMs, mostMs) };
}

/** Whether endpoints may be sent an event of the name. */
export function maySend({ outbound }: { readonly outbound?: BundleOutbound }, event: string): boolean {
  return outbound?.events === undefined || outbound.events.includes(event);
}
