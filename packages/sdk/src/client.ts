// The client of one project's API. In: project, key, and what the environment provides. Out: entities and sign-in. It
// never reads the environment, and stores everything only in memory.
import { type Approvals, createApprovals } from "./approvals.ts";
import { type BatchOptions, type Performed, type Placed, type Plan, performBatch } from "./batch.ts";
import { createRecords, type Entity } from "./entity.ts";
import { Unauthenticated } from "./errors.ts";
import { createOrganizations, type Organizations } from "./organizations.ts";
import { type Known, queryOf } from "./reading.ts";
import { type Auth, createSession, type Session, type UserOf } from "./session.ts";
import { createSubscription, type OpenStream } from "./subscribe.ts";
import { type Call, createOpener, createTransport, endedBy, type TransportSettings } from "./transport.ts";
import type {
  ActionName,
  AnyProject,
  EntityName,
  InputOf,
  ProjectTypes,
  ResultOf,
  Run,
  TransitionOf,
} from "./types.ts";
import { createUsers, type Users } from "./users.ts";
import { type CallOptions, endOf } from "./writing.ts";

export interface ClientOptions<Types extends ProjectTypes = AnyProject> {
  /**
   * The project's name. The key alone identifies the project; a key of another project is refused (`project_mismatch`).
   */
  readonly project: string;
  /**
   * Which of the project's environments the key is for: `development`, or a preview's name. Without it, production. A key of
   * another environment is refused (`project_mismatch`); the error names both.
   */
  readonly environment?: string;
  /** Publishable in a browser; a secret key belongs on a server. */
  readonly apiKey: string;
  /** The address of the API. The default is the address that `plinth up` and `plinth dev` use on this machine. */
  readonly baseUrl?: string;
  /** Replaces the platform's own `fetch`. */
  readonly fetch?: typeof fetch;
  /**
   * The access token of a user who signed in elsewhere, or a function that returns it. It has priority over a session
   * of this client.
   */
  readonly userToken?: string | (() => string | null | Promise<string | null>);
  /** A session from earlier. */
  readonly session?: Session<UserOf<Types>> | null;
  /** Called at sign-in, refresh and sign-out, so that the app can store the session. */
  readonly onSessionChange?: (session: Session<UserOf<Types>> | null) => void;
  /** The id of the organization for calls. The default is the user's chosen organization. */
  readonly organization?: string | null;
  /** For one attempt of one call; the default is 30,000 ms. */
  readonly timeoutMs?: number;
}

export interface Client<in out Types extends ProjectTypes = AnyProject> {
  readonly entity: <Name extends EntityName<Types>>(name: Name) => Entity<Types, Name>;
  readonly auth: Auth<Types>;
  readonly users: Users<Types>;
  readonly organizations: Organizations;
  /** The same client, with its session, for calls within this organization. */
  readonly inOrganization: (organization: string | null) => Client<Types>;
  /**
   * Calls one of the project's actions. Returns its output or, for an `async` action, the run. With an `idempotencyKey`
   * it takes effect once, and is retried if the connection is lost.
   */
  readonly action: <Name extends ActionName<Types>>(
    name: Name,
    ...sent: CallOf<InputOf<Types, Name>>
  ) => Promise<ResultOf<Types, Name>>;
  /** The progress of a run of an action. @throws NotFound if there is none, or if somebody else started it. */
  readonly run: (id: string, options?: CallOptions) => Promise<Run>;
  /** Approvals that the caller can give. */
  readonly approvals: Approvals;
  /**
   * Runs up to 100 operations on records in one transaction, all or none. Returns the results of the planned operations
   * that the function returns. With an `idempotencyKey` it takes effect once, and is retried if the connection is lost.
   */
  readonly batch: <const Planneds extends readonly Placed[]>(
    build: (plan: Plan<Types>) => Planneds,
    options?: BatchOptions,
  ) => Promise<Performed<Planneds>>;
  /** What the caller can do: one answer for each question, in order. */
  readonly can: <const Asked extends Question<Types>>(
    questions: readonly (Asked & Known<Asked, Question<Types>>)[],
    options?: CallOptions,
  ) => Promise<readonly (Asked & { readonly allowed: boolean })[]>;
}

export interface ActionOptions extends CallOptions {
  /** 1 to 255 characters, kept for 24 hours. */
  readonly idempotencyKey?: string;
}

/** Optional members can be left out. */
type CallOf<Input> =
  Record<never, never> extends Input
    ? [input?: Input, options?: ActionOptions]
    : [input: Input, options?: ActionOptions];

type Operation = "list" | "read" | "create" | "update" | "delete" | "restore";

/** About a record, if it has an `id`; without it: whether the caller can do this to any record. */
export type Question<Types extends ProjectTypes = AnyProject> =
  | {
      readonly [Name in EntityName<Types>]: {
        readonly resource: Name;
        readonly op: Operation | `transition:${TransitionOf<Types, Name>}`;
        readonly id?: string;
      };
    }[EntityName<Types>]
  | { readonly resource: "user" | "organization"; readonly op: Operation; readonly id?: string };

