// Receives requests of providers: `POST /hooks/<project>/<source>`, or a GET that asks whether the address is ours. In:
// a request without a credential. Out: 200 once it is durable. Nobody outside learns whether the project, the source or
// the signature was wrong: all get the same 404.
import { type BundleInbound, isProjectId, type ProjectId } from "@plinth/bundle";
import { type Clock, type FairQueue, Fault, type Logger } from "@plinth/service";
import type { Arriving, HookAnswer, Hooks, Reply } from "../../http/contracts.ts";
import { createRateLimiter, type RateLimit } from "../../http/rate-limiter.ts";
import { respondWithFault } from "../../http/stages/respond.ts";
import { networkOf } from "../../identity/attempt-limit.ts";
import type { ActiveRelease, ReleaseRegistry } from "../../project/active-release.ts";
import { challengeReply, openReply, subscriptionReply } from "./handshake.ts";
import type { PaypalVerifier } from "./paypal.ts";
import { headersOf, type Provider, providerOf } from "./providers.ts";
import { itemsAt, type ReadRequest, readRequest, textAt } from "./request-value.ts";
import type { SourceSecrets } from "./secrets.ts";
import type { InboundStore, Kept, Received } from "./store.ts";
import { type StoredHeaders, storedHeaders } from "./stored-headers.ts";
import { type Refusal, verifyRequest } from "./verify.ts";

