// What changes in a table's checks, references, unique rules, indexes and rights. In: a table before and after.
// Out: steps, and what is refused, with the reason. It never plans a rule that a record standing already could break.
import type { Check, Table } from "@plinth/bundle";
import { checkExpression, implies, sameRule } from "./check-sql.ts";
import * as ddl from "./ddl.ts";
import { type Change, online, pair, safe, validate } from "./migration/quick.ts";
import type { Refusal, Step } from "./migration-step.ts";

export function checksChange(before: Table, after: Table): Change {
  const table = after.name;
  const matched = pair(before.checks, after.checks);
  const old = new Set(before.columns.map((column) => column.name));
  const steps: Step[] = [];
  const refused: Refusal[] = [];
  for (const check of matched.removed) {
    if (!check.columns.every((name) => after.columns.some((column) => column.name === name))) continue;
    const summary = `Let ${table}.${check.columns.join("-")} hold any text.`;
    steps.push(
      safe(table, `drop-check-${table}-${check.columns.join("-")}`, summary, ddl.dropConstraint(table, check.name)),
    );
  }
  for (const [was, check] of matched.kept) {
    if (sameRule(was.rule, check.rule)) continue;
    const narrower = narrowerBecause(table, was, check);
    if (narrower !== null) refused.push({ path: `${table}.${check.columns.join("-")}`, reason: narrower });
    else steps.push(...swapCheck(after, check));
  }
  for (const check of matched.added) {
    if (check.columns.some((name) => old.has(name))) {
      const reason = `Narrowing what ${table}.${check.columns.join("-")} may hold could fail on records that stand already.`;
      refused.push({ path: `${table}.${check.columns.join("-")}`, reason });
    } else steps.push(...addCheck(after, check));
  }
  return { steps, refused };
}

function narrowerBecause(table: string, before: Check, after: Check): string | null {
  return implies(before.rule, after.rule)
    ? null
    : `Narrowing what ${table}.${after.columns.join("+")} may hold could fail on records that stand already.`;
}

function swapCheck(table: Table, check: Check): readonly Step[] {
  const swap = `${ddl.dropConstraint(table.name, check.name)}\n${ddl.addCheckUnproven(table.name, check.name, checkExpression(check, table.columns))}`;
  const slug = `widen-check-${table.name}-${check.columns.join("-")}`;
  return [
    safe(table.name, slug, `Widen what ${table.name}.${check.columns.join("-")} may hold.`, swap),
    validate(table.name, check.columns.join("-"), check.name),
  ];
}

function addCheck(table: Table, check: Check): readonly Step[] {
  const summary = `Check what ${table.name}.${check.columns.join("-")} may hold.`;
  const add = safe(
    table.name,
    `add-check-${table.name}-${check.columns.join("-")}`,
    summary,
    ddl.addCheckUnproven(table.name, check.name, checkExpression(check, table.columns)),
  );
  return [add, validate(table.name, check.columns.join("-"), check.name)];
}

export function foreignKeysChange(before: Table, after: Table): Change {
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
    return [safe(table, `reference-${table}-${key.column}`, summary, sql), validate(table, key.column, key.name)];
  });
  return { steps, refused };
}

export function uniquesChange(before: Table, after: Table): Change {
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
      table,
      `unique-index-${slug}`,
      `Make ${name} unique.`,
      ddl.createUniqueOnline(table, unique),
      ddl.dropIndexOnline(unique.name),
    );
    return [index];
  });
  return { steps, refused };
}

export function indexesChange(before: Table, after: Table): Change {
  const steps = pair(before.indexes, after.indexes).added.map((index) =>
    online(
      after.name,
      `index-${after.name}-${index.keys.map((key) => key.replaceAll('"', "")).join("-")}`,
      `Build an index on ${after.name} (${index.keys.join(", ")}).`,
      ddl.createIndexOnline(after.name, index),
      ddl.dropIndexOnline(index.name),
    ),
  );
  return { steps, refused: [] };
}

export function privilegesChange(before: Table, after: Table): Change {
  const same = [...before.privileges].sort().join() === [...after.privileges].sort().join();
  const reason = `What the service may do with the rows of ${after.name} can't change.`;
  return { steps: [], refused: same ? [] : [{ path: after.name, reason }] };
}
