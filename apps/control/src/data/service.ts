// A project's rows, requested from its cell on behalf of a person. In: an entity of the live version, and a page or a change of a
// record. Out: records in the form of the public API. It never touches a tenant's database.

import type { TRPCError } from "@trpc/server";
import type { EntityShape, LiveShape } from "../authoring/live-shape.ts";
import { actorOf } from "../cells/call-as-person.ts";
import { type CellRefusals, callCell } from "../cells/call-cell.ts";
import type { Cells } from "../cells/client.ts";
import type { CellRefused } from "../cells/failures.ts";
import { FieldsError, notFound, refuse } from "../failure.ts";
import type { ProjectAccess } from "../organizations/access.ts";
import { allows, whoMay } from "../organizations/rights.ts";
import type { Person } from "../people/auth.ts";
import type { DataEntity, DataRow, DataRows, FollowedEntity, RecordChanges } from "./api.ts";
import { readChanges } from "./changes.ts";
import type { DataStore, RecordAct } from "./store.ts";

interface RowsRequest {
  readonly entity: string;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  readonly sort?: string | undefined;
  readonly filters?: Record<string, string> | undefined;
  readonly deleted?: boolean | undefined;
}

interface RecordName {
  readonly entity: string;
  readonly recordId: string;
}

interface NewRecord {
  readonly entity: string;
  readonly values: Readonly<Record<string, unknown>>;
}

interface Seen {
  /** The version that the person saw. */
  readonly version: number;
}

export interface DataService {
  entities(by: Person, project: ProjectAccess): Promise<readonly DataEntity[]>;
  rows(by: Person, project: ProjectAccess, request: RowsRequest): Promise<DataRows>;
  /** @param left Aborted when the caller is gone. */
  changes(
    by: Person,
    project: ProjectAccess,
    entities: readonly FollowedEntity[],
    left: AbortSignal | undefined,
  ): Promise<RecordChanges>;
  create(by: Person, project: ProjectAccess, record: NewRecord): Promise<DataRow>;
  update(by: Person, project: ProjectAccess, record: RecordName & Seen & Pick<NewRecord, "values">): Promise<DataRow>;
  remove(by: Person, project: ProjectAccess, record: RecordName & Seen): Promise<{ readonly deleted: true }>;
  restore(by: Person, project: ProjectAccess, record: RecordName): Promise<DataRow>;
  transition(by: Person, project: ProjectAccess, record: RecordName & { readonly edge: string }): Promise<DataRow>;
}

export type LiveShapeOf = (by: Person, project: ProjectAccess) => Promise<LiveShape | null>;

export interface DataServiceOptions {
  readonly cells: Cells;
  readonly store: DataStore;
  readonly liveShape: LiveShapeOf;
  /** Aborted when the service stops: then no call waits any more. */
  readonly stopped: AbortSignal;
}

