// Cells in the database. In: the cell of the settings. Out: rows, and the cell for a new project. It never calls a cell;
// `client.ts` does.
import type { ControlDatabase } from "../database/tables.ts";

export interface CellSettings {
  readonly id: string;
  readonly internalUrl: string;
  readonly publicUrl: string;
}

export interface CellStore {
  /** Stores the address of the cell in the settings. An operator adds other cells as rows. */
  register(cell: CellSettings): Promise<void>;
  /** The open cell with the fewest projects. Null if none is open. */
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
      // Cells of a database that had one public address for all cells.
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
