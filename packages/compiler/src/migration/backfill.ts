// Fills columns of existing rows. In: columns and their values. Out: a backfill step. A row that already has the values
// is not written, so a batch can run twice.

import { quoteIdentifier as q } from "../sql/sql-text.ts";
import * as ddl from "./ddl.ts";
import type { TableChange } from "./match.ts";
import { facts, type Step } from "./migration-step.ts";

export interface Filling {
  readonly slug: string;
  readonly summary: string;
  readonly undo: string;
  readonly assignments: readonly {
    readonly column: string;
    readonly value: (row: string) => string;
    /** If a row has any value in it, it is the right one: a trigger wrote it. */
    readonly missing?: true;
  }[];
  /**
   * `validate`: the new release serves, and everything has its new name. Default, and `index`: the old release serves.
   */
  readonly stage?: "backfill" | "index" | "validate";
}

/**
 * In the order of the key, so that the next batch starts where the last one ended. A row that somebody else is writing
 * at that moment is waited for, and then checked with its new values.
 */
export function backfill(table: TableChange, filling: Filling): Step {
  const { slug, summary, undo, assignments, stage = "backfill" } = filling;
  const { before } = table;
  const now = stage === "validate" ? table.after : before;
  const [keyName, ...more] = now.primaryKey;
  const keyType = now.columns.find((column) => column.name === keyName)?.sqlType;
  if (keyName === undefined || keyType === undefined || more.length > 0)
    throw new Error(`${now.name} can't be processed in batches: its key is not a single column`);
  const [key, rows] = [q(keyName), ddl.qualified(now.name)];
  const values = assignments.map(({ column, value, missing }) => {
    const [name, now] = [q(column), value("_r")];
    return { column: name, value: now, differs: `_r.${name} is ${missing ? "null" : `distinct from ${now}`}` };
  });
  const sql = `with _batch as materialized (
  select ${key} as _key from ${rows} where {after}::text is null or ${key} > {after}::text::${keyType} order by ${key} limit {limit}
), _written as (
  update ${rows} _r set ${values.map(({ column, value }) => `${column} = ${value}`).join(", ")}
  from _batch where _r.${key} = _batch._key and (${values.map(({ differs }) => differs).join(" or ")})
  returning 1
)
select (select _batch._key::text from _batch order by _batch._key desc limit 1) as last, (select count(*) from _written) as written;`;
  const given = facts({
    slug,
    stage,
    summary,
    table: before.name,
    undo,
    class: "backfill",
    lock: "row exclusive",
    rewrites: true,
    scans: true,
  });
  return { kind: "backfill", ...given, sql };
}
