// The state of a source and the outcome of a request. In: a source or a request. Out: a badge, or a sentence.
import type { InboundRequest, InboundSource, InboundStatus } from "@plinth/control/router";
import { Badge, type Tone } from "../../ui/badge.tsx";

const reasons: Readonly<Record<string, string>> = {
  no_secret: "the source had no secret at that time",
  no_signature: "it had no signature of this provider",
  bad_signature: "no live secret matches the signature: the secret is wrong, or the body was changed on the way",
  bad_timestamp: "the signed timestamp was missing or not a number",
  old_timestamp: "it was signed too long ago, or one of the clocks is wrong",
  reused_signature: "its signature was already used for another event",
  unmapped: "the blueprint maps this type to no event",
  too_many: "it lists more than 2,000 events",
  unreadable: "its body is neither JSON nor a form, or has content that the database can't store",
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

/** The next setup step of a source that has accepted no request yet. @param secret The name of the secret at the provider. */
export function setUpText(source: InboundSource, secret: string): string {
  if (!source.enabled) return `Every request is refused until the source has a secret: ${secret}.`;
  if (source.lastRefusedAt === null) return "No request has arrived yet.";
  return refusesNewestSecret(source)
    ? `No request was accepted yet. The last one was refused: ${reasonText(source.lastRefusal)}.`
    : "No request has arrived since the newest secret was added.";
}

/** Whether the last refusal was after the newest secret was added: earlier refusals say nothing about that secret. */
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
