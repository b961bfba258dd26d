// Sends what is due. In: deliveries. Out: calls through the outbound guard, and what came of each. A process that dies leaves a lease
// that ends: the delivery is attempted again under the same id, at least once, and never twice at a time.
import { randomUUID } from "node:crypto";
import type { ProjectScope } from "@plinth/postgres";
import type { Logger } from "@plinth/service";
import type { Pool } from "pg";
import { storedEvent } from "../events/stored-event.ts";
import type { SecretBox } from "../identity/secret-box.ts";
import { signatureHeaders } from "../identity/webhook-signature.ts";
import type { Outbound, OutboundReply } from "../outbound/call.ts";
import { OutboundError } from "../outbound/outbound-error.ts";
import type { ReleaseRegistry } from "../project/active-release.ts";
import {
  type BeginAttempt,
  type Begun,
  type Claim,
  claimDue,
  createBeginAttempt,
  LEASE_MS,
  releaseEndpoints,
} from "./claim.ts";
import { readerOf } from "./endpoint.ts";
import { judge } from "./judge.ts";
import { type CallEnd, createLanes } from "./lanes.ts";
import { bodyContext, bodyOf } from "./message.ts";
import { createRecordOutcome, isSuccess, type Outcome, type RecordOutcome } from "./record-outcome.ts";

export interface SenderOptions {
  readonly pool: Pool;
  readonly registry: ReleaseRegistry;
  readonly scopeOf: (projectId: string) => ProjectScope;
  readonly box: SecretBox;
  readonly outbound: Outbound;
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly random: () => number;
}

export interface Sender {
  /** Claims what is due and begins to send it. Out: how many. */
  send(): Promise<number>;
  /** Begins nothing more, gives back what waits, and resolves when what is under way has ended. */
  stop(): Promise<void>;
}

/** Claims that one process holds: each has its body in memory. */
const HEALTHY_MAX = 256;
/** Of endpoints that fail or have not succeeded yet: receivers that stay silent leave the others most of a process's calls. */
const DOUBTFUL_MAX = 100;
const CALL_MS_MAX = 15_000;

/** @param onFree There is room for more claims. */
export function createSender(options: SenderOptions, onFree: () => void = () => {}): Sender {
  const { pool, logger } = options;
  const holder = randomUUID();
  // It is attempted again, and not at once: the next time may fail as this one did.
  const failed = (claim: Claim) => async (error: unknown) => {
    logger.error({ err: error, projectId: claim.project_id }, "a webhook could not be attempted");
    await new Promise((resolve) => setTimeout(resolve, LEASE_MS).unref());
  };
  const recordOutcome = createRecordOutcome(options);
  const sending: Sending = {
    ...options,
    beginAttempt: createBeginAttempt(options),
    recordOutcome: (claim, attempted, outcome) => recordOutcome(claim, attempted, outcome).catch(failed(claim)),
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
  const { outbound, beginAttempt, recordOutcome } = options;
  const body = await bodyNow(options, claim);
  if (body === null) return { succeeded: true, recorded: recordOutcome(claim, null, { kind: "revoked" }) };
  let begun: Begun | null = null;
  let headers: Readonly<Record<string, string>> = {};
  const outcome = await outcomeOf(
    outbound.call(claim.project_id, async () => {
      begun = await beginAttempt(claim);
      if (begun === null) throw new Lost();
      const signed = signatureHeaders(begun.secrets, { key: `msg_${claim.id}`, atMs: options.now(), body });
      headers = { "user-agent": "Plinth-Webhooks", "content-type": "application/json", ...signed };
      return { method: "POST", url: claim.url, headers, body, timeoutMs: CALL_MS_MAX, keepFor: claim.endpoint.id };
    }),
  );
  if (outcome === null) return { succeeded: false, recorded: Promise.resolve() };
  // Without its turn there was no attempt: it waits for the next.
  if (begun === null) return { succeeded: false, recorded: recordOutcome(claim, null, { kind: "unsent" }) };
  const { "webhook-signature": _, ...shown } = headers;
  return {
    succeeded: isSuccess(outcome),
    recorded: recordOutcome(claim, { number: (begun as Begun).number, headers: shown }, outcome),
  };
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

/**
 * What was sealed at the event, as far as its reader may see it now. An endpoint of the project's own is not looked at again while
 * the same release is live.
 * @returns Null where it may not be sent any more.
 */
async function bodyNow(options: SenderOptions, claim: Claim): Promise<string | null> {
  const { box, registry, scopeOf } = options;
  const { project_id: project, endpoint } = claim;
  const sealed = box.open(claim.body, bodyContext(project, claim.id)).toString("utf8");
  if (claim.event_id === null) return sealed;
  const release = await registry.get(project);
  if (release === null) return null;
  const isOwn = endpoint.owner_kind === null;
  if (isOwn && release.releaseId === claim.release_id) return sealed;
  return scopeOf(project).transaction(async (open) => {
    const ask = async (text: string, values: readonly string[]) => (await open.query(text, values)).rows;
    const reader = await readerOf(ask, release, endpoint);
    if (reader === null) return null;
    const { rows } = await open.query(
      `select (select row_to_json(_x) from (select _e."id", _e."seq"::text as seq, _e."name", _e."entity", _e."record_id", _e."organization_id",
         _e."actor_kind", _e."actor_id", _e."request_id", to_char(_e."at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at) _x)::text
       from ${release.schema}."workers__events" _e where _e."id" = $1::uuid`,
      [claim.event_id],
    );
    const [json = null] = rows[0] ?? [];
    // The event is kept no longer: what its reader may see of it can't be asked any more.
    if (json === null) return isOwn ? sealed : null;
    const event = storedEvent(JSON.parse(json));
    const { subject_entity: entity, subject_id: id } = claim;
    const subject = entity === null || id === null ? null : { entity, id };
    const sight = await judge(open, release, reader, { event, subject, only: claim.fields });
    return sight === null ? null : bodyOf(project, event, endpoint, reader, sight);
  });
}
