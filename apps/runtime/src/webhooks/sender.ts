// Sends what is due. In: deliveries. Out: calls through the outbound guard, and what came of each. A process that dies leaves a lease
// that ends: the delivery is attempted again under the same id, at least once, and never twice at a time.
import type { ProjectScope } from "@plinth/postgres";
import type { Logger } from "@plinth/service";
import type { Pool } from "pg";
import type { SecretBox } from "../identity/secret-box.ts";
import { type Outbound, OutboundError, type OutboundReply } from "../outbound/call.ts";
import type { ReleaseRegistry } from "../project/active-release.ts";
import { bodyNow } from "./body-now.ts";
import { type BeginAttempt, type Claim, claimDue, createBeginAttempt } from "./claim.ts";
import { type Attempted, createRecordOutcome, type Outcome, type RecordOutcome } from "./record-outcome.ts";
import { rulesOf, type WebhookLimits } from "./rules.ts";
import type { EndpointSecrets } from "./secrets.ts";
import { shownHeaders, signedHeaders } from "./signed-headers.ts";

export interface SenderOptions {
  readonly pool: Pool;
  readonly registry: ReleaseRegistry;
  readonly scopeOf: (projectId: string) => ProjectScope;
  readonly box: SecretBox;
  readonly secrets: EndpointSecrets;
  readonly outbound: Outbound;
  /** The operator's. */
  readonly limits: WebhookLimits;
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly random: () => number;
}

export interface Sender {
  /** Claims what is due and begins to send it. Out: how many. */
  send(): Promise<number>;
  /** Until what is under way has ended. */
  idle(): Promise<void>;
}

/** Attempts of one process at once. */
const PLACES = 200;
const CALL_MS_MAX = 15_000;

export function createSender(options: SenderOptions, onFree: () => void = () => {}): Sender {
  const underWay = new Set<Promise<void>>();
  const sending: Sending = {
    ...options,
    beginAttempt: createBeginAttempt(options.pool),
    recordOutcome: createRecordOutcome(options),
  };
  return {
    async send() {
      const free = PLACES - underWay.size;
      if (free <= 0) return 0;
      const claims = await claimDue(options.pool, free, options.limits);
      for (const claim of claims) {
        const going = attempt(sending, claim).catch((error: unknown) => {
          // Its lease ends, and it is attempted again.
          options.logger.error({ err: error, projectId: claim.project_id }, "a webhook could not be attempted");
        });
        underWay.add(going);
        void going.then(() => {
          underWay.delete(going);
          onFree();
        });
      }
      return claims.length;
    },
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

interface Sending extends SenderOptions {
  readonly beginAttempt: BeginAttempt;
  readonly recordOutcome: RecordOutcome;
}

async function attempt(options: Sending, claim: Claim): Promise<void> {
  const { outbound, beginAttempt, limits } = options;
  const release = await options.registry.get(claim.project_id);
  const rules = rulesOf(release?.bundle.background.outbound ?? {}, limits);
  const recordOutcome = (attempted: Attempted | null, outcome: Outcome): Promise<void> =>
    options.recordOutcome({ claim, attempted, outcome, rules });
  const body = await bodyNow(options, claim, release);
  if (body === null) return recordOutcome(null, { kind: "revoked" });
  let number: number | null = null;
  let headers: Readonly<Record<string, string>> = {};
  const outcome = await outcomeOf(
    outbound.call(claim.project_id, async () => {
      headers = signedHeaders(await options.secrets.of(claim.endpoint.id), claim.id, body, options.now());
      number = await beginAttempt(claim);
      if (number === null) throw new Lost();
      return { method: "POST", url: claim.url, headers, body, timeoutMs: CALL_MS_MAX };
    }),
  );
  if (outcome === null) return;
  // Without its turn there was no attempt: it waits for the next.
  if (number === null) return recordOutcome(null, { kind: "unsent" });
  await recordOutcome({ number, headers: shownHeaders(headers) }, outcome);
}

/** Another process has the delivery by now, or its endpoint was disabled. */
class Lost extends Error {}

async function outcomeOf(call: Promise<OutboundReply>): Promise<Outcome | null> {
  try {
    return { kind: "answered", reply: await call };
  } catch (error) {
    if (error instanceof Lost) return null;
    if (error instanceof OutboundError) return { kind: "failed", code: error.problem, message: error.message };
    throw error;
  }
}