export interface HooksOptions {
  readonly registry: Pick<ReleaseRegistry, "get">;
  readonly secrets: Pick<SourceSecrets, "textsOf">;
  readonly store: Pick<InboundStore, "keep" | "keepList" | "keepRefusal">;
  readonly paypal: PaypalVerifier;
  /** For work that needs the database: projects share its connections fairly. */
  readonly turns: Pick<FairQueue, "run">;
  /** The operator's limits. */
  readonly limits: InboundLimits;
  readonly publicUrl: string;
  /** Processes a mail provider's report about mails; other requests are ignored. A repeated report changes nothing. */
  readonly reportMail: (projectId: string, verify: BundleInbound["verify"], value: unknown) => Promise<void>;
  /** Called when there may be an event. */
  readonly onEvent: () => void;
  /** UUID v7, increasing. */
  readonly newId: () => string;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface InboundLimits {
  /** Genuine requests of one source, in the long run; twice as many at once. */
  readonly perSecond: number;
  readonly bodyBytesMax: number;
  /** Maximum stored requests of one project. Beyond it, the oldest are deleted. */
  readonly rowsMax: number;
  /** How long they are stored. */
  readonly days: number;
}

export const defaultInboundLimits: InboundLimits = {
  perSecond: 500,
  bodyBytesMax: 1_048_576,
  rowsMax: 100_000,
  days: 30,
};

const ADDRESS = /^\/hooks\/([a-z0-9_-]{1,64})\/([A-Za-z0-9_-]{1,100})$/;
/**
 * For one network and address. Many customers of one provider share its network. If one of them has it send to another
 * customer's address, this must not use up what that customer's genuine requests need. So the limit is only the
 * acceptable cost of verification.
 */
const REFUSED: RateLimit = { perSecond: 20, burst: 500 };
/** For tokens that are only compared, for one network and address: here a refusal is a guess. */
const GUESSES: RateLimit = { perSecond: 5, burst: 50 };
/** Refusals that are stored for people to see. */
const KEPT_REFUSALS: RateLimit = { perSecond: 1, burst: 20 };

export function createHooks(options: HooksOptions): Hooks {
  const { clock, logger, limits } = options;
  const genuine = createRateLimiter({ perSecond: limits.perSecond, burst: 2 * limits.perSecond }, clock);
  const refused = createRateLimiter(REFUSED, clock);
  const guesses = createRateLimiter(GUESSES, clock);
  const keptRefusals = createRateLimiter(KEPT_REFUSALS, clock);

  async function receive(arriving: Arriving, projectId: ProjectId, source: string): Promise<Taken> {
    const stranger = `${networkOf(arriving.ip)} ${projectId}/${source}`;
    requireTurn(refused.take(stranger, 0));
    const body = (await arriving.readBody?.({ project: projectId, bytesMax: limits.bodyBytesMax })) ?? Buffer.alloc(0);
    const judged = await judge(options, arriving, body, projectId, source);
    if (judged.refusal !== null) {
      refused.take(stranger);
      if (judged.known !== null) await keepRefusal(projectId, source, judged.refusal);
      throw new Fault("not_found");
    }
    requireTurn(genuine.take(`${projectId}/${source}`));
    const { known, live, signer } = judged;
    const read = readRequest(headersOf(known.provider, arriving.headers), body);
    const headers = storedHeaders(read.headers, known.provider, live);
    return { ...known, signer, headers, body, query: arriving.query, read };
  }

  async function keepRefusal(projectId: ProjectId, source: string, reason: string): Promise<void> {
    if (!keptRefusals.take(`${projectId}/${source}`).allowed) return;
    await options.turns.run(projectId, () => options.store.keepRefusal(projectId, source, options.newId(), reason));
  }

  /** @throws Fault `not_found`, `rate_limited`. */
  async function greet({ ip, query }: Arriving, projectId: ProjectId, source: string): Promise<Reply> {
    const stranger = `${networkOf(ip)} ${projectId}/${source}`;
    requireTurn(guesses.take(stranger, 0));
    const found = await find(options, projectId, source);
    const reply = found.known?.provider.asksByToken === true ? subscriptionReply(query, found.live) : null;
    if (reply !== null) return reply;
    guesses.take(stranger);
    throw new Fault("not_found");
  }

  return async (arriving) => {
    if (!arriving.path.startsWith("/hooks/")) return null;
    const [, projectId = "", source = ""] = ADDRESS.exec(arriving.path) ?? [];
    try {
      // No project can have such a name, so a quick answer reveals nothing.
      if (!/^(?:GET|HEAD|POST)$/.test(arriving.method) || !isProjectId(projectId)) throw new Fault("not_found");
      const open = openReply(arriving.method, arriving.query);
      if (open !== null) return answerOf(open, null);
      if (arriving.method === "GET") return answerOf(await greet(arriving, projectId, source), projectId);
      const taken = await receive(arriving, projectId, source);
      const challenge = challengeReply(taken.provider, taken.read, taken.signer);
      if (challenge !== null) return answerOf(challenge, projectId);
      const received = eventsIn(taken).map((one) => ({ ...one, id: options.newId(), requestId: arriving.id }));
      const kept = await options.turns.run(projectId, async () => {
        // Before the request is stored: if this fails, the provider sends it again.
        await options.reportMail(projectId, taken.source.verify, taken.read.value);
        return keepAll(options.store, taken.release, received);
      });
      if (kept === "reused") {
        await keepRefusal(projectId, source, "reused_signature");
        throw new Fault("not_found");
      }
      options.onEvent();
      return answerOf(RECEIVED, projectId);
    } catch (error) {
      const fault = error instanceof Fault ? error : new Fault("unavailable", { cause: error });
      if (fault !== error) logger.error({ err: error, request_id: arriving.id }, "an inbound webhook was not stored");
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
  /** The secret that signed it. */
  readonly signer: () => string;
  /** Those that are stored. */
  readonly headers: StoredHeaders;
  readonly body: Buffer;
  readonly query: string;
  readonly read: ReadRequest;
}

interface Found {
  readonly known: Known | null;
  /** The source's secrets. */
  readonly live: readonly string[];
}

type Judged =
  | { readonly refusal: null; readonly known: Known; readonly live: readonly string[]; readonly signer: () => string }
  | { readonly refusal: Refusal | "no_secret"; readonly known: Known | null };

/** A missing source costs the same as an existing one: the look-up of its secrets. */
async function find({ registry, secrets, turns }: HooksOptions, projectId: ProjectId, name: string): Promise<Found> {
  const release = await registry.get(projectId);
  const source = release?.bundle.background.inbound?.find((one) => one.name === name) ?? null;
  const provider = source === null ? null : providerOf(source);
  const live = await turns.run(projectId, () => secrets.textsOf(projectId, name));
  return {
    live,
    known: release === null || source === null || provider === null ? null : { release, source, provider },
  };
}

/** A missing source costs the same as an existing one: the look-up of its secrets, and the verification. */
async function judge(
  options: HooksOptions,
  { headers, path, query }: Arriving,
  body: Buffer,
  projectId: ProjectId,
  name: string,
): Promise<Judged> {
  const { known, live } = await find(options, projectId, name);
  const provider = known?.provider ?? STAND_IN;
  const { scheme } = provider;
  const request = {
    headers: headersOf(provider, headers),
    body,
    url: addressOf(options.publicUrl, path, query),
    nowMs: options.clock.now(),
  };
  const refusal =
    scheme === "paypal"
      ? await options.paypal.verify(`${projectId}/${name}`, request, live)
      : verifyRequest(scheme, request, live.length === 0 ? ["no secret"] : live);
  if (known === null || live.length === 0) return { refusal: "no_secret", known };
  if (refusal !== null) return { refusal, known };
  const signed = (secret: string): boolean => scheme !== "paypal" && verifyRequest(scheme, request, [secret]) === null;
  return { refusal, known, live, signer: () => live.find(signed) ?? "" };
}

const STAND_IN = providerOf({ name: "", verify: "github" }) as Provider;

export function addressOf(publicUrl: string, path: string, query = ""): string {
  return publicUrl.replace(/\/$/, "") + path + (query === "" ? "" : `?${query}`);
}

/** Maximum events of one request. A larger request is stored without becoming an event. */
const ITEMS_MAX = 2_000;

/** The request itself, or, if it is a list of events, each of them once. */
function eventsIn(taken: Taken): readonly Omit<Received, "id" | "requestId">[] {
  const { source, provider, read } = taken;
  const each = source.each ?? (source.type?.startsWith("item.") === true ? provider.each : undefined);
  const items = each === undefined ? null : itemsAt(read, each, ITEMS_MAX);
  if (items === null || items.length === 0) return [receivedOf(taken, read, taken.body)];
  if (items === "too_many") return [{ ...receivedOf(taken, read, taken.body), event: null, unmapped: "too_many" }];
  const received = items.map((item, at) => ({
    ...receivedOf(taken, { ...read, item }, Buffer.from(item.json)),
    json: item.json,
    // One signature covers all of them, so only one row stores it.
    ...(at === 0 ? {} : { proof: null }),
  }));
  return [...new Map(received.map((one) => [one.key, one])).values()];
}

function keepAll(store: HooksOptions["store"], release: ActiveRelease, received: readonly Received[]): Promise<Kept> {
  const [only, second] = received;
  return only !== undefined && second === undefined ? store.keep(release, only) : store.keepList(release, received);
}

function receivedOf({ source, provider, headers, query }: Taken, read: ReadRequest, body: Buffer) {
  const typeAt = source.type ?? provider.type;
  const keyAt = source.dedupe ?? provider.dedupe;
  const type = typeAt === null ? null : textAt(read, typeAt);
  const ownKey = keyAt === null ? null : textAt(read, keyAt);
  return {
    source: source.name,
    type,
    event: read.json === null ? null : eventOf(source, type),
    key: ownKey === null ? contentKey(provider, type, query, body) : `id ${ownKey}`,
    headers,
    body,
    json: read.json,
    proof: provider.proof === undefined ? null : textAt(read, `headers.${provider.proof}`),
  };
}

/**
 * A request without an id is identified by its content. One body can come with several types, like Shopify's topics.
 */
function contentKey({ scheme }: Provider, type: string | null, query: string, body: Buffer): string {
  const isAddressSigned = scheme !== "paypal" && scheme.algorithm === "form-sha1";
  return JSON.stringify(["content", type, isAddressSigned ? query : "", body.toString("base64")]);
}

/** The event for a request of this type; null if the source maps it to none. */
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

function answerOf(reply: Reply, projectId: string | null): HookAnswer {
  return { reply, route: "/hooks/:project/:name", projectId, principal: null };
}
