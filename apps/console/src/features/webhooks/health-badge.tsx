// Badges for the state of an endpoint and of a delivery. In: an endpoint, or a delivery's status. Out: a badge.
import type { DeliveryStatus, WebhookEndpoint } from "@plinth/control/router";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { disabledText } from "./delivery-words.ts";

export function HealthBadge({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { enabled, disabledReason, failures, pausedUntil, behindSince, listensUntil } = endpoint;
  if (listensUntil !== null) {
    const listens = enabled && Date.parse(listensUntil) > Date.now();
    return <Badge tone={listens ? "accent" : "neutral"}>{listens ? "Listening" : "Listener, ended"}</Badge>;
  }
  if (!enabled) return <Badge tone="bad">Disabled: {disabledText(disabledReason).short}</Badge>;
  if (pausedUntil !== null) return <Badge tone="warn">Paused, {failures} failed in a row</Badge>;
  if (behindSince !== null) return <Badge tone="warn">Behind</Badge>;
  if (failures > 0) return <Badge tone="warn">{failures} failed in a row</Badge>;
  return <Badge tone="good">Enabled</Badge>;
}

const tones: Readonly<Record<DeliveryStatus, Tone>> = {
  pending: "accent",
  delivered: "good",
  failed: "bad",
  revoked: "neutral",
};

export function DeliveryBadge({ status }: { status: DeliveryStatus }) {
  return <Badge tone={tones[status]}>{status}</Badge>;
}
