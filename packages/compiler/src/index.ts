export { compileModel } from "./compile.ts";
export { type Planned, planMigration } from "./migration.ts";
export type { Refusal } from "./migration-step.ts";
export { diffOpenapi } from "./openapi-diff.ts";
export { type Proposed, type ProposedChange, proposeChange } from "./propose.ts";
export { planSql, schemaSql } from "./schema-sql.ts";
