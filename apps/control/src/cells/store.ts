// Cells in the database. In: the cell that the settings name. Out: rows, and which of them takes a new project.
// It never talks to a cell; see `client.ts`.
import type { ControlDatabase } from "../database/tables.ts";

export interface CellSettings {
  readonly id: string;
  readonly internalUrl: string;
  readonly publicUrl: string;
}

export interface CellStore {
  /** Writes down where the cell of the settings is; an operator adds further ones as rows. */
  register(cell: CellSettings): Promise<void>;
  /** The open cell with the fewest projects; null where none is open. */
  forNewProject(): Promise<CellSettings | null>;
}

export function createCellStore(db: ControlDatabase): CellStore {
  return {
    register: async ({ id, internalUrl, publicUrl }) => {
      const row = { internal_url: internalUrl, public_url: publicUrl };
      await db
        .insertInto("cells")
        .values({ id, ...row })
        .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
        .execute();
      // Those of a database that knew one public address for all.
      await db.updateTable("cells").set({ public_url: publicUrl }).where("public_url", "=", "").execute();
    },
    forNewProject: async () => {
      const row = await db
        .selectFrom("cells")
        .leftJoin("projects", "projects.cell_id", "cells.id")
        .select(["cells.id", "cells.internal_url", "cells.public_url"])
        .where("cells.status", "=", "open")
        .groupBy("cells.id")
        .orderBy((eb) => eb.fn.count("projects.id"))
        .orderBy("cells.id")
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? null : { id: row.id, internalUrl: row.internal_url, publicUrl: row.public_url };
    },
  };
}
