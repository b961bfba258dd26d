// Plans how one schema becomes another. In: the tables before and after. Out: ordered steps, and what it refuses, with the reason.
// It never plans a step that could lose a row, fail on one, or block writers for as long as a table is long.
import type { Check, Column, MigrationPlan, MigrationStep, Table } from "@plinth/bundle";
import * as ddl from "./ddl.ts";

export interface Refusal {
  /** `listings`, `listings.price` or `listings.<constraint>`. */
  readonly path: string;
  /** One sentence for the author. */
  readonly reason: string;
}

export interface Planned {
  /** Without steps where anything is refused. */
  readonly plan: MigrationPlan;
  readonly refused: readonly Refusal[];
}

const STEP_ID_LENGTH_MAX = 120;

type Step = Omit<MigrationStep, "id"> & { readonly slug: string };

/**
 * Tables come first, then what existing tables gain, then foreign keys, then the checks of rows that stand already.
 * A plan from a schema to itself is empty.
 */
export function planMigration(before: readonly Table[] | null, after: readonly Table[]): Planned {
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
  return safe(`create-table-${table.name}`, `Create the table ${table.name}.`, ddl.createTable(table));
}

function foreignKeysOfNew(table: Table): readonly Step[] {
  return table.foreignKeys.map((key) =>
    safe(
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

interface Change {
  readonly steps: readonly Step[];
  readonly refused: readonly Refusal[];
}

function changeOf(before: Table, after: Table): Change {
  const parts = [columnsChange, checksChange, foreignKeysChange, uniquesChange, indexesChange, privilegesChange];
  const changes = parts.map((part) => part(before, after));
  return { steps: changes.flatMap((change) => change.steps), refused: changes.flatMap((change) => change.refused) };
}

function columnsChange(before: Table, after: Table): Change {
  const table = after.name;
  const matched = pair(before.columns, after.columns);
  const steps: Step[] = [];
  const refused: Refusal[] = [];
  for (const column of matched.removed) {
    const reason = `Removing ${table}.${column.name} would delete what it holds.`;
    refused.push({ path: `${table}.${column.name}`, reason });
  }
  for (const [old, column] of matched.kept) {
    const reason = refuseColumnChange(table, old, column);
    if (reason !== null) refused.push({ path: `${table}.${column.name}`, reason });
    else steps.push(...relaxColumn(table, old, column));
  }
  for (const column of matched.added) {
    if (column.nullable || column.default !== null) steps.push(addColumn(table, column));
    else {
      const reason = `${table}.${column.name} is required and has no default, so records that stand already would have no value for it. Make it optional, or give it a default.`;
      refused.push({ path: `${table}.${column.name}`, reason });
    }
  }
  return { steps, refused };
}

function refuseColumnChange(table: string, before: Column, after: Column): string | null {
  const name = `${table}.${after.name}`;
  if (before.sqlType !== after.sqlType || before.identity !== after.identity)
    return `Changing ${name} from ${before.sqlType} to ${after.sqlType} would rewrite what it holds.`;
  if (before.nullable && !after.nullable)
    return `Making ${name} required could fail: records that stand already may have no value for it.`;
  return null;
}

function relaxColumn(table: string, before: Column, after: Column): readonly Step[] {
  const steps: Step[] = [];
  const name = `${table}.${after.name}`;
  if (!before.nullable && after.nullable)
    steps.push(safe(`relax-${table}-${after.name}`, `Make ${name} optional.`, ddl.dropNotNull(table, after.name)));
  if (before.default !== after.default)
    steps.push(safe(`default-${table}-${after.name}`, `Change the default of ${name}.`, ddl.setDefault(table, after)));
  return steps;
}

/** A constant default does not rewrite the table: Postgres keeps it beside the rows. */
function addColumn(table: string, column: Column): Step {
  const kind = column.nullable ? "optional" : "with its default";
  const summary = `Add the column ${table}.${column.name} (${kind}).`;
  return safe(`add-column-${table}-${column.name}`, summary, ddl.addColumn(table, column));
}

function checksChange(before: Table, after: Table): Change {
  const table = after.name;
  const matched = pair(before.checks, after.checks);
  const old = new Set(before.columns.map((column) => column.name));
  const steps: Step[] = [];
  const refused: Refusal[] = [];
  for (const check of matched.removed) {
    if (!after.columns.some((column) => column.name === check.column)) continue;
    const summary = `Let ${table}.${check.column} hold any text.`;
    steps.push(safe(`drop-check-${table}-${check.column}`, summary, ddl.dropConstraint(table, check.name)));
  }
  for (const [was, check] of matched.kept) {
    if (sameRule(was, check)) continue;
    const narrower = narrowerBecause(table, was, check);
    if (narrower !== null) refused.push({ path: `${table}.${check.column}`, reason: narrower });
    else steps.push(...swapCheck(table, check));
  }
  for (const check of matched.added) {
    if (old.has(check.column)) {
      const reason = `Narrowing what ${table}.${check.column} may hold could fail on records that stand already.`;
      refused.push({ path: `${table}.${check.column}`, reason });
    } else steps.push(...addCheck(table, check));
  }
  return { steps, refused };
}

function narrowerBecause(table: string, before: Check, after: Check): string | null {
  const name = `${table}.${after.column}`;
  if (before.rule.kind === "one_of" && after.rule.kind === "one_of") {
    const values = new Set(after.rule.values);
    const lost = before.rule.values.filter((value) => !values.has(value));
    if (lost.length === 0) return null;
    return `Taking ${lost.join(", ")} away from ${name} could fail: records may hold ${lost.length === 1 ? "it" : "them"}.`;
  }
  if (before.rule.kind === "max_length" && after.rule.kind === "max_length" && after.rule.max >= before.rule.max)
    return null;
  return `Narrowing what ${name} may hold could fail on records that stand already.`;
}

/** Both lists hold the same values, in whichever order. */
function sameRule(a: Check, b: Check): boolean {
  if (a.rule.kind === "one_of" && b.rule.kind === "one_of")
    return [...a.rule.values].sort().join("\n") === [...b.rule.values].sort().join("\n");
  return a.rule.kind === "max_length" && b.rule.kind === "max_length" && a.rule.max === b.rule.max;
}

function swapCheck(table: string, check: Check): readonly Step[] {
  const swap = `${ddl.dropConstraint(table, check.name)}\n${ddl.addCheckUnproven(table, check)}`;
  const slug = `widen-check-${table}-${check.column}`;
  return [safe(slug, `Widen what ${table}.${check.column} may hold.`, swap), validate(table, check.column, check.name)];
}

function addCheck(table: string, check: Check): readonly Step[] {
  const summary = `Check what ${table}.${check.column} may hold.`;
  const add = safe(`add-check-${table}-${check.column}`, summary, ddl.addCheckUnproven(table, check));
  return [add, validate(table, check.column, check.name)];
}

function foreignKeysChange(before: Table, after: Table): Change {
  const table = after.name;
  const matched = pair(before.foreignKeys, after.foreignKeys);
  const old = new Set(before.columns.map((column) => column.name));
  const kept = new Set(after.columns.map((column) => column.name));
  const refused: Refusal[] = [];
  for (const key of matched.removed) {
    if (kept.has(key.column))
      refused.push({ path: `${table}.${key.column}`, reason: `${table}.${key.column} can't stop being a reference.` });
  }
  for (const [was, key] of matched.kept) {
    if (was.table === key.table && was.onDelete === key.onDelete) continue;
    const reason = `Changing what ${table}.${key.column} refers to, or what a delete there does, is not supported.`;
    refused.push({ path: `${table}.${key.column}`, reason });
  }
  const steps = matched.added.flatMap((key) => {
    if (old.has(key.column)) {
      const reason = `Making ${table}.${key.column} a reference could fail: its values may name no record.`;
      refused.push({ path: `${table}.${key.column}`, reason });
      return [];
    }
    const summary = `Let ${table}.${key.column} refer to ${key.table}.`;
    const sql = ddl.addForeignKey(table, key, "not checked yet");
    return [safe(`reference-${table}-${key.column}`, summary, sql), validate(table, key.column, key.name)];
  });
  return { steps, refused };
}

function uniquesChange(before: Table, after: Table): Change {
  const table = after.name;
  const matched = pair(before.uniques, after.uniques);
  const kept = new Set(after.columns.map((column) => column.name));
  const old = new Set(before.columns.map((column) => column.name));
  const empty = new Set(after.columns.filter((c) => !old.has(c.name) && c.default === null).map((c) => c.name));
  const refused: Refusal[] = [];
  for (const unique of matched.removed) {
    if (unique.columns.every((column) => kept.has(column)))
      refused.push({
        path: `${table}.${unique.columns.join("+")}`,
        reason: "Dropping a unique rule is not supported.",
      });
  }
  const steps = matched.added.flatMap((unique) => {
    const name = `${table}.${unique.columns.join("+")}`;
    if (!unique.columns.some((column) => empty.has(column))) {
      refused.push({ path: name, reason: `Making ${name} unique could fail: records may share a value already.` });
      return [];
    }
    const slug = `${table}-${unique.columns.join("-")}`;
    const index = online(
      `unique-index-${slug}`,
      `Build the index behind the unique ${name}.`,
      ddl.createIndexOnline(table, unique, "unique"),
      ddl.dropIndexOnline(unique.name),
    );
    return [index, safe(`unique-${slug}`, `Make ${name} unique.`, ddl.addUniqueByIndex(table, unique))];
  });
  return { steps, refused };
}

function indexesChange(before: Table, after: Table): Change {
  const steps = pair(before.indexes, after.indexes).added.map((index) =>
    online(
      `index-${after.name}-${index.columns.join("-")}`,
      `Build an index on ${after.name} (${index.columns.join(", ")}).`,
      ddl.createIndexOnline(after.name, index, "plain"),
      ddl.dropIndexOnline(index.name),
    ),
  );
  return { steps, refused: [] };
}

function privilegesChange(before: Table, after: Table): Change {
  const same = [...before.privileges].sort().join() === [...after.privileges].sort().join();
  const reason = `What the service may do with the rows of ${after.name} can't change.`;
  return { steps: [], refused: same ? [] : [{ path: after.name, reason }] };
}

function safe(slug: string, summary: string, sql: string): Step {
  return { slug, summary, risk: "safe", sql, transactional: true, cleanup: null };
}

function online(slug: string, summary: string, sql: string, cleanup: string): Step {
  return { slug, summary, risk: "online", sql, transactional: false, cleanup };
}

/** Reads the whole table, but blocks neither readers nor writers. */
function validate(table: string, column: string, constraint: string): Step {
  const summary = `Check the records of ${table} that stand already.`;
  const sql = ddl.validateConstraint(table, constraint);
  return { ...safe(`validate-${table}-${column}`, summary, sql), risk: "online" };
}

interface Pairs<T> {
  readonly removed: readonly T[];
  readonly kept: readonly (readonly [T, T])[];
  readonly added: readonly T[];
}

function pair<T extends { readonly name: string }>(before: readonly T[], after: readonly T[]): Pairs<T> {
  const old = new Map(before.map((item) => [item.name, item]));
  const names = new Set(after.map((item) => item.name));
  return {
    removed: before.filter((item) => !names.has(item.name)),
    kept: after.flatMap((item) => {
      const was = old.get(item.name);
      return was === undefined ? [] : [[was, item] as const];
    }),
    added: after.filter((item) => !old.has(item.name)),
  };
}
