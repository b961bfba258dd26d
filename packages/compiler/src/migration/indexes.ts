// Migrates indexes, including unique ones. In: a table's change, and the names in use. Out: steps, and the indexes that
// get another name at the switch. No build and no removal ever blocks a writer.
import type { Index, Unique } from "@plinth/bundle";
import { quoteIdentifier as q } from "../sql/sql-text.ts";
import type { Renamed, RuleChange } from "./checks.ts";
import { columnsIn } from "./column-sql.ts";
import * as ddl from "./ddl.ts";
import type { Matched, TableChange } from "./match.ts";
import { alteration, concurrent, type Step, UNDO_BY_DEPLOY } from "./migration-step.ts";
import { stagedName } from "./names.ts";
import { isFilled, underNamesOfNow, underNewNames } from "./table-sql.ts";
import { uniqueIsImplied, verifyUnique } from "./uniqueness.ts";

export function indexChanges(table: TableChange, schema: Matched): RuleChange {
  const left = new Set(table.before.indexes);
  const renamed: Renamed[] = [];
  const steps: Step[] = [];
  for (const index of table.after.indexes) {
    const key = JSON.stringify([index.method, index.keys, index.where]);
    const same = [...left].filter((one) => translatedIndex(table, one) === key);
    const kept = same.find((one) => one.name === index.name) ?? same[0];
    if (kept !== undefined) {
      left.delete(kept);
      renamed.push([kept.name, index.name]);
      continue;
    }
    const name = schema.namesBefore.has(index.name) ? stagedName(index.name) : index.name;
    renamed.push([name, index.name]);
    steps.push(build(table, index, name));
  }
  for (const index of left) steps.push(dropIndex(table, index.name, schema));
  return { steps, renamed: renamed.filter(([from, to]) => from !== to) };
}

function translatedIndex(table: TableChange, index: Index): string | null {
  const keys = index.keys.map((key) => underNewNames(table, key));
  const where = index.where === null ? null : underNewNames(table, index.where);
  if (keys.includes(null) || (index.where !== null && where === null)) return null;
  return JSON.stringify([index.method, keys, where]);
}

/** Before the switch, so that the new release finds it; over new columns while the old ones still exist. */
function build(table: TableChange, index: Index, name: string): Step {
  const now = {
    ...index,
    name,
    keys: index.keys.map((key) => underNamesOfNow(table, key)),
    where: index.where === null ? null : underNamesOfNow(table, index.where),
  };
  return concurrent(
    {
      slug: `index-${index.name}`,
      stage: "index",
      summary: `Build an index on ${table.after.name} (${index.keys.map((key) => keyText(table, key)).join(", ")}).`,
      table: table.before.name,
      undo: "Deploy the previous version: the index is removed.",
      scans: true,
    },
    ddl.createIndexOnline(table.before.name, now),
    ddl.dropIndexOnline(name),
  );
}

/** For an expression, the columns in it. */
function keyText({ after }: TableChange, key: string): string {
  if (!key.startsWith("(")) return key.replaceAll('"', "");
  const names = columnsIn(key);
  return after.columns.flatMap(({ name }) => (names.has(name) ? [name] : [])).join(" + ");
}

/** A constraint that no longer applies can be removed later; one whose name is needed can't. */
function dropIndex(table: TableChange, name: string, schema: Matched): Step {
  const common = { table: table.before.name, undo: "Deploy the previous version: the index is built again." } as const;
  const summary = `Remove the index ${name}.`;
  const slug = `drop-index-${name}`;
  if (schema.namesAfter.has(name))
    return alteration({ ...common, slug, stage: "loosen", summary }, ddl.dropIndex(name));
  return concurrent({ ...common, slug, stage: "sweep", summary }, ddl.dropIndexOnline(name), null);
}

