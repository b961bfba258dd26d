// Plans how one schema becomes another. In: the tables before and after. Out: ordered steps, and what it refuses, with the reason.
// It never plans a step that could lose a row, fail on one, or block writers for as long as a table is long.
import type { MigrationPlan, MigrationStep, Renames, SetAside, Table } from "@plinth/bundle";
import { columnsChange } from "./column-changes.ts";
import {
  checksChange,
  foreignKeysChange,
  indexesChange,
  privilegesChange,
  uniquesChange,
} from "./constraint-changes.ts";
import * as ddl from "./ddl.ts";
import { type Change, safe } from "./migration/quick.ts";
import type { Refusal, Step } from "./migration-step.ts";

export interface Planned {
  /** Without steps where anything is refused. */
  readonly plan: MigrationPlan;
  readonly refused: readonly Refusal[];
}

export interface PlanInput {
  /** The live schema; null for none. */
  readonly before: readonly Table[] | null;
  readonly after: readonly Table[];
  readonly renames: Renames;
  /** What is kept of earlier drops, the oldest first: an add of the same brings it back. */
  readonly setAside: readonly SetAside[];
  /** Becomes part of the names that dropped columns and tables are kept under. */
  readonly tag: string;
}

const STEP_ID_LENGTH_MAX = 120;

/**
 * Tables come first, then what existing tables gain, then foreign keys, then the checks of rows that stand already.
 * A plan from a schema to itself is empty.
 */
export function planMigration({ before, after }: PlanInput): Planned {
  const known = new Map((before ?? []).map((table) => [table.name, table]));
  const created = after.filter((table) => !known.has(table.name));
  const changes = after.flatMap((table) => {
    const old = known.get(table.name);
    return old === undefined ? [] : [changeOf(old, table)];
  });
  const refused = [...refuseRemovedTables(before ?? [], after), ...changes.flatMap((change) => change.refused)];
  if (refused.length > 0) return { plan: { steps: [] }, refused };
  const steps = [
    ...created.map(createTable),
    ...changes.flatMap((change) => change.steps),
    ...created.flatMap(foreignKeysOfNew),
  ];
  return { plan: { steps: steps.map(numbered) }, refused };
}

function numbered({ slug, ...step }: Step, index: number): MigrationStep {
  const id = `${String(index + 1).padStart(3, "0")}-${slug.replaceAll("_", "-")}`;
  return { id: id.slice(0, STEP_ID_LENGTH_MAX), ...step };
}

function createTable(table: Table): Step {
  return safe(table.name, `create-table-${table.name}`, `Create the table ${table.name}.`, ddl.createTable(table));
}

function foreignKeysOfNew(table: Table): readonly Step[] {
  return table.foreignKeys.map((key) =>
    safe(
      key.table,
      `reference-${table.name}-${key.column}`,
      `Let ${table.name}.${key.column} refer to ${key.table}.`,
      ddl.addForeignKey(table.name, key, "checked"),
    ),
  );
}

function refuseRemovedTables(before: readonly Table[], after: readonly Table[]): readonly Refusal[] {
  const kept = new Set(after.map((table) => table.name));
  return before
    .filter((table) => !kept.has(table.name))
    .map((table) => ({ path: table.name, reason: `Removing ${table.name} would delete its records.` }));
}

function changeOf(before: Table, after: Table): Change {
  const parts = [columnsChange, checksChange, foreignKeysChange, uniquesChange, indexesChange, privilegesChange];
  const changes = parts.map((part) => part(before, after));
  return { steps: changes.flatMap((change) => change.steps), refused: changes.flatMap((change) => change.refused) };
}
