// The types of requests and replies, and the input of a module's routes.
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { LogFilters, ProjectId } from "@plinth/bundle";
import type { SignedCall } from "../identity/authenticator.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import type { CallerPrincipal } from "../project/principal.ts";
import type { Tenant } from "../project/tenant.ts";
import type { CursorCodec } from "../query/cursor.ts";

/** A request as the pipeline takes it, from any listener. */
export interface Incoming {
  /** Accepted from `X-Request-Id`, or generated. */
  readonly id: string;
  readonly method: string;
  /** Without the query string; still percent-encoded. */
  readonly path: string;
  /** The part after `?`, still encoded; empty if there is none. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** The raw body; null if the request has none. */
  readonly body: Buffer | null;
  readonly ip: string;
  /** The call that control must have signed; only on the internal listener. */
  readonly call?: SignedCall;
}

/** A request without its body. */
export type Head = Omit<Incoming, "body">;

/** A request whose head has arrived. Its body is read once it is known that the caller may send it. */
export interface Arriving extends Head {
  /** Null if the request has no body. @throws Fault `payload_too_large`, `request_timeout`, `unavailable`. */
  readonly readBody: ((reading: { readonly project: string; readonly bytesMax: number }) => Promise<Buffer>) | null;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Text, or a stream that is sent while it is produced. */
  readonly body: string | Buffer | Readable | null;
  /** The memory that a stream takes until it is read. Default 0. */
  readonly heldBytes?: number;
}

/** The input of a module's handler: an authenticated, rate-limited request of a project that has a release. */
export interface ModuleContext {
  readonly incoming: Incoming;
  readonly projectId: ProjectId;
  readonly principal: CallerPrincipal;
  /** The organization in which the request is made; null if there is none. */
  readonly organization: string | null;
  readonly release: ActiveRelease;
  readonly tenant: Tenant;
  readonly cursors: CursorCodec;
  readonly inner: InnerRequests;
  /** The ids in the path, in their order and in lower case. */
  readonly ids: readonly string[];
  /** The filters of a log; null if the route takes no query string. */
  readonly filters: LogFilters | null;
}

/** Runs requests about records within a request. */
export interface InnerRequests {
  /**
   * Runs one request of the same caller. It is judged and answered like a request of its own, and reaches rows through
   * `through`. @throws Fault
   */
  readonly serve: (incoming: Incoming, through: Tenant) => Promise<Reply>;
  /**
   * Counts this many more requests against the caller's limit, and returns the headers with the rest. @throws Fault
   * `rate_limited`.
   */
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

/** The input of a handler without a credential: it has no caller, and the address names the project. */
export type OpenContext = Pick<ModuleContext, "incoming" | "projectId" | "release" | "tenant">;

export interface OpenRoute {
  readonly projectId: ProjectId;
  /** 0: a body is not read. */
  readonly bodyBytesMax: number;
  readonly handler: (context: OpenContext) => Promise<Reply>;
}

/** A page that is the same for all projects. */
export interface OpenPage {
  readonly projectId: null;
  readonly reply: () => Promise<Reply>;
}

/**
 * Finds routes without a credential (the JWKS, the reference), which are limited by address. @throws Fault if the
 * address can't be right.
 */
export type MatchOpen = (head: Head) => OpenRoute | OpenPage | null;

/** Handles requests of providers, at addresses outside the API; null for every other address. It never throws. */
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
