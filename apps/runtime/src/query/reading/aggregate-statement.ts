// Writes the statement that calculates over the records that a caller can read. In: the calculation. Out: SQL and
// slots. A field that the caller can't read in a record counts as null there.
import type { BundleField } from "@plinth/bundle";
import { quoteIdentifier } from "@plinth/postgres";
import { type EntityView, living, permission, type StatementCaller, typedValue, wireValue } from "../entity-view.ts";
import { Parameters } from "../parameters.ts";
import type { Statement } from "../statement.ts";
import { type Audited, auditOf } from "../trace.ts";
import type { AggregateQuery, AggregateValue, Group } from "./aggregate-query.ts";
import { auditOfLooks } from "./audited-reads.ts";
import { FilterWriter } from "./filter-sql.ts";
import { type Member, memberOf } from "./list-statement.ts";
import { shownIn } from "./reach.ts";
import { WHOLE } from "./selection.ts";
import { sortValue } from "./sort.ts";
import { boundedText } from "./too-large.ts";

export interface AggregateStatement extends Statement {
  /** The members of each group, in the order of the columns. */
  readonly members: readonly Member[];
}

export function aggregateStatement(
  view: EntityView,
  caller: StatementCaller,
  query: AggregateQuery,
): AggregateStatement {
  const parameters = new Parameters(view.fields);
  const seen = permission(view, "read", caller, parameters, { record: "_r" });
  const present = living(view, "_r").slice(" and ".length);
  const matching = new FilterWriter(caller, parameters).holds(query.filter, view, "_r");
  const conditions = [
    ...(seen.kind === "always" ? [] : [seen.sql]),
    ...(present === "" ? [] : [present]),
    ...(matching === "true" ? [] : [matching]),
  ];
  const shown = (field: BundleField, sql: string): string => {
    const [rule] = view.narrowed ? shownIn(view, caller, field, "_r", parameters) : [];
    return rule === undefined ? sql : `case when ${rule} then ${sql} end`;
  };
  const groups = query.groups.map(({ key, part }) => {
    const value = sortValue({ ...key, choices: null }, view, caller, "_r", parameters);
    return cut(key.hops.length > 0 ? value : shown(key.field, value), part, key.field);
  });
  const values = query.values.map((value) =>
    calculated(value, (field) => shown(field, typedValue(view, field, "_r", parameters))),
  );
  const where = conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
  // By number, because an expression with a parameter would be a different expression each time it is written.
  const by = groups.length === 0 ? "" : ` group by ${groups.map((_, at) => at + 1).join(", ")}`;
  const columns = [...groups, ...values].map((sql, at) => `${sql} as _c${at}`).join(", ");
  const inner = `select ${columns} from ${view.from} _r${where}${by}`;
  const order = query.sort.map(({ at, descending }) => {
    const { choices = null } = query.groups[at]?.key ?? {};
    const ranked = choices === null ? `_g._c${at}` : `array_position(${arrayOf(choices)}, _g._c${at})`;
    return `${ranked} ${descending ? "desc nulls first" : "asc nulls last"}`;
  });
  const sorted = order.length === 0 ? "" : ` order by ${order.join(", ")}`;
  const laterals: string[] = [];
  const out = [
    ...query.groups.map((group, at) => shownGroup(view, group, at, parameters, laterals)),
    ...query.values.map((value, at) => shownValue(view, value, groups.length + at, parameters, laterals)),
  ];
  const rows = `select ${out.map(({ sql }) => sql).join(", ")} from (${inner}) _g${laterals.join("")}${sorted} limit ${query.limit + 1}`;
  const calculating: Audited = {
    view,
    operation: "aggregate",
    changes: "null::jsonb",
    from: "(select 1) as _once",
    row: null,
  };
  const audited = [
    ...(view.entity.audit === "all" ? [calculating] : []),
    ...auditOfLooks(view, { filter: query.filter, keys: query.groups.map(({ key }) => key) }, WHOLE),
  ];
  const isAudited = audited.length > 0;
  const audit = isAudited ? `with ${auditOf(parameters, audited)} ` : "";
  return {
    text: `${audit}${rows}`,
    slots: parameters.slots,
    lane: isAudited ? "slow" : "earned",
    keep: true,
    writes: isAudited,
    members: out.map(({ member }) => member),
  };
}

