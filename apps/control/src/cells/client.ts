// The only access to the cells. In: a project's cell and a call. Out: its answer, or the reason why there is none.
import {
  ACTOR_HEADER,
  type CellCall,
  cellCalls,
  cellPath,
  DATA_PATH,
  type KeyBody,
  type MeasuredBody,
  type PlanMeasures,
  type ProjectState,
  type ReleaseState,
  type SchemaState,
} from "@plinth/bundle/cell";
import { z } from "zod";
import { CellRefused, CellUnavailable } from "./failures.ts";
import { type Call, createTransport, type OnBehalf, type Placement, read, type TransportOptions } from "./transport.ts";

/** The person who looks at a project's rows through the console. An operator can also change them. */
interface Actor {
  readonly email: string;
  readonly role: "operator" | "viewer";
}

type DataRecord = Readonly<Record<string, unknown>>;

interface RecordChange {
  readonly method: "POST" | "PATCH" | "DELETE";
  readonly plural: string;
  /** After the entity's route: nothing, `/<id>`, `/<id>/restore`. */
  readonly path: string;
  readonly values?: Readonly<Record<string, unknown>>;
  /** The version that the person saw. The cell refuses the change with 412 if there is a newer one. */
  readonly version?: number | undefined;
}

interface Page {
  readonly data: readonly Record<string, unknown>[];
  readonly page: { readonly next_cursor: string | null; readonly has_more: boolean };
}

/** All of them throw CellRefused and CellUnavailable. */
export interface Cells {
  provision(project: Placement): Promise<void>;
  suspend(project: Placement, suspended: boolean): Promise<void>;
  /** For a suspended project. */
  erase(project: Placement): Promise<void>;
  /** `publication`: one of `@plinth/bundle`, as JSON. */
  publish(project: Placement, publication: string): Promise<void>;
  /** Null if the cell has no such release. */
  release(project: Placement, releaseId: string): Promise<ReleaseState | null>;
  putKey(project: Placement, key: KeyBody & { readonly id: string }): Promise<void>;
  /** Does nothing if the cell has no such key. */
  revokeKey(project: Placement, keyId: string): Promise<void>;
  status(project: Placement): Promise<ProjectState>;
  schema(project: Placement): Promise<SchemaState>;
  /** Runs only the steps of the plan that read. */
  measure(project: Placement, measured: MeasuredBody): Promise<PlanMeasures>;
  /** `by` is written into the project's audit log. */
  grantUser(project: Placement, by: string, email: string, roles: readonly string[]): Promise<void>;
  /** A call that a cell only answers on behalf of a person. */
  callAs<Body, Answer>(
    project: Placement,
    actor: Actor,
    call: CellCall<Body, Answer>,
    given: { readonly names?: Readonly<Record<string, string>>; readonly body?: Body },
  ): Promise<Answer>;
  rows(project: Placement, actor: Actor, plural: string, query: URLSearchParams): Promise<Page>;
  /** Out: the current record. Null if it was deleted. */
  change(project: Placement, actor: Actor, change: RecordChange): Promise<DataRecord | null>;
  /** A route of the project's own API, from `/v1/` on. */
  look<T>(project: Placement, actor: Actor, route: string, answer: z.ZodType<T>): Promise<T>;
  /**
   * Streams text of the project's own API.
   * @param lastEventId The event to continue after. If undefined, the stream begins now.
   * @throws any error while it is read.
   */
  follow(
    project: Placement,
    actor: Actor,
    route: string,
    lastEventId: string | undefined,
    signal: AbortSignal,
  ): Promise<AsyncIterable<string>>;
  /** @param method Default: POST. A DELETE has no body. */
  act<T>(
    project: Placement,
    actor: Actor,
    route: string,
    body: object,
    answer: z.ZodType<T>,
    method?: "POST" | "PUT" | "PATCH" | "DELETE",
  ): Promise<T>;
}

const pageSchema = z.object({
  data: z.array(z.record(z.string(), z.unknown())),
  page: z.object({ next_cursor: z.string().nullable(), has_more: z.boolean() }),
});
const recordSchema = z.object({ data: z.record(z.string(), z.unknown()) });

