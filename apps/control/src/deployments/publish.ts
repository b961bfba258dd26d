// The only door to the cells. In: a project's cell and what is asked of it. Out: its answer, or why there is none.
// It never retries: the caller knows what may be asked twice.
import { createHash, randomUUID } from "node:crypto";
import type { ReferringRecords } from "@plinth/blueprint";
import type { ApiKeyKind, ControlSigner, MigrationPlan, SetAside } from "@plinth/bundle";
import { SignJWT } from "jose";
import { z } from "zod";
import type { PlanMeasures } from "../proposals/api.ts";
import type { DeploymentStep } from "./api.ts";

/** Which project on which cell. */
export interface Placement {
  readonly id: string;
  readonly slug: string;
  readonly cellId: string;
  readonly cellUrl: string;
}

/** The cell can't be reached, took too long, or failed by itself; asking again may help. */
export class CellUnavailable extends Error {
  constructor(cause?: unknown) {
    super("The cell did not answer.", { cause });
    this.name = "CellUnavailable";
  }
}

/** The cell refused: asking the same again won't help. */
export class CellRefused extends Error {
  readonly status: number;
  /** The problem's code and its public text. */
  readonly code: string;
  readonly detail: string;

  constructor(status: number, code: string, detail: string) {
    super(`The cell refused: ${status} ${code}`);
    this.name = "CellRefused";
    this.status = status;
    this.code = code;
    this.detail = detail;
  }
}

export interface ReleaseState {
  readonly status: "received" | "migrating" | "active" | "failed" | "superseded";
  readonly error: string | null;
  /** Whether it does nothing more by itself. */
  readonly finished: boolean;
  readonly steps: readonly DeploymentStep[];
}

/** A project's schema beside what its last release left, and what is kept of what was dropped. */
export interface SchemaState {
  readonly drift: readonly { readonly path: string; readonly expected: string | null; readonly found: string | null }[];
  readonly setAside: readonly SetAside[];
}

interface CellStatus {
  readonly activeReleaseId: string | null;
  readonly bundleHash: string | null;
  readonly firstRequestAt: string | null;
  readonly lastRequestAt: string | null;
  readonly requests: number;
}

interface PublishedKey {
  readonly id: string;
  readonly hash: string;
  readonly kind: ApiKeyKind;
  readonly role: string | null;
  readonly name: string;
  readonly expiresAt: string | null;
}

/** Who looks at a project's rows through the console; an operator may change them, too. */
interface Actor {
  readonly email: string;
  readonly role: "operator" | "viewer";
}

type DataRecord = Readonly<Record<string, unknown>>;

interface Page {
  readonly data: readonly Record<string, unknown>[];
  readonly page: { readonly next_cursor: string | null; readonly has_more: boolean };
}

/** What of a proposal is measured on the live database. */
export interface Measured {
  readonly steps: MigrationPlan["steps"];
  /** Records that stand to be destroyed with what they refer to, by the path of the change. */
  readonly referring: readonly (ReferringRecords & { readonly path: string })[];
}

export interface Cells {
  provision(project: Placement): Promise<void>;
  /** `publication`: one of `@plinth/bundle`, as JSON. */
  publish(project: Placement, publication: string): Promise<void>;
  /** Null where the cell knows no such release. */
  release(project: Placement, releaseId: string): Promise<ReleaseState | null>;
  putKey(project: Placement, key: PublishedKey): Promise<void>;
  /** Does nothing where the cell knows no such key. */
  revokeKey(project: Placement, keyId: string): Promise<void>;
  status(project: Placement): Promise<CellStatus>;
  schema(project: Placement): Promise<SchemaState>;
  /** Runs nothing of the plan but what reads. */
  measure(project: Placement, measured: Measured): Promise<PlanMeasures>;
  /** `by` is written into the project's audit log. */
  grantUser(project: Placement, by: string, email: string, roles: readonly string[]): Promise<void>;
  rows(project: Placement, actor: Actor, plural: string, query: URLSearchParams): Promise<Page>;
  /** `deed`: the end of the record's route. Out: the record as it is now. */
  change(project: Placement, actor: Actor, plural: string, recordId: string, deed: string): Promise<DataRecord>;
  /** A route of the project's own API, from `/v1/` on. */
  look<T>(project: Placement, actor: Actor, route: string, answer: z.ZodType<T>): Promise<T>;
  /** @param method Default: POST. A DELETE has no body. */
  /**
   * Text of a stream of the project's own API, as it comes.
   * @param lastEventId Where it goes on; undefined: it begins now. @throws CellRefused, CellUnavailable; while it is read, anything.
   */
  follow(
    project: Placement,
    actor: Actor,
    route: string,
    lastEventId: string | undefined,
    signal: AbortSignal,
  ): Promise<AsyncIterable<string>>;
  act<T>(
    project: Placement,
    actor: Actor,
    route: string,
    body: object,
    answer: z.ZodType<T>,
    method?: "POST" | "PATCH" | "DELETE",
  ): Promise<T>;
}

