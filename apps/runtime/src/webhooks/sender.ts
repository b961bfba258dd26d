// Sends due deliveries. In: deliveries. Out: calls through the outbound guard, and their outcomes. If a process dies,
// its lease ends, and the delivery is repeated under the same id: at least once, and never twice at the same time.
import { randomUUID } from "node:crypto";
import type { ProjectScope } from "@plinth/postgres";
import type { Logger } from "@plinth/service";
import type { Pool } from "pg";
import type { SecretBox } from "../identity/secret-box.ts";
import type { Outbound, OutboundReply, OutboundRequest } from "../outbound/call.ts";
import { OutboundError } from "../outbound/outbound-error.ts";
import type { ReleaseRegistry } from "../project/active-release.ts";
import { bodyNow } from "./body-now.ts";
import {
  type BeginAttempt,
  type Begun,
  type Claim,
  claimDue,
  createBeginAttempt,
  LEASE_MS,
  releaseEndpoints,
} from "./claim.ts";
import { type CallEnd, createLanes } from "./lanes.ts";
import {
  type Attempted,
  createRecordOutcome,
  type Ended,
  isSuccess,
  type Outcome,
  type RecordOutcome,
} from "./record-outcome.ts";
import { rulesOf, type WebhookLimits } from "./rules.ts";
import { shownHeaders, signedHeaders } from "./signed-headers.ts";

export interface SenderOptions {
  readonly pool: Pool;
  readonly registry: ReleaseRegistry;
  readonly scopeOf: (projectId: string) => ProjectScope;
  readonly box: SecretBox;
  readonly outbound: Outbound;
  /** The operator's limits. */
  readonly limits: WebhookLimits;
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly random: () => number;
}

export interface Sender {
  /** Claims due deliveries and starts to send them. Returns how many. */
  send(): Promise<number>;
  /** Starts nothing more, gives waiting claims back, and resolves when the calls in progress have ended. */
  stop(): Promise<void>;
}

/** Claims that one process holds. Each has its body in memory. */
const HEALTHY_MAX = 256;
/**
 * For endpoints that fail or have not succeeded yet: receivers that don't answer leave most of a process's calls to the
 * others.
 */
const DOUBTFUL_MAX = 100;
const CALL_MS_MAX = 15_000;

/** @param onFree Called when there is room for more claims. */
export function createSender(options: SenderOptions, onFree: () => void = () => {}): Sender {
  const { pool, logger, limits } = options;
  const holder = randomUUID();
  // It is attempted again, but not at once, because the next attempt may fail in the same way.
  const failed = (claim: Claim) => async (error: unknown) => {
    logger.error({ err: error, projectId: claim.project_id }, "a webhook could not be attempted");
    await new Promise((resolve) => setTimeout(resolve, LEASE_MS).unref());
  };
  const recordOutcome = createRecordOutcome(options);
  const sending: Sending = {
    ...options,
    beginAttempt: createBeginAttempt(options),
    recordOutcome: (ended: Ended) => recordOutcome(ended).catch(failed(ended.claim)),
  };
  const lanes = createLanes({
    attempt: (claim) =>
      attempt(sending, claim).catch((error: unknown) => ({ succeeded: true, recorded: failed(claim)(error) })),
    onFree,
  });
  const release = (): Promise<void> => releaseEndpoints(pool, holder, lanes.takeIdle());
  return {
    async send() {
      await release();
      const held = lanes.held();
      const claims = await claimDue(pool, {
        holder,
        ...held,
        healthy: HEALTHY_MAX - held.healthy,
        doubtful: DOUBTFUL_MAX - held.doubtful,
        concurrencyMax: limits.concurrencyMax,
      });
      lanes.add(claims);
      return claims.length;
    },
    async stop() {
      const stopped = lanes.stop();
      await release().catch(() => {});
      await stopped;
      // The pool may be closed by then: leases end by themselves.
      await release().catch(() => {});
    },
  };
}

interface Sending extends SenderOptions {
  readonly beginAttempt: BeginAttempt;
  readonly recordOutcome: RecordOutcome;
}

/** Resolves when the call has ended, and its outcome is being recorded. */
async function attempt(options: Sending, claim: Claim): Promise<CallEnd> {
  const { outbound, beginAttempt, limits } = options;
  const release = await options.registry.get(claim.project_id);
  const rules = rulesOf(release?.bundle.background.outbound ?? {}, limits, release?.bundle.background.events);
  const recordOutcome = (attempted: Attempted | null, outcome: Outcome): Promise<void> =>
    options.recordOutcome({ claim, attempted, outcome, rules });
  const body = await bodyNow(options, claim, release);
  if (body === null) return { succeeded: true, recorded: recordOutcome(null, { kind: "revoked" }) };
  let begun: Begun | null = null;
  let headers: Readonly<Record<string, string>> = {};
  const outcome = await outcomeOf(
    outbound.call(claim.project_id, async () => {
      const begin = async (): Promise<OutboundRequest["headers"]> => {
        begun = await beginAttempt(claim);
        if (begun === null) throw new Lost();
        headers = signedHeaders(begun.secrets, claim.id, body, options.now());
        return headers;
      };
      const { url, endpoint } = claim;
      return { method: "POST", url, headers, body, timeoutMs: CALL_MS_MAX, keepFor: endpoint.id, begin };
    }),
  );
  if (outcome === null) return { succeeded: false, recorded: Promise.resolve() };
  // It didn't get its turn, so there was no attempt: it waits for the next.
  if (begun === null) return { succeeded: false, recorded: recordOutcome(null, { kind: "unsent" }) };
  return {
    succeeded: isSuccess(outcome),
    recorded: recordOutcome({ number: (begun as Begun).number, headers: shownHeaders(headers) }, outcome),
  };
}

/** Another process has the delivery now, or its endpoint was disabled. */
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