export function createDataService({ cells, store, liveShape, stopped }: DataServiceOptions): DataService {
  const entityOf = async (by: Person, project: ProjectAccess, name: string): Promise<EntityShape> => {
    const live = await liveShape(by, project);
    return live?.entities.find((candidate) => candidate.name === name) ?? missing();
  };
  const change = async (
    by: Person,
    project: ProjectAccess,
    act: Pick<RecordAct, "recordId" | "action" | "detail">,
    sent: Parameters<Cells["change"]>[2],
  ): Promise<DataRow | null> => {
    // Written before the call, so that no change is missing in the log. An entry may belong to a change that was refused.
    await store.audit({ ...act, personId: by.id, projectId: project.id });
    return callCell(cells.change(project, actorOf(by, project), sent), {
      ...refusals("change its records"),
      404: () => notFound("record"),
      409: (refused) => refuse("CONFLICT", refused.detail),
      412: () => refuse("CONFLICT", "The record has changed since you opened it. Close it and open it again."),
      413: () => refuse("BAD_REQUEST", "The values are too large for one record."),
    });
  };
  const changed = async (...args: Parameters<typeof change>): Promise<DataRow> => (await change(...args)) ?? absent();
  return {
    entities: async (by, project) => {
      const live = await liveShape(by, project);
      return (live?.entities ?? []).map(({ name, plural, fields, realtime }) => ({ name, plural, fields, realtime }));
    },
    rows: async (by, project, request) => {
      const entity = await entityOf(by, project, request.entity);
      if (request.deleted === true) {
        if (!allows(project.role, "write"))
          throw refuse("FORBIDDEN", `Only ${whoMay("write")} can see deleted records.`);
        if (!entity.softDelete) throw refuse("BAD_REQUEST", `A deleted ${entity.name} is not kept.`);
      }
      return callCell(cells.rows(project, actorOf(by, project), entity.plural, queryOf(request)), {
        ...refusals("read its records"),
        404: () => notFound("entity"),
      });
    },
    changes: async (by, project, entities, left) => {
      const live = await liveShape(by, project);
      const plurals = new Map(live?.entities.flatMap((each) => (each.realtime ? [[each.name, each.plural]] : [])));
      const follow = ({ entity, after }: FollowedEntity, signal: AbortSignal): ReturnType<Cells["follow"]> => {
        const query = new URLSearchParams({ resource: plurals.get(entity) ?? missing() });
        return cells.follow(project, actorOf(by, project), `/v1/events/stream?${query}`, after, signal);
      };
      const signal = left === undefined ? stopped : AbortSignal.any([left, stopped]);
      return callCell(readChanges({ follow, entities, stopped: signal }), {
        ...refusals("follow its records"),
        404: () => notFound("entity"),
      });
    },
    create: async (by, project, { entity: name, values }) => {
      const { plural } = await entityOf(by, project, name);
      const act = { recordId: null, action: "record.created", detail: { entity: name } } as const;
      return changed(by, project, act, { method: "POST", plural, path: "", values });
    },
    update: async (by, project, { entity: name, recordId, version, values }) => {
      const { plural } = await entityOf(by, project, name);
      const act = { recordId, action: "record.updated", detail: { entity: name } } as const;
      return changed(by, project, act, { method: "PATCH", plural, path: `/${recordId}`, values, version });
    },
    remove: async (by, project, { entity: name, recordId, version }) => {
      const { plural } = await entityOf(by, project, name);
      const act = { recordId, action: "record.deleted", detail: { entity: name } } as const;
      await change(by, project, act, { method: "DELETE", plural, path: `/${recordId}`, version });
      return { deleted: true };
    },
    restore: async (by, project, { entity: name, recordId }) => {
      const entity = await entityOf(by, project, name);
      if (!entity.softDelete) throw refuse("BAD_REQUEST", `A deleted ${name} is not kept.`);
      const act = { recordId, action: "record.restored", detail: { entity: name } } as const;
      return changed(by, project, act, { method: "POST", plural: entity.plural, path: `/${recordId}/restore` });
    },
    transition: async (by, project, { entity: name, recordId, edge }) => {
      const entity = await entityOf(by, project, name);
      if (!entity.edges.includes(edge)) throw notFound("transition");
      const act = { recordId, action: "record.transitioned", detail: { entity: name, edge } } as const;
      const path = `/${recordId}/transitions/${edge}`;
      return changed(by, project, act, { method: "POST", plural: entity.plural, path });
    },
  };
}

function missing(): never {
  throw notFound("entity");
}

function absent(): never {
  throw notFound("record");
}

function refusals(action: string): CellRefusals {
  return {
    400: refuseValues,
    403: () =>
      refuse(
        "FORBIDDEN",
        `The console acts as the role \`admin\`, and the rules of this entity don't let admins ${action}. Add an \`admin\` rule to its permissions, such as \`admin: { all: true }\`.`,
      ),
    422: refuseValues,
  };
}

function refuseValues({ detail, errors }: CellRefused): TRPCError {
  return refuse("BAD_REQUEST", detail, errors.length === 0 ? undefined : new FieldsError(errors));
}

function queryOf({ cursor, limit, sort, filters, deleted }: RowsRequest): URLSearchParams {
  const query = new URLSearchParams(filters);
  if (cursor !== undefined) query.append("cursor", cursor);
  if (limit !== undefined) query.append("limit", String(limit));
  if (sort !== undefined) query.append("sort", sort);
  if (deleted === true) query.append("_deleted", "only");
  return query;
}