const time = z.string().nullable();
const stepSchema = z.object({
  id: z.string(),
  summary: z.string(),
  status: z.enum(["pending", "running", "done", "failed"]),
  startedAt: time,
  finishedAt: time,
  error: z.string().nullable(),
  rows: z.number().nullable(),
});
const releaseSchema = z.object({
  status: z.enum(["received", "migrating", "active", "failed", "superseded"]),
  error: z.string().nullable(),
  finished: z.boolean(),
  steps: z.array(stepSchema),
});
// What is set aside goes into the next plan as it came: the cell wrote it down from a plan that was approved.
const schemaSchema: z.ZodType<SchemaState> = z.object({
  drift: z.array(z.object({ path: z.string(), expected: z.string().nullable(), found: z.string().nullable() })),
  setAside: z.array(
    z.object({
      kind: z.enum(["table", "column"]),
      table: z.string(),
      column: z.string().nullable(),
      keptAs: z.string(),
      sqlType: z.string().nullable(),
      was: z.custom<SetAside["was"]>((value) => typeof value === "object"),
    }),
  ),
});
const measuresSchema: z.ZodType<PlanMeasures> = z.object({
  measuredAt: z.string(),
  rates: z.string(),
  steps: z.array(
    z.object({
      stepId: z.string(),
      rows: z.number().nullable(),
      rowsExact: z.boolean(),
      bytes: z.number().nullable(),
      violators: z
        .object({
          count: z.number().nullable(),
          samples: z.array(z.object({ id: z.string(), text: z.string() })),
        })
        .nullable(),
      expectedMs: z.number().nullable(),
    }),
  ),
  destroyed: z.array(z.object({ path: z.string(), records: z.number().nullable() })).optional(),
});
const statusSchema = z.object({
  activeReleaseId: z.string().nullable(),
  bundleHash: z.string().nullable(),
  firstRequestAt: time,
  lastRequestAt: time,
  requests: z.number(),
});
const pageSchema = z.object({
  data: z.array(z.record(z.string(), z.unknown())),
  page: z.object({ next_cursor: z.string().nullable(), has_more: z.boolean() }),
});
const recordSchema = z.object({ data: z.record(z.string(), z.unknown()) });
const problemSchema = z.object({
  code: z.string(),
  title: z.string().optional(),
  detail: z.string().nullish(),
  errors: z.array(z.object({ message: z.string() })).catch([]),
});

export interface CellsOptions {
  readonly signer: ControlSigner;
  readonly secret: string;
  readonly timeoutMs: number;
}

