// Deleted projects in the database. In: ids. Out: rows, and the states that cells have not confirmed. It never calls a cell.
import { type Selectable, sql } from "kysely";
import type { Placement } from "../cells/transport.ts";
import { type AuditEntry, writeAudit } from "../database/audit.ts";
import type { ControlDatabase, ProjectsTable } from "../database/tables.ts";
import type { DeletedProject } from "./api.ts";

export const RESTORABLE_DAYS = 7;
const RESTORABLE = sql`now() + make_interval(days => ${sql.lit(RESTORABLE_DAYS)})`;

/** A project whose cell has not confirmed the wanted state yet. */
export interface Unsettled extends Placement {
  readonly wanted: "served" | "suspended" | "erased";
  readonly onCell: "served" | "unsure" | "suspended";
}

export interface DeletionStore {
  /**
   * Marks a project with all its environments as deleted but restorable, or one environment to be erased immediately.
   * @returns The marked ids. `deploying`: a deployment of one of them is running.
   */
  markDeleted(projectId: string, by: string): Promise<readonly string[] | "deploying" | "gone">;
  /** The ids of the project and of the environments that were deleted with it. Empty if it isn't deleted or can't be restored. */
  markRestored(organizationId: string, projectId: string, by: string): Promise<readonly string[]>;
  deletedOf(organizationId: string): Promise<readonly DeletedProject[]>;
  unsettled(): Promise<readonly string[]>;
  /**
   * Runs `work` for a project whose cell has not confirmed its state, excluding all other processes. Does nothing if the state is
   * confirmed.
   * @param work Returns the state that the cell has confirmed.
   */
  settle(projectId: string, work: (project: Unsettled) => Promise<"served" | "suspended" | "erased">): Promise<void>;
}

export function createDeletionStore(db: ControlDatabase): DeletionStore {
  return {
    markDeleted: (projectId, by) =>
      db.transaction().execute(async (trx) => {
        const project = await trx
          .selectFrom("projects")
          .select(["organization_id", "slug", "parent_id"])
          .where("id", "=", projectId)
          .where("deleted_at", "is", null)
          .forUpdate()
          .executeTakeFirst();
        if (project === undefined) return "gone";
        // Locked after its parent, in the same order as everywhere. No other environment can be created at the same time, because
        // that locks the parent too.
        const environments = await trx
          .selectFrom("projects")
          .select("id")
          .where("parent_id", "=", projectId)
          .where("deleted_at", "is", null)
          .orderBy("id")
          .forUpdate()
          .execute();
        const ids = [projectId, ...environments.map(({ id }) => id)];
        const unfinished = await trx
          .selectFrom("deployments")
          .select("id")
          .where("project_id", "in", ids)
          .where("finished_at", "is", null)
          .executeTakeFirst();
        if (unfinished !== undefined) return "deploying";
        await trx
          .updateTable("projects")
          .set({
            deleted_at: sql`now()`,
            deleted_by: by,
            erase_after: project.parent_id === null ? RESTORABLE : sql`now()`,
          })
          .where("id", "in", ids)
          .execute();
        await writeAudit(trx, { personId: by, ...aboutEnd(projectId, project, "deleted") });
        return ids;
      }),

    markRestored: (organizationId, projectId, by) =>
      db.transaction().execute(async (trx) => {
        const restored = await trx
          .updateTable("projects")
          .set({ deleted_at: null, deleted_by: null, erase_after: null })
          .where("id", "=", projectId)
          .where("parent_id", "is", null)
          .where("organization_id", "=", organizationId)
          .where("erase_after", ">", sql<Date>`now()`)
          .returning("slug")
          .executeTakeFirst();
        if (restored === undefined) return [];
        const environments = await trx
          .updateTable("projects")
          .set({ deleted_at: null, deleted_by: null, erase_after: null })
          .where("parent_id", "=", projectId)
          .where("erase_after", ">", sql<Date>`now()`)
          .returning("id")
          .execute();
        const act = { personId: by, organizationId, projectId, subject: projectId };
        await writeAudit(trx, { ...act, action: "project.restored", detail: { slug: restored.slug } });
        return [projectId, ...environments.map(({ id }) => id)];
      }),

    deletedOf: async (organizationId) => {
      const rows = await db
        .selectFrom("projects")
        .leftJoin("people", "people.id", "projects.deleted_by")
        .select(["projects.id", "projects.slug", "projects.deleted_at", "people.name", "projects.erase_after"])
        .where("projects.organization_id", "=", organizationId)
        .where("projects.parent_id", "is", null)
        .where("projects.erase_after", ">", sql<Date>`now()`)
        .orderBy("projects.deleted_at", "desc")
        .execute();
      return rows.map(({ id, slug, deleted_at, name, erase_after }) => ({
        id,
        slug,
        deletedAt: (deleted_at as Date).toISOString(),
        deletedBy: name,
        restorableUntil: (erase_after as Date).toISOString(),
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
            eb("erase_after", "<=", sql<Date>`now()`),
          ]),
        )
        // Environments, which have a parent, before the projects that they refer to.
        .orderBy("parent_id", (order) => order.asc().nullsLast())
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
              // A project is erased after its environments: it waits while one of them is left.
              sql<Unsettled["wanted"]>`CASE WHEN projects.deleted_at IS NULL THEN 'served'
              WHEN projects.erase_after <= now() AND NOT EXISTS (
                SELECT FROM control.projects environment WHERE environment.parent_id = projects.id) THEN 'erased'
              ELSE 'suspended' END`.as("wanted"),
            )
            .where("projects.id", "=", projectId)
            .executeTakeFirst();
          if (row === undefined || row.wanted === row.on_cell) return;
          // Recorded before the call: whatever its answer is, the cell is called again.
          await connection.updateTable("projects").set({ on_cell: "unsure" }).where("id", "=", projectId).execute();
          const confirmed = await work({
            id: row.id,
            slug: row.slug,
            cellId: row.cell_id,
            cellUrl: row.internal_url,
            wanted: row.wanted,
            onCell: row.on_cell,
          });
          if (confirmed === "erased") return await forget(connection, projectId);
          await connection.updateTable("projects").set({ on_cell: confirmed }).where("id", "=", projectId).execute();
        } finally {
          await sql`SELECT pg_advisory_unlock(${lock})`.execute(connection);
        }
      }),
  };
}

/** The log keeps the actions in it. */
async function forget(db: ControlDatabase, projectId: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const gone = await trx
      .deleteFrom("projects")
      .where("id", "=", projectId)
      .where("deleted_at", "is not", null)
      .returning(["organization_id", "slug", "parent_id"])
      .executeTakeFirst();
    if (gone === undefined) return;
    await writeAudit(trx, { personId: null, ...aboutEnd(projectId, gone, "erased") });
  });
}

/** The end of an environment is an action in the project that it belongs to. */
function aboutEnd(
  id: string,
  project: Pick<Selectable<ProjectsTable>, "organization_id" | "slug" | "parent_id">,
  end: "deleted" | "erased",
): Omit<AuditEntry, "personId"> {
  const { organization_id: organizationId, slug, parent_id: parentId } = project;
  const action = `${parentId === null ? "project" : "environment"}.${end}`;
  return { organizationId, projectId: parentId ?? id, subject: id, action, detail: { slug } };
}
