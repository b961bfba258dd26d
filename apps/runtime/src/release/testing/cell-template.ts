// The database of a cell after its migrations, for tests to copy. Only tests import it.
import { createPool, runMigrations } from "@plinth/postgres";
import type { DatabaseTemplate } from "@plinth/testkit";
import { CELL_SCHEMA, cellMigrations } from "../cell-tables.ts";

export const cellTemplate: DatabaseTemplate = {
  name: "cell",
  prepare: async (connectionString) => {
    const pool = createPool({ connectionString, max: 1, applicationName: "template of a cell" });
    await runMigrations({ pool, schema: CELL_SCHEMA, migrations: cellMigrations });
    await pool.end();
  },
};
