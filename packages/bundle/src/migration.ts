// The shape of a project's schema and of the plan that changes it.
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
  /** Absent: nothing of it is searched, or by an index over an expression, as formats 1 and 2 have it. */
  readonly search?: TableSearch;
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
  /** Where it holds what the service has encrypted: no value of it is one of another column. */
  readonly encrypted?: true;
}

/** A unique index; its name is what Postgres reports in a violation. `where` is a predicate over the row, or null for all rows. */
export interface Unique {
  readonly name: string;
  readonly columns: readonly string[];
  readonly where: string | null;
  /** Where a table of format 1 has a unique constraint in the place of the index. */
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
 * Enforced at the end of the statement (NO ACTION): what a delete does to referrers, the runtime's statements do. A table
 * of format 1 has keys that restrict or set null by themselves; the next plan replaces them.
 */
export interface ForeignKey {
  readonly name: string;
  readonly column: string;
  readonly table: string;
  readonly onDelete: "no action" | "cascade" | "restrict" | "set null";
}

/** A check over the columns of one row; kept as data so that a plan can tell a wider rule from a narrower one. */
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
 * No two rows with the same values may overlap. Rows count once their `guard` is true, a column that this makes: what stands
 * already is let in little by little, so that nobody waits while an index over all of it is built.
 */
export interface Exclusion {
  /** Of the constraint, which Postgres reports in a violation. */
  readonly name: string;
  readonly guard: string;
  readonly same: readonly string[];
  /** A range of this type, from one column up to, not including, another. */
  readonly rangeType: string;
  readonly from: string;
  readonly to: string;
  /** SQL over quoted column names; null for all rows. */
  readonly where: string | null;
}

/** A column that holds what the texts of a row are found by, kept by a trigger, with an index over it. It is among no `columns`. */
export interface TableSearch {
  readonly column: string;
  readonly index: string;
  /** A `tsvector`, never null: SQL over quoted column names, which may have subqueries. */
  readonly value: string;
}

/** Old name > new name; tables by name, columns by the table's new name. Only what exists before and not after. */
export interface Renames {
  readonly tables: Readonly<Record<string, string>>;
  readonly columns: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface MigrationPlan {
  readonly steps: readonly MigrationStep[];
}

export type StepClass = "safe" | "online" | "backfill" | "data_dependent" | "rewrite" | "destructive";

/**
 * `before`: the old release serves, and must go on doing so. `switch`: all such steps run in one transaction together with
 * the activation of the new release, so they are short. `after`: the new release serves.
 */
export type StepPhase = "before" | "switch" | "after";

/** The strongest lock that a step takes on a table that stands already, by Postgres's names. */
export type LockMode = "none" | "row exclusive" | "share update exclusive" | "share row exclusive" | "access exclusive";

interface StepFacts {
  /** Stable within a plan: "001-create-table-shipments". The ledger's key together with the release. */
  readonly id: string;
  /** One sentence for a person. */
  readonly summary: string;
  readonly class: StepClass;
  readonly phase: StepPhase;
  /** The table that stands already and is touched, by the name that it has before the plan; null for none. */
  readonly table: string | null;
  readonly lock: LockMode;
  /** Whether every row is written anew. */
  readonly rewrites: boolean;
  /** Whether every row is read. */
  readonly scans: boolean;
  /** One sentence: how it is undone. */
  readonly undo: string;
}

/** Holes of all SQL here: `{schema}`, `{owner}`, `{worker}`. */
export type MigrationStep =
  | (StepFacts & {
      readonly kind: "statement";
      readonly sql: SqlTemplate;
      /** CREATE INDEX CONCURRENTLY and the like can't stand in a transaction. */
      readonly transactional: boolean;
      /** One statement that takes away what a broken earlier try of this step left; null where a rollback does. */
      readonly cleanup: SqlTemplate | null;
    })
  /**
   * One batch: holes `{after}` (the key where the last batch ended, a text parameter, null at first) and `{limit}` besides.
   * Answers one row: the last key (null where nothing was left), and how many rows it wrote.
   */
  | (StepFacts & { readonly kind: "backfill"; readonly sql: SqlTemplate })
  /** Stops the deployment, with nothing changed, where `count` is above zero. */
  | (StepFacts & {
      readonly kind: "verify";
      /** One row, one number: how many rows stand in the way. */
      readonly count: SqlTemplate;
      /** At most five rows of them: `id` and what is wrong, as text. */
      readonly sample: SqlTemplate;
      /** "no value for price": told as "12 records of listings have ...". */
      readonly violation: string;
    })
  /** Takes a column or a table out of service under another name; it is dropped when its time is over. */
  | (StepFacts & { readonly kind: "set_aside"; readonly what: SetAside; readonly sql: SqlTemplate })
  /** Brings it back. */
  | (StepFacts & { readonly kind: "restore"; readonly what: SetAside; readonly sql: SqlTemplate });

/** How long a dropped column or table is kept. */
export const SET_ASIDE_DAYS = 7;

/** A dropped column or table as it is kept. */
export interface SetAside {
  readonly kind: "table" | "column";
  /** Name that it had; of a column, the table's too. */
  readonly table: string;
  readonly column: string | null;
  /** Name that it is kept under. */
  readonly keptAs: string;
  /** Of a column; ` (encrypted)` follows where it is. */
  readonly sqlType: string | null;
  /** Of a table: as it stands while it is kept (under that name, without foreign keys), so that a restore knows whether it fits. */
  readonly was: Table | null;
}
