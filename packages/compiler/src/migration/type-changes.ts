// Changes the type of columns without a rewrite under a lock: expand, backfill, switch, contract. In: a table's change.
// Out: steps. No value gets lost: what can't be converted stops the deployment, and the old column is set aside.

import { withArticle } from "@plinth/expression";
import { quoteIdentifier as q } from "../sql/sql-text.ts";
import { backfill } from "./backfill.ts";
import { setColumnAside } from "./columns.ts";
import * as ddl from "./ddl.ts";
import { guardSteps } from "./guard.ts";
import type { ColumnChange, TableChange } from "./match.ts";
import { alteration, type Step, statement, UNDO_BY_DEPLOY } from "./migration-step.ts";
import { feedName, guardName } from "./names.ts";
import { verifyRows } from "./verify.ts";

type Converted = Extract<ColumnChange, { how: "converted" }>;
type Retyped = Extract<ColumnChange, { how: "retyped" }>;

export function typeSteps(table: TableChange, tag: string): readonly Step[] {
  const converted = table.columns.filter((change) => change.how === "converted");
  const retyped = table.columns.filter((change) => change.how === "retyped");
  return [
    ...retyped.map((change) => retype(table, change)),
    ...(converted.length === 0 ? [] : convert(table, converted, tag)),
  ];
}

/** At the switch: the rules over it, which Postgres would check row by row, are off then, and come back unproven. */
function retype(table: TableChange, { after }: Retyped): Step {
  const name = `${table.after.name}.${after.name}`;
  return alteration(
    {
      slug: `retype-${table.after.name}-${after.name}`,
      stage: "settle",
      summary: `Let ${name} hold ${after.sqlType}, which rewrites nothing.`,
      table: table.before.name,
      undo: "Deploy the version before: where the values still fit, the type is narrowed again.",
    },
    ddl.alterType(table.after.name, after.name, after.sqlType),
  );
}

function convert(table: TableChange, columns: readonly Converted[], tag: string): readonly Step[] {
  const names = columns.map(({ after }) => after.name).join(", ");
  const undo = UNDO_BY_DEPLOY;
  return [
    ...columns.filter(({ conversion }) => !conversion.total).map((change) => verifyConvertible(table, change)),
    ...columns.map((change) => addBeside(table, change)),
    feed(table, columns),
    backfill(table, {
      slug: `convert-${table.after.name}`,
      summary: `Write ${names} of ${table.after.name} in the new type, a batch of records at a time.`,
      undo,
      assignments: columns.map(({ before, now, conversion }) => ({
        column: now,
        value: (row) => `(${conversion.of(`${row}.${q(before.name)}`)})`,
      })),
    }),
    ...columns.filter(({ conversion }) => !conversion.total).flatMap((change) => guard(table, change)),
    unfeed(table),
    ...columns.map(({ before, conversion }) =>
      setColumnAside(table, before, tag, conversion.loses === null ? "rewrite" : "destructive"),
    ),
  ];
}

function verifyConvertible(table: TableChange, { before, after, conversion }: Converted): Step {
  const old = q(before.name);
  const violation = `${withArticle(after.name)} that ${conversion.problem ?? "can't be converted"}`;
  const summary = `Make sure that every ${after.name} of ${table.after.name} can become ${after.sqlType}.`;
  const where = `${old} is not null and (${conversion.of(old)}) is null`;
  return verifyRows(table, { slug: `convert-${table.after.name}-${after.name}`, summary, violation }, where);
}

function addBeside(table: TableChange, { before, after, now, conversion }: Converted): Step {
  const name = `${table.after.name}.${after.name}`;
  const loses =
    conversion.loses === null ? "" : ` Of each value, ${conversion.loses} is left behind in the old column.`;
  return alteration(
    {
      slug: `expand-${table.after.name}-${after.name}`,
      stage: "add",
      class: "rewrite",
      summary: `Add a column beside ${name} that turns it from ${before.sqlType} into ${after.sqlType}.${loses}`,
      table: table.before.name,
      undo: UNDO_BY_DEPLOY,
    },
    ddl.addColumn(table.before.name, { ...after, name: now, nullable: true, default: null }),
  );
}

/**
 * While the old release writes the old columns, a trigger writes the new ones. It never fails: what it can't convert
 * becomes null, and the guard stops the switch. It names no table, and its path leads to Postgres's own functions alone.
 */
function feed(table: TableChange, columns: readonly Converted[]): Step {
  const { before, after } = table;
  const name = q(feedName(before.name));
  const assignments = columns.map(
    (change) => `  new.${q(change.now)} := ${change.conversion.of(`new.${q(change.before.name)}`)};`,
  );
  const sql = `create or replace function {schema}.${name}() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $feed$
begin
${assignments.join("\n")}
  return new;
end $feed$;
create or replace trigger ${name} before insert or update on ${ddl.qualified(before.name)} for each row execute function {schema}.${name}();`;
  return statement(
    {
      slug: `feed-${after.name}`,
      stage: "feed",
      summary: `Keep the new columns of ${after.name} in step with what is written meanwhile.`,
      table: before.name,
      undo: "It goes by itself at the switch.",
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
      summary: `Stop keeping old and new columns of ${after.name} in step.`,
      table: before.name,
      undo: UNDO_BY_DEPLOY,
    },
    `drop trigger ${name} on ${ddl.qualified(before.name)};\ndrop function {schema}.${name}();`,
  );
}

/** The trigger makes null of what it can't convert. */
function guard(table: TableChange, { before, after, now, conversion }: Converted): readonly Step[] {
  return guardSteps(table, {
    slug: `${table.after.name}-${after.name}`,
    name: guardName(table.before.name, after.name),
    problem: `with ${withArticle(after.name)} that ${conversion.problem ?? "can't be converted"}`,
    where: `${q(before.name)} is not null and ${q(now)} is null`,
    column: before.name,
  });
}