const localUrl = "http://127.0.0.1:4000";

/**
 * A client of a project's API.
 *
 * `createClient<ParcelDesk>(...)` with the interface from the project's `sdk.d.ts` types every call; without it, all
 * names and fields are accepted.
 *
 * @throws TypeError if an option is missing, or if a secret key is used in a browser, where everyone could read it.
 */
export function createClient<Types extends ProjectTypes = AnyProject>(options: ClientOptions<Types>): Client<Types> {
  checkOptions(options);
  const settings: TransportSettings = {
    baseUrl: (options.baseUrl ?? localUrl).replace(/\/+$/, ""),
    // Called unbound: browsers refuse a fetch whose `this` is not the window.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    headers: { authorization: `Bearer ${options.apiKey}`, "plinth-project": projectNameOf(options) },
    timeoutMs: options.timeoutMs ?? 30_000,
  };
  const transport = createTransport(settings);
  const opener = createOpener(settings);
  const session = createSession<Types>(transport, options.session ?? null, options.onSessionChange ?? (() => {}));
  const { userToken } = options;

  const asUser = async <Reply>(
    attempt: (token: string | null) => Promise<Reply>,
    signal?: AbortSignal,
  ): Promise<Reply> => {
    if (userToken !== undefined) {
      return attempt(typeof userToken === "function" ? await endedBy(signal, async () => userToken()) : userToken);
    }
    const token = await endedBy(signal, session.accessToken);
    try {
      return await attempt(token);
    } catch (error) {
      // After a 401 nothing was done, so even a write can be repeated with a new token. Another call may already have
      // fetched it.
      if (token === null || !(error instanceof Unauthenticated) || session.session() === null) throw error;
      const renewed =
        session.session()?.accessToken === token ? await endedBy(signal, session.refresh) : session.session();
      return attempt(renewed?.accessToken ?? null);
    }
  };
  const { accessToken: _, ...auth } = session;
  const within = (organization: string | null): Client<Types> => {
    const scope: Record<string, string> = organization === null ? {} : { "plinth-organization": organization };
    const call = (request: Call): Promise<unknown> =>
      asUser((token) => transport(request, { ...scope, ...userHeader(token) }), request.signal);
    const open =
      (query: URLSearchParams): OpenStream =>
      (lastId, signal) => {
        const from: Record<string, string> = lastId === null ? {} : { "last-event-id": lastId };
        const path = "/v1/events/stream";
        return asUser((token) => opener({ path, query }, { ...scope, ...userHeader(token), ...from }, signal), signal);
      };
    return {
      entity: <Name extends EntityName<Types>>(name: Name): Entity<Types, Name> => ({
        ...createRecords<Types, Name>(name, call),
        subscribe: ({ where, ...more } = {}) => {
          const query = queryOf(where === undefined ? {} : { where });
          query.set("resource", name);
          return createSubscription(open(query), more);
        },
      }),
      auth,
      users: createUsers<Types>(call),
      organizations: createOrganizations(call),
      approvals: createApprovals(call),
      inOrganization: within,
      action: async (name, ...[input, options]) => {
        const path = `/v1/actions/${encodeURIComponent(name)}`;
        const key = options?.idempotencyKey;
        const once = key === undefined ? {} : { idempotencyKey: key };
        const reply = await call({ method: "POST", path, body: input ?? {}, ...once, ...endOf(options) });
        // The generated types describe the result for this name.
        return (reply as { readonly data: never }).data;
      },
      run: async (id, options) => {
        const path = `/v1/runs/${encodeURIComponent(id)}`;
        return ((await call({ method: "GET", path, ...endOf(options) })) as { readonly data: Run }).data;
      },
      batch: (build, options = {}) => performBatch(call, build, options),
      can: async (questions, options) => {
        const asked = { method: "POST", path: "/v1/can", body: questions, isSafe: true, ...endOf(options) } as const;
        return ((await call(asked)) as { readonly data: never }).data;
      },
    };
  };
  return within(options.organization ?? null);
}

/** An environment is named with its project; an id names one environment by itself. */
function projectNameOf({ project, environment }: Pick<ClientOptions, "project" | "environment">): string {
  return environment === undefined || environment === "production" ? project : `${project}--${environment}`;
}

function userHeader(token: string | null): Record<string, string> {
  return token === null ? {} : { "plinth-user-token": token };
}

function checkOptions({
  project,
  environment,
  apiKey,
}: Pick<ClientOptions, "project" | "environment" | "apiKey">): void {
  if (!project) throw new TypeError("createClient: `project` is missing");
  if (!apiKey) throw new TypeError("createClient: `apiKey` is missing");
  if (environment !== undefined && /^prj_|--/.test(project)) {
    throw new TypeError("createClient: `project` names an environment already; leave `environment` out");
  }
  if (environment === "") throw new TypeError("createClient: `environment` is empty");
  if (apiKey.startsWith("plk_sec_") && "window" in globalThis && "document" in globalThis) {
    throw new TypeError("createClient: a secret key must not be used in a browser, where everyone can read it");
  }
}
