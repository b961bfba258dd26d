// Writes what rows that stand already are to hold in some columns. In: columns and their values. Out: a backfill step.
// A row that holds it already is not written, so that a batch can be run twice.

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
    /** Rows that hold anything in it hold the value: a trigger wrote it. */
    readonly missing?: true;
  }[];
  /** `validate`: the new release serves, and everything has its new name. Default, and `index`: the old one does. */
  readonly stage?: "backfill" | "index" | "validate";
}

/**
 * In the order of the key, so that where a batch ended is where the next begins. A row that is written at that moment by
 * somebody else is waited for, and judged by what it holds then.
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
