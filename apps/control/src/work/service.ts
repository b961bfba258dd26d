// A project's events and runs, asked of its cell in the name of the person who looks. In: filters, or one event or run and what to
// do to it. Out: what the cell knows. It never touches a tenant's database.
import { askCell, type CellRefusals } from "../deployments/cell-failure.ts";
import { CellRefused, type Cells } from "../deployments/publish.ts";
import { notFound, refuse } from "../failure.ts";
import type { ProjectAccess } from "../organizations/access.ts";
import type { Person } from "../people/auth.ts";
import { deedSchema, eventPageSchema, eventSchema, runPageSchema, runSchema } from "./answers.ts";
import type { EventSummary, Run, RunStatus, RunSummary, WorkEvent, WorkPage } from "./api.ts";
import type { RunAct, WorkStore } from "./store.ts";

interface PageRequest {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  readonly requestId?: string | undefined;
}

interface EventsRequest extends PageRequest {
  readonly entity?: string | undefined;
  readonly name?: string | undefined;
  readonly recordId?: string | undefined;
}

interface RunsRequest extends PageRequest {
  readonly eventId?: string | undefined;
  readonly status?: RunStatus | undefined;
  readonly workflow?: string | undefined;
}

interface Done {
  readonly id: string;
}

export interface WorkService {
  events(by: Person, project: ProjectAccess, request: EventsRequest): Promise<WorkPage<EventSummary> | null>;
  event(by: Person, project: ProjectAccess, eventId: string): Promise<WorkEvent>;
  runs(by: Person, project: ProjectAccess, request: RunsRequest): Promise<WorkPage<RunSummary> | null>;
  run(by: Person, project: ProjectAccess, runId: string): Promise<Run>;
  cancel(by: Person, project: ProjectAccess, runId: string): Promise<Done>;
  retry(by: Person, project: ProjectAccess, runId: string, from: string | null): Promise<Done>;
  approve(by: Person, project: ProjectAccess, runId: string, answer: Answer): Promise<Done>;
}

interface Answer {
  readonly approved: boolean;
  readonly note: string | null;
}

export function createWorkService({ cells, store }: { readonly cells: Cells; readonly store: WorkStore }): WorkService {
  const act = async (
    by: Person,
    project: ProjectAccess,
    { runId, action, detail }: Pick<RunAct, "runId" | "action" | "detail">,
    deed: string,
    body: object,
  ): Promise<Done> => {
    // Written first: what is done must not be missing in the log; what it says may have been refused.
    await store.audit({ personId: by.id, projectId: project.id, runId, action, detail });
    const done = cells.act(project, actorOf(by, project), `/v1/runs/${runId}/${deed}`, body, deedSchema);
    return askCell(done, { ...refusals, 404: () => notFound("run") });
  };
  return {
    events: (by, project, { cursor, limit, entity, name, recordId, requestId }) => {
      const filters = { cursor, limit, entity, name, record_id: recordId, request_id: requestId };
      const path = `/v1/events?${queryOf(filters)}`;
      return orNull(cells.look(project, actorOf(by, project), path, eventPageSchema));
    },
    event: (by, project, eventId) =>
      askCell(cells.look(project, actorOf(by, project), `/v1/events/${eventId}`, eventSchema), {
        ...refusals,
        404: () => notFound("event"),
      }),
    runs: (by, project, { cursor, limit, eventId, requestId, status, workflow }) => {
      const filters = { cursor, limit, event_id: eventId, request_id: requestId, status, workflow };
      return orNull(cells.look(project, actorOf(by, project), `/v1/runs?${queryOf(filters)}`, runPageSchema));
    },
    run: (by, project, runId) =>
      askCell(cells.look(project, actorOf(by, project), `/v1/runs/${runId}`, runSchema), {
        ...refusals,
        404: () => notFound("run"),
      }),
    cancel: (by, project, runId) => act(by, project, { runId, action: "run.cancelled", detail: {} }, "cancel", {}),
    retry: (by, project, runId, from) => {
      const chosen = from === null ? {} : { from };
      return act(by, project, { runId, action: "run.retried", detail: chosen }, "retry", chosen);
    },
    approve: (by, project, runId, { approved, note }) => {
      const action = approved ? "run.approved" : "run.refused";
      const body = note === null ? { approved } : { approved, note };
      return act(by, project, { runId, action, detail: note === null ? {} : { note } }, "approve", body);
    },
  };
}

/** A project that does not work in the background has no such routes. */
async function orNull<T>(page: Promise<T>): Promise<T | null> {
  const orAbsent = page.catch((error: unknown) => {
    if (error instanceof CellRefused && error.status === 404) return null;
    throw error;
  });
  return askCell(orAbsent, refusals);
}

function actorOf(by: Person, project: ProjectAccess): { readonly email: string; readonly role: "operator" | "viewer" } {
  return { email: by.email, role: project.role === "owner" ? "operator" : "viewer" };
}

const refusals: CellRefusals = {
  400: (refused) => refuse("BAD_REQUEST", refused.detail),
  403: (refused) => refuse("FORBIDDEN", refused.detail),
  409: (refused) => refuse("CONFLICT", refused.detail),
  422: (refused) => refuse("BAD_REQUEST", refused.detail),
};

function queryOf(members: Readonly<Record<string, string | number | undefined>>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) if (value !== undefined) query.append(name, String(value));
  return query;
}
