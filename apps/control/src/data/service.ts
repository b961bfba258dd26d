// A project's rows, asked of its cell in the name of the person who looks. In: an entity of the live version, a page.
// Out: records as the public API shows them. It never reads a tenant's database.
import type { Model } from "@plinth/blueprint";
import { askCell } from "../deployments/cell-failure.ts";
import type { Cells } from "../deployments/publish.ts";
import { notFound, refuse } from "../failure.ts";
import type { ProjectAccess } from "../organizations/access.ts";
import type { Person } from "../people/auth.ts";
import type { DataEntity, DataRows } from "./api.ts";

interface RowsRequest {
  readonly entity: string;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  readonly sort?: string | undefined;
  readonly filters?: Record<string, string> | undefined;
}

export interface DataService {
  entities(project: ProjectAccess): Promise<readonly DataEntity[]>;
  rows(by: Person, project: ProjectAccess, request: RowsRequest): Promise<DataRows>;
}

export type LiveModel = (project: ProjectAccess) => Promise<Model | null>;

export function createDataService(cells: Cells, liveModel: LiveModel): DataService {
  return {
    entities: async (project) => {
      const model = await liveModel(project);
      return (model?.entities ?? []).map(({ name, plural, fields }) => ({
        name,
        plural,
        fields: fields.map((field) => ({ name: field.name, kind: field.type.kind })),
      }));
    },
    rows: async (by, project, request) => {
      const model = await liveModel(project);
      const entity = model?.entities.find((candidate) => candidate.name === request.entity);
      if (entity === undefined) throw notFound("entity");
      const actor = { email: by.email, role: project.role === "owner" ? "operator" : "viewer" } as const;
      return askCell(cells.rows(project, actor, entity.plural, queryOf(request)), {
        400: (refused) => refuse("BAD_REQUEST", refused.detail),
        403: () => refuse("FORBIDDEN", "The project's rules don't let you read these records."),
        404: () => notFound("entity"),
        422: (refused) => refuse("BAD_REQUEST", refused.detail),
      });
    },
  };
}

function queryOf({ cursor, limit, sort, filters }: RowsRequest): URLSearchParams {
  const query = new URLSearchParams(filters);
  if (cursor !== undefined) query.append("cursor", cursor);
  if (limit !== undefined) query.append("limit", String(limit));
  if (sort !== undefined) query.append("sort", sort);
  return query;
}
