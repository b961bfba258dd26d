// What providers send: `POST /hooks/<project>/<source>`. In: a request without a credential. Out: 200 once it is durable. Whether the
// project, the source or the signature was wrong is told to nobody outside: all are the same 404.
import { type BundleInbound, isProjectId, type ProjectId } from "@plinth/bundle";
import { type Clock, Fault, type Logger } from "@plinth/service";
import type { Arriving, HookAnswer, Hooks, Reply } from "../../http/contracts.ts";
import { createRateLimiter, type RateLimit } from "../../http/rate-limiter.ts";
import { respondWithFault } from "../../http/stages/respond.ts";
import { networkOf } from "../../identity/attempt-limit.ts";
import type { ActiveRelease, ReleaseRegistry } from "../../project/active-release.ts";
import { type Provider, providerOf } from "./providers.ts";
import { type ReadRequest, readRequest, textAt } from "./request-value.ts";
import type { SourceSecrets } from "./secrets.ts";
import type { InboundStore } from "./store.ts";
import { type Refusal, verifyRequest } from "./verify.ts";

export interface HooksOptions {
  readonly registry: Pick<ReleaseRegistry, "get">;
  readonly secrets: Pick<SourceSecrets, "textsOf">;
  readonly store: Pick<InboundStore, "keep" | "keepRefusal">;
  readonly publicUrl: string;
  /** What a provider of mail reports of mails; other requests are passed over. A repeated report changes nothing. */
  readonly reportMail: (projectId: string, verify: BundleInbound["verify"], value: unknown) => Promise<void>;
  /** An event may be there now. */
  readonly onEvent: () => void;
  /** UUID v7, increasing. */
  readonly newId: () => string;
  readonly clock: Clock;
  readonly logger: Logger;
}

const ADDRESS = /^\/hooks\/([a-z0-9_-]{1,64})\/([A-Za-z0-9_-]{1,100})$/;
const BODY_BYTES_MAX = 1_048_576;
/** Of one source of one project, for what is genuine. */
const GENUINE: RateLimit = { perSecond: 500, burst: 1_000 };
/** Of one network and address: what is refused takes nothing from what is genuine and comes from elsewhere. */
const REFUSED: RateLimit = { perSecond: 5, burst: 50 };
/** Refusals that are kept for people to see. */
const KEPT_REFUSALS: RateLimit = { perSecond: 1, burst: 20 };

export function createHooks(options: HooksOptions): Hooks {
  const { clock, logger } = options;
  const genuine = createRateLimiter(GENUINE, clock);
  const refused = createRateLimiter(REFUSED, clock);
  const keptRefusals = createRateLimiter(KEPT_REFUSALS, clock);

  async function receive(arriving: Arriving, projectId: ProjectId, source: string): Promise<Taken> {
    const stranger = `${networkOf(arriving.ip)} ${projectId}/${source}`;
    requireTurn(refused.take(stranger, 0));
    const body = (await arriving.readBody?.({ project: projectId, bytesMax: BODY_BYTES_MAX })) ?? Buffer.alloc(0);
    const judged = await judge(options, arriving, body, projectId, source);
    if (judged.refusal !== null) {
      refused.take(stranger);
      if (judged.known !== null && keptRefusals.take(`${projectId}/${source}`).allowed) {
        await options.store.keepRefusal(projectId, source, options.newId(), judged.refusal);
      }
      throw new Fault("not_found");
    }
    requireTurn(genuine.take(`${projectId}/${source}`));
    return { ...judged.known, body, read: readRequest(arriving.headers, body) };
  }

  return async (arriving) => {
    if (!arriving.path.startsWith("/hooks/")) return null;
    const [, projectId = "", source = ""] = ADDRESS.exec(arriving.path) ?? [];
    try {
      // No project can be called like that, so that a quick answer tells nothing.
      if (arriving.method !== "POST" || !isProjectId(projectId)) throw new Fault("not_found");
      const taken = await receive(arriving, projectId, source);
      const challenge = challengeOf(taken);
      if (challenge !== null) return answerOf(textReply(challenge), projectId);
      // Before the request is kept: where this fails, the provider sends it again.
      await options.reportMail(projectId, taken.source.verify, taken.read.value);
      await options.store.keep(taken.release, { ...receivedOf(taken), id: options.newId(), requestId: arriving.id });
      options.onEvent();
      return answerOf(RECEIVED, projectId);
    } catch (error) {
      const fault = error instanceof Fault ? error : new Fault("unavailable", { cause: error });
      if (fault !== error) logger.error({ err: error, request_id: arriving.id }, "an inbound webhook was not kept");
      return answerOf(respondWithFault(fault, arriving.id), null);
    }
  };
}

