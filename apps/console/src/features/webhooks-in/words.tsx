// How a source is, and what became of a request, in words. In: a source or a request. Out: a badge, or a sentence.
import type { InboundRequest, InboundSource, InboundStatus } from "@plinth/control/router";
import { Badge, type Tone } from "../../ui/badge.tsx";

const reasons: Readonly<Record<string, string>> = {
  no_secret: "the source had no secret then",
  no_signature: "it carried no signature of this provider",
  bad_signature: "none of the live secrets fits the signature: wrong secret, or the body was changed on its way",
  bad_timestamp: "the signed timestamp was missing or no number",
  old_timestamp: "it was signed too long ago, or one of the clocks is wrong",
  reused_signature: "its signature has come before, with another event",
  unmapped: "the blueprint maps this type to no event",
  too_many: "it lists more than 2,000 events",
  unreadable: "its body is neither JSON nor a form, or holds what the database can't store",
};

export function reasonText(reason: string | null): string {
  return reason === null ? "" : (reasons[reason] ?? reason);
}

export function SourceBadge({ source }: { source: InboundSource }) {
  if (!source.enabled) return <Badge tone="warn">Needs a secret</Badge>;
  if (source.lastReceivedAt === null) {
    if (refusesNewestSecret(source)) return <Badge tone="bad">All requests refused</Badge>;
    return <Badge tone="accent">Waiting for the first request</Badge>;
  }
  return <Badge tone="good">Receiving</Badge>;
}

/** What a source that has accepted nothing yet is waiting for. @param secret What the provider calls its secret. */
export function setUpText(source: InboundSource, secret: string): string {
  if (!source.enabled) return `Every request is refused until the source has a secret: ${secret}.`;
  if (source.lastRefusedAt === null) return "No request has arrived yet.";
  return refusesNewestSecret(source)
    ? `No request was accepted yet. The last one was refused: ${reasonText(source.lastRefusal)}.`
    : "No request has arrived since the newest secret was added.";
}

/** Whether the last refusal came after the newest secret: earlier ones say nothing about that secret. */
function refusesNewestSecret({ secrets, lastRefusedAt }: InboundSource): boolean {
  return lastRefusedAt !== null && secrets.every(({ createdAt }) => Date.parse(createdAt) < Date.parse(lastRefusedAt));
}

const tones: Readonly<Record<InboundStatus, Tone>> = { accepted: "good", unmapped: "neutral", refused: "bad" };

export function RequestBadge({ status }: { status: InboundStatus }) {
  return <Badge tone={tones[status]}>{status}</Badge>;
}

export function outcomeText({ status, event, reason, repeats }: InboundRequest): string {
  const outcome = status === "accepted" ? `became ${event}` : reasonText(reason);
  if (repeats === 0) return outcome;
  return `${outcome}; sent again ${repeats === 1 ? "once" : `${repeats} times`}`;
}
