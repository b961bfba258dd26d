// The seams of the data plane: what the HTTP side asks of releases, credentials, modules and the tenant's database.
// In: nothing. Out: types alone. It never holds code, so that either side can change without the other.
import type { IncomingHttpHeaders } from "node:http";
import type { Bundle, ProjectId } from "@plinth/bundle";
import type { Confirmation } from "@plinth/postgres";
import type { CursorCodec } from "../query/cursor.ts";

/** What of a bundle requests are served from. The rest is large and seldom asked for: it stays in the cell's tables. */
export type ServedBundle = Omit<Bundle, "project" | "tests" | "openapi" | "sdkTypes">;

/** What is kept, by name, and whom to tell that it takes more memory now. */
export interface Kept {
  readonly items: Map<string, unknown>;
  readonly grow: (bytes: number) => void;
}

/** The release of a project that answers requests now. A reload makes a new object, so caches die with the old one. */
export interface ActiveRelease {
  readonly projectId: ProjectId;
  readonly slug: string;
  readonly releaseId: string;
  readonly bundle: ServedBundle;
  /** The quoted identifier of the project's schema, ready to stand in SQL. */
  readonly schema: string;
  /** What requests derive from the bundle alone; projects whose bundles are equal share it. */
  readonly plans: Kept;
  /** What they derive for this project: its statements. */
  readonly own: Kept;
}

export interface ReleaseRegistry {
  /**
   * The active release, loaded from the cell's tables on first use (single-flight); null where nothing is deployed.
   * @throws Fault `unavailable` where what is deployed is of a format that this version can't read.
   */
  get(projectId: ProjectId): Promise<ActiveRelease | null>;
  /** The project's name, also where nothing is deployed; null where the cell doesn't know the project. */
  nameOf(projectId: ProjectId): Promise<string | null>;
  /** Reads the tables again, whatever is cached. */
  reload(projectId: ProjectId): Promise<ActiveRelease | null>;
}

/** Who calls. `roles` are expanded by inheritance, sorted, and always hold `public`. */
export type Principal = KeyPrincipal | UserPrincipal | OperatorPrincipal;

export interface KeyPrincipal {
  readonly kind: "key";
  readonly keyId: string;
  readonly keyKind: KeyKind;
  readonly roles: readonly string[];
  readonly user: null;
}

export type KeyKind = "publishable" | "secret";

/** That a user belongs to an organization, and as what. */
export interface Membership {
  readonly organization: string;
  readonly role: string;
  /** Whether the user's requests are made in it where they name none; true for one at most. */
  readonly chosen: boolean;
}

export interface UserPrincipal {
  readonly kind: "user";
  readonly userId: string;
  readonly sessionId: string;
  readonly email: string;
  readonly roles: readonly string[];
  /** The key that stood beside the user's token, if any. */
  readonly keyId: string | null;
  readonly keyKind: KeyKind | null;
  /** Empty where the release has no organizations. */
  readonly memberships: readonly Membership[];
}

/** A person of the console, vouched for by control. */
export interface OperatorPrincipal {
  readonly kind: "operator";
  readonly email: string;
  readonly roles: readonly string[];
  readonly readOnly: boolean;
}

export interface Caller {
  readonly projectId: ProjectId;
  readonly principal: Principal;
}

export interface Authenticator {
  /** @throws Fault `unauthenticated`, `project_mismatch`, `bad_request` (the host), `unavailable`. */
  authenticate(headers: IncomingHttpHeaders, peer: { readonly ip: string }): Promise<Caller>;
}

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
  readonly body: string | null;
}

/** What a hand-written module route gets: an authenticated, rate-limited request of a project that has a release. */
export interface ModuleContext {
  readonly incoming: Incoming;
  readonly projectId: ProjectId;
  readonly principal: Principal;
  /** The organization that the request is made in; null where it is made in none. */
  readonly organization: string | null;
  readonly release: ActiveRelease;
  readonly tenant: Tenant;
  readonly cursors: CursorCodec;
}

export type ModuleHandler = (context: ModuleContext) => Promise<Reply>;
export type OpenHandler = (incoming: Incoming) => Promise<Reply>;

export interface ModuleRoutes {
  /** True where its routes read the query string; to all others, sending one is a fault. */
  readonly readsQuery?: boolean;
  match(method: string, path: string, release: ActiveRelease): ModuleHandler | null;
  /** Routes that carry no credential (the JWKS); limited by IP. */
  matchOpen?(head: Head): OpenHandler | null;
}

/** A row as Postgres wrote it: text or null per column. */
export type TextRow = readonly (string | null)[];

/** See `TenantStatement` in @plinth/postgres. */
export type Lane = "fast" | "earned" | "slow";

export interface TenantRows {
  readonly rows: readonly TextRow[];
  readonly rowCount: number;
  /** There are more rows, which would have made the result too large. */
  readonly cut?: boolean;
}

/** The only door to a project's rows; `forProject` of the tenant scope in @plinth/postgres satisfies it. */
export interface Tenant {
  run(statement: {
    readonly text: string;
    readonly values: readonly (string | null)[];
    readonly lane: Lane;
    /** False for shapes that are seldom repeated: they are not kept prepared. */
    readonly keep?: boolean;
    /** True for what commits. */
    readonly writes?: boolean;
    /** What the slow lane allows it, in milliseconds; the lane's own limit where absent. */
    readonly msMax?: number;
    /** Of a read: rows behind so many bytes are left out; the first one never is. */
    readonly bytesMax?: number;
    /** Asked when its turn has come in the slow lane; what it throws refuses the statement. */
    readonly admit?: () => void;
    /** Asked after it in its transaction: where it answers true, the statement is undone and throws Overtaken. */
    readonly confirm?: Confirmation;
  }): Promise<TenantRows>;
}

export interface Tenants {
  forProject(project: { readonly projectId: ProjectId }): Tenant;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}
