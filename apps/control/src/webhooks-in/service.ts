// A project's inbound webhooks, requested from its cell on behalf of a person. In: filters, or an action on a source or a
// request. Out: the cell's answers. It passes secrets on, and never stores or logs one.
import type { z } from "zod";
import { actorOf, orNull, queryOf, refusals } from "../cells/call-as-person.ts";
import { callCell } from "../cells/call-cell.ts";
import type { Cells } from "../cells/client.ts";
import { writeAudit } from "../database/audit.ts";
import type { ControlDatabase } from "../database/tables.ts";
import { notFound } from "../failure.ts";
import type { ProjectAccess } from "../organizations/access.ts";
import type { Person } from "../people/auth.ts";
import type { WorkPage } from "../work/api.ts";
import { countSchema, eventSchema, requestPageSchema, requestSchema, secretSchema, sourcesSchema } from "./answers.ts";
import type { InboundRequest, InboundSource, WholeInboundRequest } from "./api.ts";

interface RequestFilters {
  readonly source?: string | undefined;
  readonly status?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

interface SentSecret {
  readonly source: string;
  readonly secret: string;
  readonly overlapHours?: number | undefined;
}

interface Replayed {
  readonly source: string;
  readonly since?: string | undefined;
}

export interface InboundService {
  sources(by: Person, project: ProjectAccess): Promise<readonly InboundSource[] | null>;
  addSecret(by: Person, project: ProjectAccess, sent: SentSecret): Promise<{ readonly id: string }>;
  removeSecret(by: Person, project: ProjectAccess, id: string): Promise<{ readonly id: string }>;
  requests(by: Person, project: ProjectAccess, request: RequestFilters): Promise<WorkPage<InboundRequest> | null>;
  request(by: Person, project: ProjectAccess, id: string): Promise<WholeInboundRequest>;
  replay(by: Person, project: ProjectAccess, id: string): Promise<{ readonly event: string }>;
  replayUnmapped(
    by: Person,
    project: ProjectAccess,
    request: Replayed,
  ): Promise<{ readonly requests: number; readonly hasMore: boolean }>;
}

interface Act<T> {
  /** The name of the source, or the id of the subject. */
  readonly subject: string;
  readonly action: "inbound_secret.added" | "inbound_secret.removed" | "inbound_request.replayed";
  readonly path: string;
  readonly body?: object;
  readonly answer: z.ZodType<T>;
  readonly missing: "source" | "secret" | "request";
}

export function createInboundService({
  cells,
  db,
}: {
  readonly cells: Cells;
  readonly db: ControlDatabase;
}): InboundService {
  const look = <T>(by: Person, project: ProjectAccess, path: string, answer: z.ZodType<T>): Promise<T> =>
    cells.look(project, actorOf(by, project), path, answer);
  const act = async <T>(by: Person, project: ProjectAccess, one: Act<T>): Promise<T> => {
    const { subject, action, path, body = {}, answer, missing } = one;
    // Recorded before the call, so that no action is missing in the log. An entry may belong to an action that was refused.
    await writeAudit(db, { personId: by.id, projectId: project.id, subject, action, detail: {} });
    const done = cells.act(project, actorOf(by, project), path, body, answer);
    return callCell(done, { ...refusals, 404: () => notFound(missing) });
  };
  return {
    sources: (by, project) => orNull(look(by, project, "/v1/webhooks/sources", sourcesSchema)),
    addSecret: (by, project, { source, secret, overlapHours }) =>
      act(by, project, {
        subject: source,
        action: "inbound_secret.added",
        path: "/v1/webhooks/secrets",
        body: { source, secret, overlap_hours: overlapHours },
        answer: secretSchema,
        missing: "source",
      }),
    removeSecret: (by, project, id) =>
      act(by, project, {
        subject: id,
        action: "inbound_secret.removed",
        path: `/v1/webhooks/secrets/${id}/remove`,
        answer: secretSchema,
        missing: "secret",
      }),
    requests: (by, project, { source, status, cursor, limit }) => {
      const query = queryOf({ source, status, cursor, limit });
      return orNull(look(by, project, `/v1/webhooks/requests?${query}`, requestPageSchema));
    },
    request: (by, project, id) =>
      callCell(look(by, project, `/v1/webhooks/requests/${id}`, requestSchema), {
        ...refusals,
        404: () => notFound("request"),
      }),
    replay: (by, project, id) =>
      act(by, project, {
        subject: id,
        action: "inbound_request.replayed",
        path: `/v1/webhooks/requests/${id}/replay`,
        answer: eventSchema,
        missing: "request",
      }),
    replayUnmapped: (by, project, { source, since }) =>
      act(by, project, {
        subject: source,
        action: "inbound_request.replayed",
        path: "/v1/webhooks/requests/replay",
        body: { source, since },
        answer: countSchema,
        missing: "source",
      }),
  };
}