interface Known {
  readonly release: ActiveRelease;
  readonly source: BundleInbound;
  readonly provider: Provider;
}

interface Taken extends Known {
  readonly body: Buffer;
  readonly read: ReadRequest;
}

type Judged =
  | { readonly refusal: null; readonly known: Known }
  | { readonly refusal: Refusal | "no_secret"; readonly known: Known | null };

/** A source that isn't there costs what one does: the look for its secrets, and the verification. */
async function judge(
  { registry, secrets, publicUrl, clock }: HooksOptions,
  { headers, path, query }: Arriving,
  body: Buffer,
  projectId: ProjectId,
  name: string,
): Promise<Judged> {
  const release = await registry.get(projectId);
  const source = release?.bundle.background.inbound?.find((one) => one.name === name) ?? null;
  const provider = source === null ? null : providerOf(source);
  const live = await secrets.textsOf(projectId, name);
  const request = { headers, body, url: addressOf(publicUrl, path, query), nowMs: clock.now() };
  const refusal = verifyRequest((provider ?? STAND_IN).scheme, request, live.length === 0 ? ["no secret"] : live);
  const known = release === null || source === null || provider === null ? null : { release, source, provider };
  if (known === null || live.length === 0) return { refusal: "no_secret", known };
  return refusal === null ? { refusal, known } : { refusal, known };
}

const STAND_IN = providerOf({ name: "", verify: "github" }) as Provider;

export function addressOf(publicUrl: string, path: string, query = ""): string {
  return publicUrl.replace(/\/$/, "") + path + (query === "" ? "" : `?${query}`);
}

function challengeOf({ provider: { challenge }, read }: Taken): string | null {
  if (challenge === undefined || textAt(read, "body.type") !== challenge.type) return null;
  return textAt(read, challenge.answer);
}

function receivedOf({ source, provider, read, body }: Taken) {
  const typeAt = source.type ?? provider.type;
  const keyAt = source.dedupe ?? provider.dedupe;
  const type = typeAt === null ? null : textAt(read, typeAt);
  const ownKey = keyAt === null ? null : textAt(read, keyAt);
  return {
    source: source.name,
    type,
    event: read.json === null ? null : eventOf(source, type),
    // What has no id of its own is told apart by what it says.
    key: ownKey === null ? `body ${body.toString("base64")}` : `id ${ownKey}`,
    headers: read.headers,
    body,
    json: read.json,
  };
}

/** What a request of this type becomes; null where the source maps it to nothing. */
export function eventOf({ events = {} }: BundleInbound, type: string | null): string | null {
  return type !== null && Object.hasOwn(events, type) ? (events[type] ?? null) : null;
}

function requireTurn({ allowed, retryAfterSeconds }: { allowed: boolean; retryAfterSeconds: number }): void {
  if (!allowed) throw new Fault("rate_limited", { headers: { "retry-after": String(Math.max(1, retryAfterSeconds)) } });
}

const RECEIVED: Reply = {
  status: 200,
  headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
  body: '{"received":true}',
};

function textReply(body: string): Reply {
  return {
    status: 200,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
    body,
  };
}

function answerOf(reply: Reply, projectId: string | null): HookAnswer {
  return { reply, route: "/hooks/:project/:name", projectId, principal: null };
}