export function createCells(options: CellsOptions): Cells {
  /** Short-lived, and good for this one call: a cell accepts it with no other method, target or body, and not twice. */
  const assertion = (
    project: Placement,
    { subject, role }: Asserted,
    { method, path, body = "" }: { readonly method: string; readonly path: string; readonly body: string | undefined },
  ): Promise<string> =>
    new SignJWT({
      role,
      prj: project.id,
      htm: method,
      target: targetOf(project, path),
      body: createHash("sha256").update(body).digest("hex"),
    })
      .setProtectedHeader({ alg: "EdDSA", kid: options.signer.keyId })
      .setAudience(project.cellId)
      .setJti(randomUUID())
      .setSubject(subject)
      .setIssuedAt()
      .setExpirationTime("30s")
      .sign(options.signer.privateKey);

  const send = async (project: Placement, method: string, path: string, extra: CallExtra): Promise<Response> => {
    const body = extra.json ?? (extra.body === undefined ? undefined : JSON.stringify(extra.body));
    const headers: Record<string, string> = { authorization: `Bearer ${options.secret}`, ...extra.headers };
    if (extra.as !== undefined)
      headers["plinth-assertion"] = await assertion(project, extra.as, { method, path, body });
    if (body !== undefined) headers["content-type"] = "application/json";
    const response = await reached(
      fetch(`${project.cellUrl}${targetOf(project, path)}`, {
        method,
        headers,
        redirect: "error",
        signal: extra.signal ?? AbortSignal.timeout(options.timeoutMs),
        ...(body === undefined ? {} : { body }),
      }),
    );
    if (response.ok) return response;
    const text = await reached(response.text());
    if (response.status >= 500 || response.status === 429) throw new CellUnavailable(new Error(`${response.status}`));
    throw refusal(response.status, text);
  };
  const call = async (project: Placement, method: string, path: string, extra: CallExtra = {}): Promise<unknown> => {
    const response = await send(project, method, path, extra);
    const text = await reached(response.text());
    return text === "" ? null : parseJson(text);
  };

  return {
    provision: async (project) => {
      await call(project, "PUT", "", { body: { slug: project.slug } });
    },
    publish: async (project, publication) => {
      await call(project, "POST", "/releases", { json: publication });
    },
    release: async (project, releaseId) => {
      try {
        return read(releaseSchema, await call(project, "GET", `/releases/${releaseId}`));
      } catch (error) {
        if (error instanceof CellRefused && error.status === 404) return null;
        throw error;
      }
    },
    putKey: async (project, { id, ...body }) => {
      await call(project, "PUT", `/keys/${id}`, { body });
    },
    revokeKey: async (project, keyId) => {
      try {
        await call(project, "DELETE", `/keys/${keyId}`);
      } catch (error) {
        // It never arrived there, so it opens nothing.
        if (!(error instanceof CellRefused) || error.status !== 404) throw error;
      }
    },
    status: async (project) => read(statusSchema, await call(project, "GET", "/status")),
    schema: async (project) => read(schemaSchema, await call(project, "GET", "/schema")),
    measure: async (project, body) => {
      const as = { subject: "control", role: "measure" };
      return read(measuresSchema, await call(project, "POST", "/measure", { body, as }));
    },
    grantUser: async (project, by, email, roles) => {
      await call(project, "POST", "/users/grant", { body: { email, roles }, headers: { "plinth-actor": by } });
    },
    rows: async (project, actor, plural, query) => {
      const path = `/data/v1/resources/${encodeURIComponent(plural)}?${query}`;
      return read(pageSchema, await call(project, "GET", path, { as: asserted(actor) }));
    },
    change: async (project, actor, plural, recordId, deed) => {
      const path = `/data/v1/resources/${encodeURIComponent(plural)}/${recordId}/${deed}`;
      return read(recordSchema, await call(project, "POST", path, { as: asserted(actor) })).data;
    },
    look: async (project, actor, route, answer) => {
      return read(answer, await call(project, "GET", `/data${route}`, { as: asserted(actor) }));
    },
    follow: async (project, actor, route, lastEventId, signal) => {
      const headers: Record<string, string> = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
      const { body } = await send(project, "GET", `/data${route}`, { as: asserted(actor), headers, signal });
      if (body === null) throw new CellUnavailable();
      return body.pipeThrough(new TextDecoderStream());
    },
    act: async (project, actor, route, body, answer, method = "POST") => {
      const sent = method === "DELETE" ? {} : { body };
      return read(answer, await call(project, method, `/data${route}`, { as: asserted(actor), ...sent }));
    },
  };
}

interface CallExtra {
  readonly body?: unknown;
  /** In its place, what is JSON already. */
  readonly json?: string;
  readonly headers?: Record<string, string>;
  /** On whose behalf, for what a cell does only where control has signed that. */
  readonly as?: Asserted;
  /** When to give up, in the place of the timeout. */
  readonly signal?: AbortSignal;
}

/** @throws CellUnavailable where there is no answer. */
async function reached<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw new CellUnavailable(error);
  }
}

interface Asserted {
  readonly subject: string;
  readonly role: string;
}

const asserted = ({ email, role }: Actor): Asserted => ({ subject: email, role });

/** Path and query string, written as a client writes them on the wire. */
function targetOf(project: Placement, path: string): string {
  const { pathname, search } = new URL(`http://cell/internal/projects/${project.id}${path}`);
  return pathname + search;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CellUnavailable(error);
  }
}

/** A cell that speaks another version of the protocol is as good as absent. */
function read<T>(schema: z.ZodType<T>, answer: unknown): T {
  const result = schema.safeParse(answer);
  if (!result.success) throw new CellUnavailable(result.error);
  return result.data;
}

function refusal(status: number, text: string): CellRefused {
  let problem: z.infer<typeof problemSchema> | null = null;
  try {
    problem = problemSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // Not ours to explain: whatever stands before the cell answered in its own words.
  }
  const { code = "unknown", detail, errors = [], title = "No reason was given." } = problem ?? {};
  // A title names the kind alone; where there is no detail, what it is about stands in the errors.
  const named = errors.length === 0 ? null : errors.map(({ message }) => message).join(" ");
  return new CellRefused(status, code, detail ?? named ?? title);
}
