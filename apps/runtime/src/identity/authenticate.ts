// Finds out who calls, and in which project. In: a request's headers and its IP. Out: a project and a principal, or a
// Fault. It never takes a role from the caller, and asks the database only for what memory doesn't have.

import type { IncomingHttpHeaders } from "node:http";
import { apiKeyIsWellFormed, environmentOfSlug, hashApiKey, type ProjectId } from "@plinth/bundle";
import { orUnavailable } from "@plinth/postgres";
import { FairQueue, Fault } from "@plinth/service";
import type { ActiveRelease, ReleaseRegistry } from "../project/active-release.ts";
import { organizationTables } from "../project/organization-tables.ts";
import type { Caller, KeyPrincipal } from "../project/principal.ts";
import { type AttemptLimit, networkOf } from "./attempt-limit.ts";
import type { Authenticator } from "./authenticator.ts";
import type { KeyRecord, KeyStore } from "./key-store.ts";
import { type HostProject, type ProjectOfHost, requireHostOf, requireWellFormed } from "./project-host.ts";
import { expandRoles, USER_ROLES } from "./roles.ts";
import type { Usage } from "./usage.ts";
import type { SessionUser, UserStore } from "./user-store.ts";
import type { TokenSubject, UserTokens } from "./user-token.ts";

export interface AuthenticatorOptions {
  readonly keys: KeyStore;
  readonly tokens: UserTokens;
  readonly users: UserStore;
  readonly registry: ReleaseRegistry;
  readonly usage: Usage;
  readonly projectOfHost: ProjectOfHost;
  /** Per network, counts credentials that memory doesn't know. Valid ones are not counted. */
  readonly unknownLimit: AttemptLimit;
  /** Milliseconds since 1970; for the expiry of keys. */
  readonly now: () => number;
}

const USER_TOKEN_HEADER = "plinth-user-token";
const PROJECT_HEADER = "plinth-project";
const BEARER = /^bearer +([^\s]+)$/i;

interface Parts extends AuthenticatorOptions {
  /**
   * For addresses that have sent too many wrong tokens: one look-up at a time, so that a valid token among them is
   * still found.
   */
  readonly tokenTurns: FairQueue;
}

export function createAuthenticator(given: AuthenticatorOptions): Authenticator {
  const { usage } = given;
  const tokenTurns = new FairQueue({
    places: 2,
    placesPerProject: 1,
    waitingMax: 50,
    waitMsMax: 2_000,
    refusal: () => tooManyUnknown(1),
  });
  const options: Parts = { ...given, tokenTurns };

  async function authenticate(headers: IncomingHttpHeaders, { ip }: { readonly ip: string }): Promise<Caller> {
    const byHost = options.projectOfHost(headers.host ?? "");
    const { caller, keyId } = fromMemory(options, headers, byHost) ?? (await lookUp(options, headers, ip, byHost));
    usage.note(caller.projectId, keyId);
    return caller;
  }
  return { authenticate };
}

interface Found {
  readonly caller: Caller;
  readonly keyId: string | null;
}

/** The usual case, without a wait: everything was looked up before and is still valid. Null: memory can't decide. */
function fromMemory(options: Parts, headers: IncomingHttpHeaders, byHost: HostProject): Found | null {
  const { keys, tokens, users, registry } = options;
  const bearer = BEARER.exec(headers.authorization ?? "")?.[1];
  const userToken = headers[USER_TOKEN_HEADER];
  if (bearer === undefined || Array.isArray(userToken)) return null;
  const isKey = bearer.startsWith("plk_");
  if (!isKey && userToken !== undefined) return null;
  const key = isKey ? keys.peek(hashApiKey(bearer)) : null;
  const token = isKey ? userToken : bearer;
  const subject = token === undefined ? null : tokens.peek(token);
  if (key === undefined || subject === undefined || hasExpired(key, options.now())) return null;
  if (key !== null && subject !== null && key.projectId !== subject.projectId) return null;
  const release = registry.peek((key?.projectId ?? subject?.projectId) as ProjectId);
  if (release === undefined) return null;
  if (byHost !== "none" && byHost !== release.projectId) return null;
  const named = headers[PROJECT_HEADER];
  if (named !== undefined && named !== release.projectId && named !== release.slug) return null;
  if (subject === null) return key === null ? null : { caller: keyCaller(key, release), keyId: key.keyId };
  const user = users.peek(subject, organizationTables(release));
  return user === undefined ? null : { caller: userCaller(subject, user, key, release), keyId: key?.keyId ?? null };
}

