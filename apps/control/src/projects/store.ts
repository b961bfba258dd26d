// Projects in the database. In: ids. Out: rows. It never talks to a cell.
import { writeAudit } from "../database/audit.ts";
import type { ControlDatabase } from "../database/tables.ts";
import type { ProjectSummary } from "./api.ts";
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
  /** `name_taken`: by another project of the organization. `too_many`: it has as many as it may. */
  insert(project: NewProject, projectsMax: number): Promise<"made" | "name_taken" | "too_many">;
  /** Takes back a project that its cell refused. */
  withdraw(project: NewProject): Promise<void>;
  isProvisioned(projectId: string): Promise<boolean>;
  markProvisioned(projectId: string): Promise<void>;
  auditGrant(projectId: string, personId: string, email: string, roles: readonly string[]): Promise<void>;
}

/** Takes the project back with the transaction. */
class NameTaken extends Error {}

export function createProjectStore(db: ControlDatabase): ProjectStore {
  return {
    list: async (organizationId) => {
      const rows = await db
        .selectFrom("projects")
        .select(["id", "slug", "organization_id", "created_at", "live_at"])
        .where("organization_id", "=", organizationId)
        .where("deleted_at", "is", null)
        .orderBy("created_at", "desc")
        .orderBy("id")
        .execute();
      return rows.map((row) => ({
        id: row.id,
        slug: row.slug,
        organizationId: row.organization_id,
        createdAt: row.created_at.toISOString(),
        live: row.live_at === null ? null : { deployedAt: row.live_at.toISOString() },
      }));
    },

    insert: ({ id, organizationId, slug, cellId, createdBy }, projectsMax) =>
      db
        .transaction()
        .execute(async (trx) => {
          // Two at once must not both be the last that is allowed.
          await trx.selectFrom("organizations").select("id").where("id", "=", organizationId).forUpdate().execute();
          const { count } = await trx
            .selectFrom("projects")
            .select((eb) => eb.fn.countAll<string>().as("count"))
            .where("organization_id", "=", organizationId)
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
          if (error instanceof NameTaken) return "name_taken" as const;
          throw error;
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
