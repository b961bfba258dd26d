// Sends what is due. In: deliveries. Out: calls through the outbound guard, and what came of each. A process that dies leaves a lease
// that ends: the delivery is attempted again under the same id, at least once, and never twice at a time.
import type { ProjectScope } from "@plinth/postgres";
import type { Logger } from "@plinth/service";
import type { Pool } from "pg";
import { storedEvent } from "../events/stored-event.ts";
import type { SecretBox } from "../identity/secret-box.ts";
import { signatureHeaders } from "../identity/webhook-signature.ts";
import type { Outbound, OutboundReply } from "../outbound/call.ts";
import { OutboundError } from "../outbound/outbound-error.ts";
import type { ReleaseRegistry } from "../project/active-release.ts";
import { type BeginAttempt, type Claim, claimDue, createBeginAttempt } from "./claim.ts";
import { readerOf } from "./endpoint.ts";
import { judge } from "./judge.ts";
import { bodyContext, bodyOf } from "./message.ts";
import { createRecordOutcome, type Outcome, type RecordOutcome } from "./record-outcome.ts";
import type { EndpointSecrets } from "./secrets.ts";

export interface SenderOptions {
  readonly pool: Pool;
  readonly registry: ReleaseRegistry;
  readonly scopeOf: (projectId: string) => ProjectScope;
  readonly box: SecretBox;
  readonly secrets: EndpointSecrets;
  readonly outbound: Outbound;
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
      const claims = await claimDue(options.pool, free);
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
  const { outbound, beginAttempt, recordOutcome } = options;
  const body = await bodyNow(options, claim);
  if (body === null) return recordOutcome(claim, null, { kind: "revoked" });
  let number: number | null = null;
  let headers: Readonly<Record<string, string>> = {};
  const outcome = await outcomeOf(
    outbound.call(claim.project_id, async () => {
      const secrets = await options.secrets.of(claim.endpoint.id);
      const signed = signatureHeaders(secrets, { key: `msg_${claim.id}`, atMs: options.now(), body });
      headers = { "user-agent": "Plinth-Webhooks", "content-type": "application/json", ...signed };
      number = await beginAttempt(claim);
      if (number === null) throw new Lost();
      return { method: "POST", url: claim.url, headers, body, timeoutMs: CALL_MS_MAX, keepFor: claim.endpoint.id };
    }),
  );
  if (outcome === null) return;
  // Without its turn there was no attempt: it waits for the next.
  if (number === null) return recordOutcome(claim, null, { kind: "unsent" });
  const { "webhook-signature": _, ...shown } = headers;
  await recordOutcome(claim, { number, headers: shown }, outcome);
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