async function lookUp(options: Parts, headers: IncomingHttpHeaders, ip: string, byHost: HostProject): Promise<Found> {
  const { registry } = options;
  requireWellFormed(byHost);
  const bearer = bearerOf(headers);
  const userToken = headers[USER_TOKEN_HEADER];
  if (Array.isArray(userToken)) throw unauthenticated("The header Plinth-User-Token is sent twice.");
  const key = bearer.startsWith("plk_") ? await findKey(options, bearer, ip) : null;
  if (key === null && userToken !== undefined) {
    throw unauthenticated("Authorization and Plinth-User-Token both contain a user's token. Send only one.");
  }
  const [token, texts] = key === null ? [bearer, bearerTexts] : [userToken, userTokenTexts];
  const subject = token === undefined ? null : await findSubject(options, token, texts, ip);
  if (key !== null && subject !== null && subject.projectId !== key.projectId) throw new Fault("project_mismatch");
  const projectId = (key?.projectId ?? subject?.projectId) as ProjectId;
  requireHostOf(projectId, byHost);
  const release = await orUnavailable(registry.get(projectId));
  await crossCheck(registry, headers[PROJECT_HEADER], projectId, release);
  const keyId = key?.keyId ?? null;
  if (subject === null) return { caller: keyCaller(key as KeyRecord, release), keyId };
  // Without a release, the schema has no sessions.
  if (release === null) throw unauthenticated(texts.notValid);
  const organizations = organizationTables(release);
  const user =
    options.users.peek(subject, organizations) ?? (await orUnavailable(options.users.get(subject, organizations)));
  if (user === null) {
    options.tokens.end(token as string, subject);
    options.unknownLimit.take(networkOf(ip));
    throw unauthenticated(texts.ended);
  }
  return { caller: userCaller(subject, user, key, release), keyId };
}

function bearerOf(headers: IncomingHttpHeaders): string {
  const match = BEARER.exec(headers.authorization ?? "");
  if (match?.[1] === undefined) throw unauthenticated("Send an API key as `Authorization: Bearer <key>`.");
  return match[1];
}

async function findKey(options: Parts, text: string, ip: string): Promise<KeyRecord> {
  if (!apiKeyIsWellFormed(text)) throw unauthenticated("This is not an API key.");
  const hash = hashApiKey(text);
  const key = options.keys.peek(hash) ?? (await findUnknownKey(options, hash, ip));
  if (key === null) throw unauthenticated("This API key is unknown or revoked.");
  if (hasExpired(key, options.now())) throw unauthenticated("This API key has expired.");
  return key;
}

function findUnknownKey(options: Parts, hash: string, ip: string): Promise<KeyRecord | null> {
  const { keys } = options;
  return limited(
    options,
    ip,
    () => keys.load(hash),
    // A key that is found like this is cached like any other, so its next request needs no look-up.
    async () => ((await keys.findSeldom(hash, networkOf(ip))) === null ? null : keys.load(hash)),
  );
}

/** The messages about a user's token, for the header that contains it. */
interface TokenTexts {
  /** The same for every invalid token, so that it does not show what exists. */
  readonly notValid: string;
  readonly ended: string;
}

const bearerTexts: TokenTexts = {
  notValid: "The API key or access token in Authorization is invalid or has expired.",
  ended: "This session has ended.",
};
const userTokenTexts: TokenTexts = {
  notValid: "The access token in Plinth-User-Token is invalid or has expired. Refresh it, or sign in again.",
  ended: "The session of the token in Plinth-User-Token has ended. Sign in again.",
};

function hasExpired(key: KeyRecord | null, now: number): boolean {
  return key !== null && key.expiresAt !== null && key.expiresAt.getTime() <= now;
}

