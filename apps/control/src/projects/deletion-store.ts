// Deleted projects in the database. In: ids. Out: rows, and what is still to be said to cells. It never talks to a cell.
import { sql } from "kysely";
import type { Placement } from "../cells/transport.ts";
import { writeAudit } from "../database/audit.ts";
import type { ControlDatabase } from "../database/tables.ts";
import type { DeletedProject } from "./api.ts";

export const RESTORABLE_DAYS = 7;

/** A project whose cell may not do yet what is wanted. */
export interface Unsettled extends Placement {
  readonly wanted: "served" | "suspended" | "erased";
  readonly onCell: "served" | "unsure" | "suspended";
}

export interface DeletionStore {
  /** `deploying`: a deployment is under way. */
  markDeleted(projectId: string, by: string): Promise<"deleted" | "deploying" | "gone">;
  /** False where it isn't deleted, or no longer to be restored. */
  markRestored(organizationId: string, projectId: string, by: string): Promise<boolean>;
  deletedOf(organizationId: string): Promise<readonly DeletedProject[]>;
  unsettled(): Promise<readonly string[]>;
  /**
   * Runs `work` for a project whose cell is to be told something, alone among all processes; not at all where it is settled.
   * @param work Its answer is what the cell has been told.
   */
  settle(projectId: string, work: (project: Unsettled) => Promise<"served" | "suspended" | "erased">): Promise<void>;
}

export function createDeletionStore(db: ControlDatabase): DeletionStore {
  const eraseAfter = sql<Date>`projects.deleted_at + make_interval(days => ${sql.lit(RESTORABLE_DAYS)})`;
  return {
    markDeleted: (projectId, by) =>
      db.transaction().execute(async (trx) => {
        const project = await trx
          .selectFrom("projects")
          .select(["organization_id", "slug"])
          .where("id", "=", projectId)
          .where("deleted_at", "is", null)
          .forUpdate()
          .executeTakeFirst();
        if (project === undefined) return "gone";
        const unfinished = await trx
          .selectFrom("deployments")
          .select("id")
          .where("project_id", "=", projectId)
          .where("finished_at", "is", null)
          .executeTakeFirst();
        if (unfinished !== undefined) return "deploying";
        await trx
          .updateTable("projects")
          .set({ deleted_at: sql`now()`, deleted_by: by })
          .where("id", "=", projectId)
          .execute();
        const act = { personId: by, organizationId: project.organization_id, projectId, subject: projectId };
        await writeAudit(trx, { ...act, action: "project.deleted", detail: { slug: project.slug } });
        return "deleted";
      }),

    markRestored: (organizationId, projectId, by) =>
      db.transaction().execute(async (trx) => {
        const restored = await trx
          .updateTable("projects")
          .set({ deleted_at: null, deleted_by: null })
          .where("id", "=", projectId)
          .where("organization_id", "=", organizationId)
          .where("deleted_at", "is not", null)
          .where(eraseAfter, ">", sql<Date>`now()`)
          .returning("slug")
          .executeTakeFirst();
        if (restored === undefined) return false;
        const act = { personId: by, organizationId, projectId, subject: projectId };
        await writeAudit(trx, { ...act, action: "project.restored", detail: { slug: restored.slug } });
        return true;
      }),

    deletedOf: async (organizationId) => {
      const rows = await db
        .selectFrom("projects")
        .leftJoin("people", "people.id", "projects.deleted_by")
        .select(["projects.id", "projects.slug", "projects.deleted_at", "people.name", eraseAfter.as("until")])
        .where("projects.organization_id", "=", organizationId)
        .where("projects.deleted_at", "is not", null)
        .where(eraseAfter, ">", sql<Date>`now()`)
        .orderBy("projects.deleted_at", "desc")
        .execute();
      return rows.map(({ id, slug, deleted_at, name, until }) => ({
        id,
        slug,
        deletedAt: (deleted_at as Date).toISOString(),
        deletedBy: name,
        restorableUntil: until.toISOString(),
      }));
    },

    unsettled: async () => {
      const rows = await db
        .selectFrom("projects")
        .select("id")
        .where((eb) =>
          eb.or([
            eb.and([eb("deleted_at", "is", null), eb("on_cell", "<>", "served")]),
            eb.and([eb("deleted_at", "is not", null), eb("on_cell", "<>", "suspended")]),
            eb(eraseAfter, "<=", sql<Date>`now()`),
          ]),
        )
        .execute();
      return rows.map(({ id }) => id);
    },

    settle: (projectId, work) =>
      db.connection().execute(async (connection) => {
        const lock = sql`hashtextextended(${`plinth.settle/${projectId}`}, 0)`;
        await sql`SELECT pg_advisory_lock(${lock})`.execute(connection);
        try {
          const row = await connection
            .selectFrom("projects")
            .innerJoin("cells", "cells.id", "projects.cell_id")
            .select(["projects.id", "projects.slug", "projects.cell_id", "projects.on_cell", "cells.internal_url"])
            .select(
              sql<Unsettled["wanted"]>`CASE WHEN projects.deleted_at IS NULL THEN 'served'
              WHEN ${eraseAfter} <= now() THEN 'erased' ELSE 'suspended' END`.as("wanted"),
            )
            .where("projects.id", "=", projectId)
            .executeTakeFirst();
          if (row === undefined || row.wanted === row.on_cell) return;
          // Before the call: whatever becomes of its answer, the cell is told again.
          await connection.updateTable("projects").set({ on_cell: "unsure" }).where("id", "=", projectId).execute();
          const told = await work({
            id: row.id,
            slug: row.slug,
            cellId: row.cell_id,
            cellUrl: row.internal_url,
            wanted: row.wanted,
            onCell: row.on_cell,
          });
          if (told === "erased") return await forget(connection, projectId);
          await connection.updateTable("projects").set({ on_cell: told }).where("id", "=", projectId).execute();
        } finally {
          await sql`SELECT pg_advisory_unlock(${lock})`.execute(connection);
        }
      }),
  };
}

/** The log keeps what was done in it. */
async function forget(db: ControlDatabase, projectId: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const gone = await trx
      .deleteFrom("projects")
      .where("id", "=", projectId)
      .where("deleted_at", "is not", null)
      .returning(["organization_id", "slug"])
      .executeTakeFirst();
    if (gone === undefined) return;
    const act = { personId: null, organizationId: gone.organization_id, projectId, subject: projectId };
    await writeAudit(trx, { ...act, action: "project.erased", detail: { slug: gone.slug } });
  });
}
