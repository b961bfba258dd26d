// Changes the type of columns without a rewrite under a lock: expand, backfill, switch, contract. In: a table's change.
// Out: steps. No value gets lost: a value that can't be converted stops the deployment, and the old column is set
// aside.

import { withArticle } from "@plinth/expression";
import { quoteIdentifier as q } from "../sql/sql-text.ts";
import { backfill } from "./backfill.ts";
import { setColumnAside } from "./columns.ts";
import * as ddl from "./ddl.ts";
import { newValueOf } from "./feed.ts";
import { guardSteps } from "./guard.ts";
import type { ColumnChange, TableChange } from "./match.ts";
import { alteration, type Step, UNDO_BY_DEPLOY } from "./migration-step.ts";
import { guardName } from "./names.ts";
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

/**
 * At the switch: its constraints, which Postgres would check row by row, are removed then, and added again without
 * validation.
 */
function retype(table: TableChange, { after }: Retyped): Step {
  const name = `${table.after.name}.${after.name}`;
  return alteration(
    {
      slug: `retype-${table.after.name}-${after.name}`,
      stage: "settle",
      summary: `Change the type of ${name} to ${after.sqlType}. No record is rewritten.`,
      table: table.before.name,
      undo: "Deploy the previous version: the type is changed back, if all values fit.",
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
    backfill(table, {
      slug: `convert-${table.after.name}`,
      summary: `Convert ${names} of ${table.after.name} to the new type, one batch of records at a time.`,
      undo,
      assignments: columns.map((change) => ({ column: change.now, value: (row) => newValueOf(change, row) })),
    }),
    ...columns.filter(({ conversion }) => !conversion.total).flatMap((change) => guard(table, change)),
    ...columns.map(({ before, conversion }) =>
      setColumnAside(table, before, tag, conversion.loses === null ? "rewrite" : "destructive"),
    ),
  ];
}

function verifyConvertible(table: TableChange, { before, after, conversion }: Converted): Step {
  const old = q(before.name);
  const violation = `${withArticle(after.name)} that ${conversion.problem ?? "can't be converted"}`;
  const summary = `Make sure that every ${after.name} of ${table.after.name} can be converted to ${after.sqlType}.`;
  const where = `${old} is not null and (${conversion.of(old)}) is null`;
  return verifyRows(table, { slug: `convert-${table.after.name}-${after.name}`, summary, violation }, where);
}

function addBeside(table: TableChange, { before, after, now, conversion }: Converted): Step {
  const name = `${table.after.name}.${after.name}`;
  const loses =
    conversion.loses === null
      ? ""
      : ` The conversion drops ${conversion.loses} from each value; the old column keeps it.`;
  return alteration(
    {
      slug: `expand-${table.after.name}-${after.name}`,
      stage: "add",
      class: "rewrite",
      summary: `Add a new column for ${name}, which is converted from ${before.sqlType} to ${after.sqlType}.${loses}`,
      table: table.before.name,
      undo: UNDO_BY_DEPLOY,
    },
    ddl.addColumn(table.before.name, { ...after, name: now, nullable: true, default: null }),
  );
}

/** The trigger writes null if it can't convert a value. */
function guard(table: TableChange, { before, after, now, conversion }: Converted): readonly Step[] {
  return guardSteps(table, {
    slug: `${table.after.name}-${after.name}`,
    name: guardName(table.before.name, after.name),
    problem: `with ${withArticle(after.name)} that ${conversion.problem ?? "can't be converted"}`,
    where: `${q(before.name)} is not null and ${q(now)} is null`,
    column: before.name,
  });
}
