// Fills new columns while the old release writes. In: a table's change. Out: a trigger until the switch, and the
// backfill of filled columns. `conversions.ts` and `fills.ts` define the values.
import { dollarQuote, quoteIdentifier as q } from "../sql/sql-text.ts";
import { backfill } from "./backfill.ts";
import * as ddl from "./ddl.ts";
import type { ColumnChange, TableChange } from "./match.ts";
import { alteration, type Step, statement, UNDO_BY_DEPLOY } from "./migration-step.ts";
import { feedName } from "./names.ts";
import { existingValueOf } from "./table-sql.ts";

export function feedSteps(table: TableChange): readonly Step[] {
  const filled = table.columns.filter((change) => change.fill !== undefined && change.how !== "converted");
  const fed = table.columns.filter((change) => change.how === "converted" || change.fill !== undefined);
  // Nothing writes a column that is set aside.
  const followed = fed.length > 0 && table.restored === null;
  return [
    ...(followed ? [feed(table, fed)] : []),
    ...(filled.length > 0 ? [fill(table, filled)] : []),
    ...(followed ? [unfeed(table)] : []),
  ];
}

/** The value of the column, over the row's other columns. */
export function newValueOf(change: ColumnChange, row: string): string {
  return change.fill?.of(row) ?? existingValueOf(change, row);
}

function fill(table: TableChange, columns: readonly ColumnChange[]): Step {
  const names = columns.map(({ after }) => after.name).join(", ");
  return backfill(table, {
    slug: `fill-${table.after.name}`,
    summary: `Fill ${names} of ${table.after.name}, one batch of records at a time.`,
    undo: UNDO_BY_DEPLOY,
    assignments: columns.map((change) => ({ column: change.now, value: (row) => newValueOf(change, row) })),
  });
}

/**
 * While the old release writes the old columns, a trigger writes the new ones. It never fails: a value that it can't
 * convert or fill becomes null, and the guard stops the switch. Its search path contains only Postgres's own functions.
 */
function feed(table: TableChange, columns: readonly ColumnChange[]): Step {
  const { before, after } = table;
  const name = q(feedName(before.name));
  const assignments = columns.map((change) => `  new.${q(change.now)} := ${newValueOf(change, "new")};`);
  const body = `\nbegin\n${assignments.join("\n")}\n  return new;\nend `;
  const sql = `create or replace function {schema}.${name}() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as ${dollarQuote(body)};
create or replace trigger ${name} before insert or update on ${ddl.qualified(before.name)} for each row execute function {schema}.${name}();`;
  return statement(
    {
      slug: `feed-${after.name}`,
      stage: "feed",
      summary: `Add a trigger that fills the new columns of ${after.name} at each write until the switch.`,
      table: before.name,
      undo: "It is removed at the switch.",
      lock: "share row exclusive",
    },
    sql,
  );
}

function unfeed(table: TableChange): Step {
  const { before, after } = table;
  const name = q(feedName(before.name));
  return alteration(
    {
      slug: `unfeed-${after.name}`,
      stage: "unfeed",
      summary: `Remove the trigger that fills the new columns of ${after.name}.`,
      table: before.name,
      undo: UNDO_BY_DEPLOY,
    },
    `drop trigger ${name} on ${ddl.qualified(before.name)};\ndrop function {schema}.${name}();`,
  );
}
