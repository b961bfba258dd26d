// What a request and a reply are, and what a module's routes are given. Types alone.
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { LogFilters, ProjectId } from "@plinth/bundle";
import type { SignedCall } from "../identity/authenticator.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import type { CallerPrincipal } from "../project/principal.ts";
import type { Tenant } from "../project/tenant.ts";
import type { CursorCodec } from "../query/cursor.ts";

/** A request as the pipeline takes it, whichever listener it came in by. */
export interface Incoming {
  /** Accepted from `X-Request-Id`, or made. */
  readonly id: string;
  readonly method: string;
  /** Without the query string; still percent-encoded. */
  readonly path: string;
  /** What stands behind `?`, still encoded; empty where nothing does. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** The raw body; null where the request has none. */
  readonly body: Buffer | null;
  readonly ip: string;
  /** What control has to have signed; on the internal listener alone. */
  readonly call?: SignedCall;
}

/** All of a request but its body. */
export type Head = Omit<Incoming, "body">;

/** A request whose head has arrived: its body is read once it is known that it may be sent. */
export interface Arriving extends Head {
  /** Null where the request has no body. @throws Fault `payload_too_large`, `request_timeout`, `unavailable`. */
  readonly readBody: ((reading: { readonly project: string; readonly bytesMax: number }) => Promise<Buffer>) | null;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Text, or what is sent while it is being made. */
  readonly body: string | Buffer | Readable | null;
  /** Of a stream: what it takes in memory until it is read. Default 0. */
  readonly heldBytes?: number;
}

/** What a hand-written module route gets: an authenticated, rate-limited request of a project that has a release. */
export interface ModuleContext {
  readonly incoming: Incoming;
  readonly projectId: ProjectId;
  readonly principal: CallerPrincipal;
  /** The organization that the request is made in; null where it is made in none. */
  readonly organization: string | null;
  readonly release: ActiveRelease;
  readonly tenant: Tenant;
  readonly cursors: CursorCodec;
  readonly inner: InnerRequests;
  /** The ids in the path, in their order and in lower case. */
  readonly ids: readonly string[];
  /** What a log may be filtered by; null where the route takes no query string. */
  readonly filters: LogFilters | null;
}

/** Requests about records that a request is made of. */
export interface InnerRequests {
  /** One by the same caller, judged and answered as it would be by itself, its rows reached by `through`. @throws Fault */
  readonly serve: (incoming: Incoming, through: Tenant) => Promise<Reply>;
  /** Takes so many more requests from what the caller may send: headers that say what is left. @throws Fault `rate_limited`. */
  readonly spend: (requests: number) => Readonly<Record<string, string>>;
}

export type ModuleHandler = (context: ModuleContext) => Promise<Reply>;

/** A module's route for a request. */
export interface ModuleMatch {
  /** Without ids, for logs. */
  readonly pattern: string;
  /** 0: a body is refused. */
  readonly bodyBytesMax: number;
  readonly answer: (context: Omit<ModuleContext, "ids" | "filters">) => Promise<Reply>;
}

/** What a route without a credential gets: its caller is nobody, and its project the one that the address names. */
export type OpenContext = Pick<ModuleContext, "incoming" | "projectId" | "release" | "tenant">;

export interface OpenRoute {
  readonly projectId: ProjectId;
  /** 0: a body is not read. */
  readonly bodyBytesMax: number;
  readonly handler: (context: OpenContext) => Promise<Reply>;
}

/** A page that is the same whichever project is meant. */
export interface OpenPage {
  readonly projectId: null;
  readonly reply: () => Promise<Reply>;
}

/** What has no credential (the JWKS, the reference), limited by address. @throws Fault where the address can't be meant. */
export type MatchOpen = (head: Head) => OpenRoute | OpenPage | null;

/** What providers send, to addresses outside the API; null for every other address. It never throws. */
export type Hooks = (arriving: Arriving) => Promise<HookAnswer | null>;

export interface HookAnswer {
  readonly reply: Reply;
  readonly route: string;
  /** Null unless the request was genuine. */
  readonly projectId: string | null;
  readonly principal: null;
}

export interface ModuleRoutes {
  match(method: string, path: string, release: ActiveRelease): ModuleMatch | null;
  readonly matchOpen?: MatchOpen;
}
