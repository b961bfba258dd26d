// Projects in the database. In: ids. Out: rows. It never calls a cell.
import type { Selectable } from "kysely";
import { writeAudit } from "../database/audit.ts";
import type { ControlDatabase, ProjectsTable } from "../database/tables.ts";
import type { EnvironmentSummary, ProjectSummary } from "./api.ts";
import { holdName } from "./names.ts";

interface NewProject {
  readonly id: string;
  readonly organizationId: string;
  readonly slug: string;
  readonly cellId: string;
  readonly createdBy: string;
}

export interface ProjectStore {
  list(organizationId: string): Promise<readonly ProjectSummary[]>;
  /** Environments of one project, production first. */
  environments(rootId: string): Promise<readonly EnvironmentSummary[]>;
  /**
   * `name_taken`: by another project of the organization; `name_deleted`: by a deleted one. `too_many`: the organization has
   * reached its limit.
   */
  insert(project: NewProject, projectsMax: number): Promise<"made" | "name_taken" | "name_deleted" | "too_many">;
  /** Removes a project that its cell refused. */
  withdraw(project: NewProject): Promise<void>;
  isProvisioned(projectId: string): Promise<boolean>;
  markProvisioned(projectId: string): Promise<void>;
  auditGrant(projectId: string, personId: string, email: string, roles: readonly string[]): Promise<void>;
}

const environmentColumns = ["id", "slug", "environment", "environment_name", "created_at", "live_at"] as const;

function environmentSummary(
  row: Pick<Selectable<ProjectsTable>, (typeof environmentColumns)[number]>,
): EnvironmentSummary {
  return {
    id: row.id,
    slug: row.slug,
    kind: row.environment,
    name: row.environment_name,
    createdAt: row.created_at.toISOString(),
    live: row.live_at === null ? null : { deployedAt: row.live_at.toISOString() },
  };
}

const kinds = ["production", "development", "preview"] as const;

function inOrder(one: EnvironmentSummary, other: EnvironmentSummary): number {
  return kinds.indexOf(one.kind) - kinds.indexOf(other.kind) || one.name.localeCompare(other.name);
}

/** Throws, so that the transaction removes the project. */
class NameTaken extends Error {}

export function createProjectStore(db: ControlDatabase): ProjectStore {
  return {
    list: async (organizationId) => {
      const rows = await db
        .selectFrom("projects")
        .select([...environmentColumns, "parent_id"])
        .where("organization_id", "=", organizationId)
        .where("deleted_at", "is", null)
        .orderBy("created_at", "desc")
        .orderBy("id")
        .execute();
      const environmentsOf = Map.groupBy(rows, (row) => row.parent_id ?? row.id);
      return rows
        .filter((row) => row.parent_id === null)
        .map((row) => {
          const { id, slug, createdAt, live } = environmentSummary(row);
          const environments = (environmentsOf.get(id) ?? []).map(environmentSummary).sort(inOrder);
          return { id, slug, organizationId, createdAt, live, environments };
        });
    },

    environments: async (rootId) => {
      const rows = await db
        .selectFrom("projects")
        .select(environmentColumns)
        .where((eb) => eb.or([eb("id", "=", rootId), eb("parent_id", "=", rootId)]))
        .where("deleted_at", "is", null)
        .execute();
      return rows.map(environmentSummary).sort(inOrder);
    },

    insert: ({ id, organizationId, slug, cellId, createdBy }, projectsMax) =>
      db
        .transaction()
        .execute(async (trx) => {
          // Two requests at the same time must not both create the last allowed one.
          await trx.selectFrom("organizations").select("id").where("id", "=", organizationId).forUpdate().execute();
          const { count } = await trx
            .selectFrom("projects")
            .select((eb) => eb.fn.countAll<string>().as("count"))
            .where("organization_id", "=", organizationId)
            .where("parent_id", "is", null)
            .executeTakeFirstOrThrow();
          if (Number(count) >= projectsMax) return "too_many";
          await trx
            .insertInto("projects")
            .values({ id, organization_id: organizationId, slug, cell_id: cellId })
            .execute();
          if (!(await holdName(trx, { projectId: id, organizationId, name: slug }))) throw new NameTaken();
          const act = { personId: createdBy, action: "project.created", organizationId, projectId: id, subject: id };
          await writeAudit(trx, { ...act, detail: { slug } });
          return "made" as const;
        })
        .catch((error: unknown) => {
          if (!(error instanceof NameTaken)) throw error;
          const holder = db
            .selectFrom("project_names")
            .innerJoin("projects", "projects.id", "project_names.project_id")
            .select("projects.id")
            .where("project_names.organization_id", "=", organizationId)
            .where("project_names.name", "=", slug)
            .where("projects.deleted_at", "is not", null);
          return holder
            .executeTakeFirst()
            .then((deleted) => (deleted === undefined ? ("name_taken" as const) : ("name_deleted" as const)));
        }),

    withdraw: ({ id, organizationId, createdBy }) =>
      db.transaction().execute(async (trx) => {
        await trx.deleteFrom("projects").where("id", "=", id).execute();
        const act = { personId: createdBy, action: "project.withdrawn", organizationId, projectId: id, subject: id };
        await writeAudit(trx, act);
      }),

    isProvisioned: async (projectId) => {
      const row = await db
        .selectFrom("projects")
        .select("provisioned_at")
        .where("id", "=", projectId)
        .executeTakeFirstOrThrow();
      return row.provisioned_at !== null;
    },

    markProvisioned: async (projectId) => {
      await db.updateTable("projects").set({ provisioned_at: new Date() }).where("id", "=", projectId).execute();
    },

    auditGrant: (projectId, personId, email, roles) =>
      writeAudit(db, { personId, action: "user.granted", projectId, subject: email, detail: { roles } }),
  };
}
