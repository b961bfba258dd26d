// Projects in the database. In: ids. Out: rows. It never talks to a cell.
import { writeAudit } from "../database/audit.ts";
import type { ControlDatabase } from "../database/tables.ts";
import { violatesUnique } from "../failure.ts";
import type { ProjectSummary } from "./api.ts";

interface NewProject {
  readonly id: string;
  readonly organizationId: string;
  readonly slug: string;
  readonly cellUrl: string;
  readonly createdBy: string;
}

export interface ProjectStore {
  list(organizationId: string): Promise<readonly ProjectSummary[]>;
  /** False where the slug is taken. */
  insert(project: NewProject): Promise<boolean>;
  /** Takes back a project that its cell refused. */
  withdraw(project: NewProject): Promise<void>;
  isProvisioned(projectId: string): Promise<boolean>;
  markProvisioned(projectId: string): Promise<void>;
  auditGrant(projectId: string, personId: string, email: string, roles: readonly string[]): Promise<void>;
}

export function createProjectStore(db: ControlDatabase): ProjectStore {
  return {
    list: async (organizationId) => {
      const rows = await db
        .selectFrom("projects")
        .select(["id", "slug", "organization_id", "created_at", "live_at"])
        .where("organization_id", "=", organizationId)
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

    insert: async ({ id, organizationId, slug, cellUrl, createdBy }) => {
      try {
        await db.transaction().execute(async (trx) => {
          const row = { id, organization_id: organizationId, slug, cell_url: cellUrl };
          await trx.insertInto("projects").values(row).execute();
          const act = { personId: createdBy, action: "project.created", organizationId, projectId: id, subject: id };
          await writeAudit(trx, { ...act, detail: { slug } });
        });
        return true;
      } catch (error) {
        if (violatesUnique(error, "projects_slug_key")) return false;
        throw error;
      }
    },

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