export function uniqueChanges(table: TableChange, schema: Matched): RuleChange {
  const left = new Set(table.before.uniques);
  const renamed: Renamed[] = [];
  const steps: Step[] = [];
  const added: Unique[] = [];
  for (const unique of table.after.uniques) {
    const key = JSON.stringify([unique.columns, unique.where]);
    const kept = [...left].find((one) => one.constraint !== true && translatedUnique(table, one) === key);
    if (kept === undefined) added.push(unique);
    else {
      left.delete(kept);
      renamed.push([kept.name, unique.name]);
      if (isFilled(table, unique.columns)) steps.push(verifyUnique(table, unique));
    }
  }
  for (const unique of added) {
    if (uniqueIsImplied(table, unique)) {
      const name = schema.namesBefore.has(unique.name) ? stagedName(unique.name) : unique.name;
      steps.push(buildUnique(table, unique, name, "index"));
      renamed.push([name, unique.name]);
      continue;
    }
    steps.push(verifyUnique(table, unique));
    const stands = [...left].find((one) => underNewColumns(table, one.columns) === unique.columns.join());
    if (stands === undefined) steps.push(buildUnique(table, unique, unique.name, "build"));
    else {
      left.delete(stands);
      renamed.push([stands.name, unique.name]);
      steps.push(...swapUnique(table, unique, stands));
    }
  }
  for (const unique of left) {
    const columns = unique.columns.map((name) => table.columns.find((one) => one.before?.name === name)?.after.name);
    steps.push(
      dropUnique(
        table,
        unique,
        added.some((one) => one.columns.join() === columns.join()),
      ),
    );
  }
  return { steps, renamed: renamed.filter(([from, to]) => from !== to) };
}

function translatedUnique(table: TableChange, unique: Unique): string | null {
  const columns = underNewNames(table, ddl.columnList(unique.columns));
  const where = unique.where === null ? null : underNewNames(table, unique.where);
  if (columns === null || (unique.where !== null && where === null)) return null;
  return JSON.stringify([columns.split(", ").map((column) => column.slice(1, -1)), where]);
}

function underNewColumns(table: TableChange, columns: readonly string[]): string | null {
  return underNewNames(table, ddl.columnList(columns))?.replaceAll('"', "").replaceAll(", ", ",") ?? null;
}

/**
 * Before the switch only if no write of the old release can violate it. Otherwise after it: if the new release writes a
 * duplicate meanwhile, the build fails and the deployment reports it.
 */
function buildUnique(table: TableChange, unique: Unique, name: string, stage: "index" | "build"): Step {
  const { before, after } = table;
  const now = {
    name,
    columns: unique.columns.map((column) => underNamesOfNow(table, q(column)).slice(1, -1)),
    where: unique.where === null ? null : underNamesOfNow(table, unique.where),
  };
  const sql =
    stage === "index"
      ? ddl.createUniqueOnline(before.name, now)
      : ddl.createUniqueOnline(after.name, { ...unique, name });
  return concurrent(
    {
      slug: `unique-${unique.name}`,
      stage,
      summary: `Add a unique constraint: no two records of ${after.name} can have the same ${unique.columns.join("+")}${whereText(unique)}.`,
      table: before.name,
      undo: "Deploy the previous version: the constraint is removed.",
      class: stage === "index" ? "online" : "data_dependent",
      scans: true,
    },
    sql,
    ddl.dropIndexOnline(name),
  );
}

function whereText({ where }: Unique): string {
  return where === null ? "" : ` where ${where.replaceAll('"', "")}`;
}

/** The existing narrower constraint still applies, under the new name, until the new one is built. */
function swapUnique(table: TableChange, unique: Unique, stands: Unique): readonly Step[] {
  const staged = stagedName(unique.name);
  const given = {
    slug: `swap-unique-${unique.name}`,
    stage: "finish",
    summary: `Replace the old unique constraint on ${table.after.name} (${unique.columns.join(", ")}) by the new one.`,
    table: table.before.name,
    undo: UNDO_BY_DEPLOY,
  } as const;
  const drop =
    stands.constraint === true ? ddl.dropConstraint(table.after.name, unique.name) : ddl.dropIndex(unique.name);
  const sql = `${drop}\n${ddl.renameIndex(staged, unique.name)}`;
  return [buildUnique(table, unique, staged, "build"), alteration(given, sql)];
}

/** At the switch: the old release still promises it, the new one may violate it at once. */
function dropUnique(table: TableChange, unique: Unique, replaced: boolean): Step {
  const columns = unique.columns.join("+");
  const given = {
    slug: `drop-unique-${unique.name}`,
    stage: "loosen",
    summary: replaced
      ? `Remove the old unique constraint on ${table.before.name} (${columns}); the new one replaces it.`
      : `Remove the unique constraint on ${columns} of ${table.before.name}.`,
    table: table.before.name,
    undo: "Deploy the previous version: the constraint is added again, if no two records have the same value.",
  } as const;
  // If a table of format 1 has a constraint, its index belongs to it and can only be removed with it.
  const { constraint, name } = unique;
  return alteration(given, constraint === true ? ddl.dropConstraint(table.before.name, name) : ddl.dropIndex(name));
}
