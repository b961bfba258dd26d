// The environments that are renamed with their project. In: the project and its new name. Out: the cell and the new name of each
// environment. It renames nothing.
import { slugOfEnvironment } from "@plinth/bundle";
import type { Placement } from "../cells/transport.ts";
import type { Connection } from "../database/tables.ts";

/** The environments of a project that gets this name, if a cell knows them. */
export async function renamedWith(db: Connection, rootId: string, name: string): Promise<readonly Placement[]> {
  const rows = await db
    .selectFrom("projects")
    .innerJoin("cells", "cells.id", "projects.cell_id")
    .select(["projects.id", "projects.environment_name", "projects.cell_id", "cells.internal_url"])
    .where("projects.parent_id", "=", rootId)
    .where("projects.provisioned_at", "is not", null)
    // A cell creates a project when it gets a name for it. It must not create an erased one again.
    .where("projects.deleted_at", "is", null)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    slug: slugOfEnvironment({ project: name, environment: row.environment_name }),
    cellId: row.cell_id,
    cellUrl: row.internal_url,
  }));
}