async function findSubject(options: Parts, token: string, texts: TokenTexts, ip: string): Promise<TokenSubject> {
  if (options.tokens.hasEnded(token)) {
    requireAttempt(options, networkOf(ip));
    throw unauthenticated(texts.ended);
  }
  const seldom = (): Promise<TokenSubject | null> =>
    options.tokenTurns.run(networkOf(ip), () => options.tokens.verify(token));
  const subject =
    options.tokens.peek(token) ?? (await limited(options, ip, () => options.tokens.verify(token), seldom));
  if (subject === null) throw unauthenticated(texts.notValid);
  return subject;
}

/**
 * Looking up an unknown credential takes work, so failures are counted by network. A network with too many failures
 * gets its further look-ups through `seldom`, because a valid credential of somebody else may be among them.
 */
async function limited<T>(
  options: Parts,
  ip: string,
  work: () => Promise<T | null>,
  seldom: () => Promise<T | null>,
): Promise<T | null> {
  const network = networkOf(ip);
  const wait = options.unknownLimit.take(network);
  if (wait > 0) {
    const found = await orUnavailable(seldom());
    if (found === null) throw tooManyUnknown(wait);
    return found;
  }
  let refund = true;
  try {
    const found = await orUnavailable(work());
    refund = found !== null;
    return found;
  } finally {
    if (refund) options.unknownLimit.refund(network);
  }
}

/** @throws Fault `rate_limited`. */
function requireAttempt(options: Parts, network: string): void {
  const wait = options.unknownLimit.take(network);
  if (wait > 0) throw tooManyUnknown(wait);
}

function tooManyUnknown(seconds: number): Fault {
  return new Fault("rate_limited", {
    detail: "Too many unknown credentials came from this address.",
    headers: { "Retry-After": String(seconds) },
  });
}

async function crossCheck(
  registry: ReleaseRegistry,
  named: string | string[] | undefined,
  projectId: ProjectId,
  release: ActiveRelease | null,
): Promise<void> {
  if (named === undefined || named === projectId || (release !== null && named === release.slug)) return;
  // Before the first release only the cell's table has the name.
  const name = release === null ? await orUnavailable(registry.nameOf(projectId)) : release.slug;
  if (name === null || name !== named) {
    throw new Fault("project_mismatch", { detail: mismatchOf(name, named) });
  }
}

/** The holder of a credential may know which project it is for. The name in the request is their own input. */
function mismatchOf(name: string | null, named: string | readonly string[]): string {
  const own = name === null ? null : environmentOfSlug(name);
  const requested = typeof named === "string" ? environmentOfSlug(named) : null;
  if (own === null || requested?.project !== own.project) return "The credential is for another project.";
  return `The credential is for the environment ${own.environment} of ${own.project}; the request names ${requested.environment}.`;
}

/** The roles of a key, with the roles that they include. */
export function rolesOfKey(
  { kind, role }: Pick<KeyRecord, "kind" | "role">,
  release: ActiveRelease | null,
): readonly string[] {
  return expandRoles(release, kind === "secret" ? [role ?? "admin"] : []);
}

function keyCaller(key: KeyRecord, release: ActiveRelease | null): Caller {
  const roles = rolesOfKey(key, release);
  const principal: KeyPrincipal = { kind: "key", keyId: key.keyId, keyKind: key.kind, roles, user: null };
  return { projectId: key.projectId, principal };
}

function userCaller(subject: TokenSubject, user: SessionUser, key: KeyRecord | null, release: ActiveRelease): Caller {
  const { projectId, userId, sessionId } = subject;
  const roles = expandRoles(release, [...USER_ROLES, ...user.roles]);
  const keyId = key?.keyId ?? null;
  const keyKind = key?.kind ?? null;
  const { email, memberships } = user;
  return { projectId, principal: { kind: "user", userId, sessionId, email, roles, keyId, keyKind, memberships } };
}

function unauthenticated(detail: string): Fault {
  return new Fault("unauthenticated", { detail, headers: { "WWW-Authenticate": "Bearer" } });
}
