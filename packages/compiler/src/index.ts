export { compileModel } from "./compile.ts";
export { diffOpenapi } from "./contract/openapi-diff.ts";
export { type Planned, planMigration } from "./migration/migration.ts";
export type { Refusal } from "./migration/migration-step.ts";
export { planSql, schemaSql } from "./migration/schema-sql.ts";
export { type Proposed, type ProposedChange, proposeChange } from "./propose.ts";
