// What changes in a table's columns. In: a table before and after. Out: steps, and what is refused, with the reason.
// It never plans a step that could lose or rewrite what stands already.
import type { Column, Table } from "@plinth/bundle";
import * as ddl from "./ddl.ts";
import { type Change, pair, safe } from "./migration/quick.ts";
import type { Refusal, Step } from "./migration-step.ts";

export function columnsChange(before: Table, after: Table): Change {
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
      const reason = `${table}.${column.name} is required, and records that stand already would have no value for it. Make it optional, or give it a constant as its default.`;
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
    steps.push(
      safe(table, `relax-${table}-${after.name}`, `Make ${name} optional.`, ddl.dropNotNull(table, after.name)),
    );
  if (before.default !== after.default)
    steps.push(
      safe(table, `default-${table}-${after.name}`, `Change the default of ${name}.`, ddl.setDefault(table, after)),
    );
  return steps;
}

/** A constant default does not rewrite the table: Postgres keeps it beside the rows. */
function addColumn(table: string, column: Column): Step {
  const kind = column.nullable ? "optional" : "with its default";
  const summary = `Add the column ${table}.${column.name} (${kind}).`;
  return safe(table, `add-column-${table}-${column.name}`, summary, ddl.addColumn(table, column));
}
