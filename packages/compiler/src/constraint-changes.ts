// What changes in a table's checks, references, unique rules, indexes and rights. In: a table before and after.
// Out: steps, and what is refused, with the reason. It never plans a rule that a record standing already could break.
import type { Check, Table } from "@plinth/bundle";
import * as ddl from "./ddl.ts";
import { type Change, online, pair, type Refusal, type Step, safe, validate } from "./migration-step.ts";

export function checksChange(before: Table, after: Table): Change {
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
    return [safe(`reference-${table}-${key.column}`, summary, sql), validate(table, key.column, key.name)];
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
      `unique-index-${slug}`,
      `Build the index behind the unique ${name}.`,
      ddl.createIndexOnline(table, unique, "unique"),
      ddl.dropIndexOnline(unique.name),
    );
    return [index, safe(`unique-${slug}`, `Make ${name} unique.`, ddl.addUniqueByIndex(table, unique))];
  });
  return { steps, refused };
}

export function indexesChange(before: Table, after: Table): Change {
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

export function privilegesChange(before: Table, after: Table): Change {
  const same = [...before.privileges].sort().join() === [...after.privileges].sort().join();
  const reason = `What the service may do with the rows of ${after.name} can't change.`;
  return { steps: [], refused: same ? [] : [{ path: after.name, reason }] };
}