function arrayOf(choices: readonly string[]): string {
  return `array[${choices.map((choice) => `'${choice.replaceAll("'", "''")}'`).join(", ")}]::text[]`;
}

/** Times are cut in UTC, as they are shown. */
function cut(sql: string, part: Group["part"], { sqlType }: BundleField): string {
  if (part === null) return sql;
  return sqlType === "date"
    ? `date_trunc('${part}', (${sql})::timestamp)`
    : `date_trunc('${part}', (${sql}) at time zone 'UTC')`;
}

function calculated({ function: called, field }: AggregateValue, of: (field: BundleField) => string): string {
  if (field === null) return "count(*)";
  if (called === "count") return `count(${of(field)})`;
  return called === "count_distinct" ? `count(distinct ${of(field)})` : `${called}(${of(field)})`;
}

interface Shown {
  readonly sql: string;
  readonly member: Member;
}

function shownGroup(
  view: EntityView,
  { name, key, part }: Group,
  at: number,
  parameters: Parameters,
  laterals: string[],
): Shown {
  if (part === null) return shownField(view, key.field, name, at, parameters, laterals);
  const form = part === "hour" ? `YYYY-MM-DD"T"HH24:MI:SS"Z"` : "YYYY-MM-DD";
  return { sql: `to_char(_g._c${at}, '${form}')`, member: memberOf(name, "string") };
}

function shownValue(
  view: EntityView,
  { name, function: called, field }: AggregateValue,
  at: number,
  parameters: Parameters,
  laterals: string[],
): Shown {
  if (field !== null && (called === "min" || called === "max")) {
    return shownField(view, field, name, at, parameters, laterals);
  }
  const isNumber = field === null || called.startsWith("count") || field.wire === "raw";
  const value = called === "avg" && isNumber ? `(_g._c${at})::double precision` : `_g._c${at}`;
  const isReckoned = called === "sum" && field?.value !== undefined && field.sqlType === "numeric";
  const text =
    called === "avg" && !isNumber ? `trim_scale(round(${value}, 10))` : isReckoned ? `trim_scale(${value})` : value;
  return { sql: `(${text})::text`, member: memberOf(name, isNumber ? "raw" : "string") };
}

/** A calculated value as a record shows it: its template reads the columns from which it is calculated. */
function reckonedValue({ sqlType }: BundleField, value: string): string {
  switch (sqlType) {
    case "numeric":
      return `trim_scale(${value})`;
    case "date":
      return `to_char(${value}, 'YYYY-MM-DD')`;
    case "timestamptz":
      return `to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
    default:
      return value;
  }
}

/** Types whose values are short by themselves. */
const isShort = /^(?:smallint|integer|bigint|numeric|real|double|uuid|date|time|interval|inet)/;

/** As a record shows it: its template reads a row with this one column. */
function shownField(
  view: EntityView,
  field: BundleField,
  name: string,
  at: number,
  parameters: Parameters,
  laterals: string[],
): Shown {
  const isReckoned = field.value !== undefined;
  if (!isReckoned) {
    laterals.push(`, lateral (select _g._c${at} as ${quoteIdentifier(field.column ?? field.name)}) _w${at}`);
  }
  const value = isReckoned ? reckonedValue(field, `_g._c${at}`) : wireValue(view, field, `_w${at}`, parameters);
  const sql =
    field.sqlType === "boolean" ? `(${value})::text` : isShort.test(field.sqlType) ? value : boundedText(value);
  return { sql, member: memberOf(name, field.wire) };
}
