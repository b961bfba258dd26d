// Finds rows that violate a change. In: a condition over them. Out: a verify step, the first of its plan. A sample has
// the ids and the problem, but never the text of a value.

import { quoteText } from "../sql/sql-text.ts";
import type { TableChange } from "./match.ts";
import { type Facts, facts, NOTHING_TO_UNDO, type Step } from "./migration-step.ts";
import { keyOf, stayingRowsOf } from "./table-sql.ts";

export interface Violation {
  readonly slug: string;
  /** "Make sure that each record of listings has a price." */
  readonly summary: string;
  /** "no value for price" */
  readonly violation: string;
}

const SAMPLE_MAX = 5;

/** @param problem SQL of a text over the row; if null, the text of the violation. */
export function verifyRows(table: TableChange, of: Violation, where: string, problem: string | null = null): Step {
  const from = `from ${stayingRowsOf(table)} where ${where}`;
  const says = problem ?? quoteText(of.violation);
  return verify(table, of, {
    count: `select count(*) ${from};`,
    sample: `select ${keyOf(table)} as id, ${says} as problem ${from} limit ${SAMPLE_MAX};`,
  });
}

/** All rows of a group with the same value except the first; groups with a null don't count. */
export function verifyDistinct(
  table: TableChange,
  of: Violation,
  values: readonly string[],
  where: string | null,
): Step {
  const names = values.map((_, index) => `_k${index}`);
  const present = names.map((name) => `${name} is not null`).join(" and ");
  const rows = values.map((value, index) => `${value} as _k${index}`).join(", ");
  const from = `from (select ${keyOf(table)} as _id, ${rows} from ${stayingRowsOf(table)}${where === null ? "" : ` where ${where}`}) _r where ${present} group by ${names.join(", ")} having count(*) > 1`;
  const others = `'the same as ' || (count(*) - 1)::text || ' more'`;
  return verify(table, of, {
    count: `select coalesce(sum(_g._n - 1), 0)::bigint from (select count(*) as _n ${from}) _g;`,
    sample: `select min(_r._id) as id, ${others} as problem ${from} limit ${SAMPLE_MAX};`,
  });
}

/**
 * Rows that start before an earlier one of their group has ended; a null at either end is open, and an empty range
 * overlaps nothing. One pass over the sorted rows: each is compared with the latest end before it.
 */
export function verifyDisjoint(
  table: TableChange,
  of: Violation,
  {
    same,
    from,
    to,
    where,
  }: { readonly same: readonly string[]; readonly from: string; readonly to: string; readonly where: string | null },
): Step {
  const names = same.map((_, index) => `_k${index}`);
  const present = [
    ...names.map((name) => `_r.${name} is not null`),
    "(_r._from is null or _r._to is null or _r._from < _r._to)",
  ];
  const keys = same.map((value, index) => `${value} as _k${index}`);
  const rows = `select ${[`${keyOf(table)} as _id`, ...keys, `${from} as _from`, `${to} as _to`].join(", ")} from ${stayingRowsOf(table)}${where === null ? "" : ` where ${where}`}`;
  const earlier = `partition by ${names.map((name) => `_r.${name}`).join(", ")} order by _r._from nulls first, _r._id rows between unbounded preceding and 1 preceding`;
  const inOrder = `select _r._id, _r._from, bool_or(_r._to is null) over _w as _open, max(_r._to) over _w as _until from (${rows}) _r where ${present.join(" and ")} window _w as (${earlier})`;
  const overlapping = `from (${inOrder}) _o where _o._open or _o._until > _o._from or (_o._from is null and _o._open is not null)`;
  return verify(table, of, {
    count: `select count(*) ${overlapping};`,
    sample: `select _o._id as id, ${quoteText(of.violation)} as problem ${overlapping} limit ${SAMPLE_MAX};`,
  });
}

/** Rows whose value refers to no row of the target; a target that is not created yet has none. */
export function verifyReference(table: TableChange, of: Violation, value: string, target: string | null): Step {
  const missing = target === null ? "" : ` and not exists (select from ${target} _k where _k."id" = _r._value)`;
  const from = `from (select ${keyOf(table)} as _id, ${value} as _value from ${stayingRowsOf(table)}) _r where _r._value is not null${missing}`;
  return verify(table, of, {
    count: `select count(*) ${from};`,
    sample: `select _r._id as id, _r._value::text as problem ${from} limit ${SAMPLE_MAX};`,
  });
}

function verify(
  table: TableChange,
  { slug, summary, violation }: Violation,
  sql: { readonly count: string; readonly sample: string },
): Step {
  const given: Facts = {
    slug: `verify-${slug}`,
    stage: "verify",
    summary,
    table: table.before.name,
    undo: NOTHING_TO_UNDO,
    class: "data_dependent",
    scans: true,
  };
  return { kind: "verify", ...facts(given), ...sql, violation };
}
