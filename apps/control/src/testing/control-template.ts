// The database of control after its migrations, for tests to copy. Only tests import it.
import { createPool } from "@plinth/postgres";
import type { DatabaseTemplate } from "@plinth/testkit";
import { migrateDatabase } from "../database/connect.ts";

export const controlTemplate: DatabaseTemplate = {
  name: "control",
  prepare: async (connectionString) => {
    const pool = createPool({ connectionString, max: 1, applicationName: "template of control" });
    await migrateDatabase(pool);
    await pool.end();
  },
};
