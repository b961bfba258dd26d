// Removes the deleted records of a table without `soft_delete` from now on. In: a table's change. Out: steps that set
// them aside at the switch, so that none is ever read as an existing record. A remaining reference to one stops the
// deployment.
import type { SetAside } from "@plinth/bundle";
import { DELETED_AT } from "../sql/catalog.ts";
import { constraintName, quoteIdentifier as q } from "../sql/sql-text.ts";
import * as ddl from "./ddl.ts";
import type { Matched, TableChange } from "./match.ts";
import { facts, type Step, statement } from "./migration-step.ts";
import { keptName } from "./names.ts";
import { forgetsDeleted } from "./table-sql.ts";
import { verifyRows } from "./verify.ts";

export function deletedRowSteps(schema: Matched, tag: string): readonly Step[] {
  const tables = schema.kept.filter(forgetsDeleted);
  if (tables.length === 0) return [];
  return [
    ...tables.flatMap((table) => verifyReferrers(table, schema)),
    ...tables.map((table) => copyAside(table, tag)),
    remove(tables, tag),
  ];
}

/** Remaining records that refer to a removed one: deleted records of a table that keeps them. */
function verifyReferrers(table: TableChange, { kept }: Matched): readonly Step[] {
  const target = ddl.qualified(table.before.name);
  return kept.flatMap((other) =>
    other.before.foreignKeys
      .filter((key) => key.table === table.before.name && key.onDelete !== "cascade")
      .map(({ column }) => {
        const violation = {
          slug: `deleted-${table.before.name}-${other.before.name}-${column}`,
          summary: `Make sure that no record of ${other.after.name} refers to a deleted record of ${table.after.name} by ${column}.`,
          violation: `a ${column} that refers to a deleted record, which would be removed (restore it, or remove soft_delete from both)`,
        };
        const gone = `select from ${target} _t where _t."id" = ${q(other.before.name)}.${q(column)} and _t.${q(DELETED_AT)} is not null`;
        return verifyRows(other, violation, `exists (${gone})`, `${q(column)}::text`);
      }),
  );
}

/** Under the lock of the switch: nobody deletes or restores a record meanwhile. */
function copyAside({ before, after }: TableChange, tag: string): Step {
  const keptAs = keptName(tag, `${after.name}__${DELETED_AT}`);
  const what: SetAside = {
    kind: "table",
    table: constraintName(after.name, [DELETED_AT], null),
    column: null,
    keptAs,
    sqlType: null,
    was: null,
  };
  const [rows, aside] = [ddl.qualified(after.name), ddl.qualified(keptAs)];
  return {
    kind: "set_aside",
    ...facts({
      slug: `set-aside-deleted-${after.name}`,
      stage: "settle",
      summary: `Move the deleted records of ${after.name} to a separate table.`,
      table: before.name,
      undo: "This can't be undone by a deployment. While they are kept, the operator of the database can read them.",
      class: "destructive",
      lock: "access exclusive",
      scans: true,
    }),
    what,
    sql: `create table ${aside} (like ${rows});\ninsert into ${aside} select * from ${rows} where ${isDeleted(tag)};`,
  };
}

function isDeleted(tag: string): string {
  return `${q(keptName(tag, DELETED_AT))} is not null`;
}

/** In one statement, because they can refer to each other. Their links are removed with them. */
function remove(tables: readonly TableChange[], tag: string): Step {
  const names = tables.map(({ after }) => after.name);
  const deletes = names.map((name) => `delete from ${ddl.qualified(name)} where ${isDeleted(tag)}`);
  const parts = deletes.map((sql, index) => `_${index} as (${sql})`);
  const given = {
    slug: "remove-deleted",
    stage: "settle",
    summary: `Remove the deleted records of ${names.join(", ")} from the tables of the API.`,
    table: tables[0]?.before.name ?? null,
    undo: "This can't be undone by a deployment. While they are kept, the operator of the database can read them.",
    class: "destructive",
    lock: "row exclusive",
    scans: true,
  } as const;
  return statement(given, `with ${parts.join(", ")} select 1;`);
}
