// The shape of a project's schema and of the plan that changes it.
import type { SqlTemplate } from "./bundle.ts";

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly uniques: readonly (readonly string[])[];
  readonly indexes: readonly Index[];
  readonly foreignKeys: readonly ForeignKey[];
  readonly checks: readonly Check[];
}

export interface Column {
  readonly name: string;
  readonly sqlType: string;
  readonly nullable: boolean;
  /** SQL expression, or null. */
  readonly default: string | null;
}

export interface Index {
  readonly name: string;
  readonly columns: readonly string[];
}

export interface ForeignKey {
  readonly name: string;
  readonly column: string;
  readonly table: string;
  readonly onDelete: "restrict" | "set null" | "cascade";
}

export interface Check {
  readonly name: string;
  readonly expression: string;
}

export interface MigrationPlan {
  readonly steps: readonly MigrationStep[];
}

export interface MigrationStep {
  /** Stable within a plan: "001-create-table-shipments". The ledger's key together with the release. */
  readonly id: string;
  /** One sentence for a person. */
  readonly summary: string;
  readonly risk: "safe" | "online";
  /** Holes: `{schema}`, `{owner}`, `{worker}`. */
  readonly sql: SqlTemplate;
  /** CREATE INDEX CONCURRENTLY and the like can't stand in a transaction. */
  readonly transactional: boolean;
}
