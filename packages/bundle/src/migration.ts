// The shape of a project's schema and of the plan that changes it.
import type { SqlTemplate } from "./template.ts";

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly uniques: readonly Unique[];
  readonly indexes: readonly Index[];
  readonly foreignKeys: readonly ForeignKey[];
  readonly checks: readonly Check[];
  /** What the worker role may do with the rows; the owner role may do everything. */
  readonly privileges: readonly Privilege[];
}

export type Privilege = "select" | "insert" | "update" | "delete";

export interface Column {
  readonly name: string;
  readonly sqlType: string;
  readonly nullable: boolean;
  /** SQL expression, or null. */
  readonly default: string | null;
  /** `generated always as identity`: only Postgres ever sets it. */
  readonly identity: boolean;
}

/** A unique constraint; its name is what Postgres reports in a violation. */
export interface Unique {
  readonly name: string;
  readonly columns: readonly string[];
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

/** A check of one column; kept as data so that a plan can tell a wider rule from a narrower one. */
export interface Check {
  readonly name: string;
  readonly column: string;
  readonly rule:
    | { readonly kind: "one_of"; readonly values: readonly string[] }
    | { readonly kind: "max_length"; readonly max: number };
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
  /** One statement that takes away what a broken earlier try of this step left; null where a rollback does. */
  readonly cleanup: SqlTemplate | null;
}
