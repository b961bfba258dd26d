// The shape of a project's schema and of a migration plan.
import type { SqlTemplate } from "./template.ts";

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** `id`, or both columns of a join table. */
  readonly primaryKey: readonly string[];
  readonly uniques: readonly Unique[];
  readonly indexes: readonly Index[];
  readonly foreignKeys: readonly ForeignKey[];
  readonly checks: readonly Check[];
  /** Absent: there are none. */
  readonly exclusions?: readonly Exclusion[];
  /** Absent: it has no search, or one by an index over an expression, as in formats 1 and 2. */
  readonly search?: TableSearch;
  /** The rights of the worker role on the rows; the owner role can do everything. */
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
  /** Whether it contains values that the service has encrypted: such a value is never valid in another column. */
  readonly encrypted?: true;
}

/** A unique index; its name is what Postgres reports in a violation. `where` is a predicate over the row, or null for all rows. */
export interface Unique {
  readonly name: string;
  readonly columns: readonly string[];
  readonly where: string | null;
  /** Whether a table of format 1 has a unique constraint instead of the index. */
  readonly constraint?: true;
}

export interface Index {
  readonly name: string;
  readonly method: "btree" | "gin";
  /** Quoted columns or parenthesised expressions. */
  readonly keys: readonly string[];
  readonly where: string | null;
}

/**
 * Checked at the end of the statement (NO ACTION): the runtime's statements handle referrers. A table of format 1 has
 * keys that restrict or set null themselves; the next plan replaces them.
 */
export interface ForeignKey {
  readonly name: string;
  readonly column: string;
  readonly table: string;
  readonly onDelete: "no action" | "cascade" | "restrict" | "set null";
}

/** A check over the columns of one row; stored as data so that a plan can compare two of them. */
export interface Check {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rule:
    | { readonly kind: "one_of"; readonly values: readonly string[] }
    | { readonly kind: "subset_of"; readonly values: readonly string[] }
    | { readonly kind: "length"; readonly min: number | null; readonly max: number | null }
    | { readonly kind: "range"; readonly min: string | null; readonly max: string | null }
    /** SQL over quoted column names. */
    | { readonly kind: "sql"; readonly sql: string };
}

/**
 * Rows with equal values must not overlap. A row counts when its `guard` is true, which is a column for this purpose:
 * existing rows are included little by little, so that nobody waits while an index over all of them is built.
 */
export interface Exclusion {
  /** The name of the constraint, which Postgres reports in a violation. */
  readonly name: string;
  readonly guard: string;
  readonly same: readonly string[];
  /** A range of this type, from one column up to, but not including, another. */
  readonly rangeType: string;
  readonly from: string;
  readonly to: string;
  /** SQL over quoted column names; null for all rows. */
  readonly where: string | null;
}

/** A column for full-text search, with a trigger that updates it and an index over it. It is not in `columns`. */
export interface TableSearch {
  readonly column: string;
  readonly index: string;
  /** A `tsvector`, never null: SQL over quoted column names, which can contain subqueries. */
  readonly value: string;
}

/** Old name > new name; tables by name, columns by the table's new name. Only names that change. */
export interface Renames {
  readonly tables: Readonly<Record<string, string>>;
  readonly columns: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface MigrationPlan {
  readonly steps: readonly MigrationStep[];
}

export type StepClass = "safe" | "online" | "backfill" | "data_dependent" | "rewrite" | "destructive";

/**
 * `before`: the old release serves, and must continue to do so. `switch`: all such steps run in one transaction with
 * the activation of the new release, so they are short. `after`: the new release serves.
 */
export type StepPhase = "before" | "switch" | "after";

/** The strongest lock that a step takes on an existing table, by Postgres's names. */
export type LockMode = "none" | "row exclusive" | "share update exclusive" | "share row exclusive" | "access exclusive";

interface StepFacts {
  /** Stable within a plan: "001-create-table-shipments". With the release, it is the key in the ledger. */
  readonly id: string;
  /** One sentence for a person. */
  readonly summary: string;
  readonly class: StepClass;
  readonly phase: StepPhase;
  /** The existing table that the step changes, by its name before the plan; null for none. */
  readonly table: string | null;
  readonly lock: LockMode;
  /** Whether every row is rewritten. */
  readonly rewrites: boolean;
  /** Whether every row is read. */
  readonly scans: boolean;
  /** One sentence: how to undo it. */
  readonly undo: string;
}

/** Placeholders in all SQL here: `{schema}`, `{owner}`, `{worker}`. */
export type MigrationStep =
  | (StepFacts & {
      readonly kind: "statement";
      readonly sql: SqlTemplate;
      /** CREATE INDEX CONCURRENTLY and similar statements can't run in a transaction. */
      readonly transactional: boolean;
      /** One statement that removes what a failed earlier attempt of this step left; null if a rollback does. */
      readonly cleanup: SqlTemplate | null;
    })
  /**
   * One batch, with the additional placeholders `{after}` (the key at which the last batch ended, a text parameter,
   * null at first) and `{limit}`. It returns one row: the last key (null if nothing was left), and how many rows it
   * wrote.
   */
  | (StepFacts & { readonly kind: "backfill"; readonly sql: SqlTemplate })
  /** Stops the deployment, before any change, if `count` is above zero. */
  | (StepFacts & {
      readonly kind: "verify";
      /** One row, one number: how many rows violate the condition. */
      readonly count: SqlTemplate;
      /** At most five of these rows: `id` and the problem, as text. */
      readonly sample: SqlTemplate;
      /** "no value for price": shown as "12 records of listings have ...". */
      readonly violation: string;
    })
  /** Removes a column or a table, and keeps it under another name until it expires. */
  | (StepFacts & { readonly kind: "set_aside"; readonly what: SetAside; readonly sql: SqlTemplate })
  /** Restores it. */
  | (StepFacts & { readonly kind: "restore"; readonly what: SetAside; readonly sql: SqlTemplate });

/** How long a dropped column or table is kept. */
export const SET_ASIDE_DAYS = 7;

/** A dropped column or table as it is kept. */
export interface SetAside {
  readonly kind: "table" | "column";
  /** Its former name; for a column, the table's too. */
  readonly table: string;
  readonly column: string | null;
  /** The name under which it is kept. */
  readonly keptAs: string;
  /** For a column; ` (encrypted)` follows if it is. */
  readonly sqlType: string | null;
  /**
   * For a table: its definition while it is kept (under that name, without foreign keys), so that a restore knows
   * whether it fits.
   */
  readonly was: Table | null;
}