export function createCells(options: TransportOptions): Cells {
  const { send, ask } = createTransport(options);

  /** A call of the protocol. `names`: the names in its path in addition to the project. */
  const call = async <Body, Answer>(
    project: Placement,
    { method, path, answer }: CellCall<Body, Answer>,
    { names = {}, body, ...more }: Partial<Call> & { readonly names?: Readonly<Record<string, string>> } = {},
  ): Promise<Answer> => {
    const named = cellPath(path, { projectId: project.id, ...names });
    const answered = await ask(project, { method, path: named, body, ...more });
    // For a call without an answer, `Answer` is null.
    return answer === null ? (null as Answer) : read(answer, answered);
  };
  const dataCall = (project: Placement, actor: Actor, method: string, route: string): Call => ({
    method,
    path: cellPath(DATA_PATH, { projectId: project.id }) + route,
    as: onBehalfOf(actor),
  });
  const orNull = async <T>(answer: Promise<T>): Promise<T | null> => {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof CellRefused && error.status === 404) return null;
      throw error;
    }
  };

  return {
    provision: async (project) => {
      await call(project, cellCalls.provision, { body: JSON.stringify({ slug: project.slug }) });
    },
    suspend: async (project, suspended) => {
      await call(project, cellCalls.suspend, { body: JSON.stringify({ suspended }), as: retiring });
    },
    erase: async (project) => {
      await call(project, cellCalls.erase, { as: retiring });
    },
    publish: async (project, publication) => {
      await call(project, cellCalls.publish, { body: publication });
    },
    release: (project, releaseId) => orNull(call(project, cellCalls.inspectRelease, { names: { releaseId } })),
    putKey: async (project, { id: keyId, ...body }) => {
      await call(project, cellCalls.putKey, { names: { keyId }, body: JSON.stringify(body) });
    },
    revokeKey: async (project, keyId) => {
      // A key that never arrived in the cell gives no access.
      await orNull(call(project, cellCalls.revokeKey, { names: { keyId } }));
    },
    status: (project) => call(project, cellCalls.inspectProject),
    schema: (project) => call(project, cellCalls.inspectSchema),
    measure: (project, measured) => {
      const as = { subject: "control", role: "measure" } as const;
      return call(project, cellCalls.measurePlan, { body: JSON.stringify(measured), as });
    },
    grantUser: async (project, by, email, roles) => {
      const body = JSON.stringify({ email, roles });
      await call(project, cellCalls.grantUser, { body, headers: { [ACTOR_HEADER]: by } });
    },
    callAs: (project, actor, asked, { names = {}, body }) =>
      call(project, asked, {
        names,
        body: body === undefined ? undefined : JSON.stringify(body),
        as: onBehalfOf(actor),
      }),
    rows: async (project, actor, plural, query) => {
      const route = `/v1/resources/${encodeURIComponent(plural)}?${query}`;
      return read(pageSchema, await ask(project, dataCall(project, actor, "GET", route)));
    },
    change: async (project, actor, { method, plural, path, values, version }) => {
      const route = `/v1/resources/${encodeURIComponent(plural)}${path}`;
      const answer = await ask(project, {
        ...dataCall(project, actor, method, route),
        ...(values === undefined ? {} : { body: JSON.stringify(values) }),
        // Only the part before the hyphen is compared.
        ...(version === undefined ? {} : { headers: { "if-match": `"${version}-seen"` } }),
      });
      return answer === null ? null : read(recordSchema, answer).data;
    },
    look: async (project, actor, route, answer) => {
      return read(answer, await ask(project, dataCall(project, actor, "GET", route)));
    },
    follow: async (project, actor, route, lastEventId, signal) => {
      const headers: Record<string, string> = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
      const { body } = await send(project, { ...dataCall(project, actor, "GET", route), headers, signal });
      if (body === null) throw new CellUnavailable();
      return body.pipeThrough(new TextDecoderStream());
    },
    act: async (project, actor, route, body, answer, method = "POST") => {
      const sent = method === "DELETE" ? undefined : JSON.stringify(body);
      return read(answer, await ask(project, { ...dataCall(project, actor, method, route), body: sent }));
    },
  };
}

const retiring: OnBehalf = { subject: "control", role: "retire" };
const onBehalfOf = ({ email, role }: Actor): OnBehalf => ({ subject: email, role });
