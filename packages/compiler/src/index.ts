export { compileModel } from "./compile.ts";
export { type Planned, planMigration, type Refusal } from "./migration.ts";
export { planSql, schemaSql } from "./schema-sql.ts";
