// Writes the statement that deletes a record, with the effects on the records that refer to it. In: an entity, its
// referrers, the caller. Out: one SQL statement. It changes at most CASCADE_ROWS_MAX rows, and writes an audit row for
// each.
// One recursive query over all referrers finds the rows, so that cycles end and the depth isn't limited. Each row
// remembers the reference by which it was found. If that reference has changed by the time of the lock, the row is left
// alone. Whether a row is deleted for good or only marked depends, row by row, on how it was found.
import type { Referrer } from "@plinth/bundle";
import { type Confirmation, quoteIdentifier, quoteLiteral } from "@plinth/postgres";
import { column, type EntityView, living, permission, type StatementCaller } from "./entity-view.ts";
import { keptReply } from "./kept-reply.ts";
import { Parameters } from "./parameters.ts";
import { laneWith, lockOfStored } from "./parent-lock.ts";
import { auditValue, type DeleteStatement, hasVersion, lockedRow, rowAsJson, touches } from "./statement.ts";
import { previousValues, traceOf, type Written } from "./trace.ts";

/** Rows that one delete can delete or change, including its own. */
export const CASCADE_ROWS_MAX = 1_000;
/**
 * Found rows, counted once for each way to them, as marked and as deleted for good. Above this number the cascade is
 * too large, whatever the number of distinct rows.
 */
const FOUND_MAX = 8 * CASCADE_ROWS_MAX;

/** A reference from records of one entity to records of another entity that are deleted. */
export interface CascadeEdge {
  readonly from: EntityView;
  readonly column: string;
  /** The `kind` of the entity that it refers to. */
  readonly to: number;
}

export interface Cascade {
  /** The affected entities, by `kind`; the first is the entity of the record itself. */
  readonly kinds: readonly EntityView[];
  /** Whether rows of a kind can be marked. */
  readonly marks: readonly boolean[];
  /** Whether rows of a kind can be deleted for good. */
  readonly destroys: readonly boolean[];
  readonly cascading: readonly CascadeEdge[];
  readonly cleared: readonly CascadeEdge[];
  readonly restricting: readonly CascadeEdge[];
}

/** Null if a plain delete is enough: no other record is deleted or changed, and foreign keys enforce `restrict`. */
export function cascadeOf(view: EntityView): Cascade | null {
  const kinds: EntityView[] = [view];
  const cascading: CascadeEdge[] = [];
  const cleared: CascadeEdge[] = [];
  const restricting: CascadeEdge[] = [];
  for (let to = 0; to < kinds.length; to++) {
    for (const referrer of kinds[to]!.entity.referrers) {
      const from = entityOf(view, referrer);
      // Foreign keys delete the pairs of a join table. The pairs of a marked record stay for its restore.
      if (from === null) continue;
      const edge = { from, column: referrer.column, to };
      if (referrer.onDelete === "cascade") {
        cascading.push(edge);
        if (!kinds.includes(from)) kinds.push(from);
      } else (referrer.onDelete === "set_null" ? cleared : restricting).push(edge);
    }
  }
  const plain = cascading.length === 0 && cleared.length === 0;
  if (plain && (restricting.length === 0 || view.entity.softDelete === null)) return null;
  return { kinds, ...endsOf(kinds, cascading), cascading, cleared, restricting };
}

function entityOf(view: EntityView, referrer: Referrer): EntityView | null {
  if (referrer.entity === null) return null;
  const from = view.all.get(referrer.entity);
  if (from === undefined) throw new Error(`${view.entity.name} is referred to by no entity ${referrer.entity}`);
  return from;
}

/** A row that is only marked still needs the rows that it refers to, because of its foreign key. */
function endsOf(kinds: readonly EntityView[], cascading: readonly CascadeEdge[]): Pick<Cascade, "marks" | "destroys"> {
  const marks = kinds.map((kind, i) => i === 0 && kind.entity.softDelete !== null);
  const destroys = kinds.map((kind, i) => i === 0 && kind.entity.softDelete === null);
  for (let changed = true; changed; ) {
    changed = false;
    for (const { from, to } of cascading) {
      const kind = kinds.indexOf(from);
      const soft = from.entity.softDelete !== null;
      const [mark, destroy] = [soft && marks[to] === true, destroys[to] === true || (!soft && marks[to] === true)];
      if ((!mark || marks[kind]) && (!destroy || destroys[kind])) continue;
      marks[kind] ||= mark;
      destroys[kind] ||= destroy;
      changed = true;
    }
  }
  return { marks, destroys };
}

/** Columns: whether the rule allows it, whether too many rows are affected, whether a record restricts it. */
export function cascadeStatement(view: EntityView, caller: StatementCaller, cascade: Cascade): DeleteStatement {
  const parameters = new Parameters(view.fields);
  const { kinds } = cascade;
  const allowed = permission(view, "delete", caller, parameters, { record: "_cur" }).sql;
  const clearedKinds = [...new Set(cascade.cleared.map((edge) => edge.from))];
  const parts = [
    `_cur as (${lockedRow(view, "delete", caller, parameters)})`,
    `_chk as (select ${allowed} as _allowed, ${hasVersion(caller, "_cur", parameters)} as _matches from _cur)`,
    `_found as (${foundRows(cascade)})`,
    `_doomed as materialized (select * from _found limit ${FOUND_MAX})`,
    ...clearedKinds.map((from, i) => `_clear_${i} as materialized (${rowsToClear(from, cascade)})`),
    `_verdict as (select ${tooLarge(clearedKinds.length)} as _too_large, ${restricted(cascade)} as _restricted)`,
    `_go as (select 1 as _go from _chk, _verdict where _chk._allowed and _chk._matches and not _verdict._too_large and not _verdict._restricted)`,
    ...kinds.flatMap((_, kind) => [...destroying(cascade, kind), ...marking(cascade, kind)]),
    ...clearedKinds.map((from, i) => `_set_${i} as (${clearing(from, i, cascade)})`),
    traceOf(parameters, [
      ...kinds.flatMap((each, kind) => [
        ...(cascade.destroys[kind] ? [removal(each, `_del_${kind}`)] : []),
        ...(cascade.marks[kind] ? [removal(each, `_mark_${kind}`)] : []),
      ]),
      ...clearedKinds.map((from, i) => clearance(from, i, cascade, parameters)),
    ]),
  ];
  const kept = keptReply(view, caller, parameters, { status: 204, row: "_go", record: null });
  const text =
    `with recursive ${parts.join(", ")}${kept} ` +
    `select ${["_chk._allowed", "_verdict._too_large", "_verdict._restricted", "_chk._matches", ...markedIds(cascade)].join(", ")} from _chk, _verdict`;
  const confirm = confirmationOf(cascade);
  // It may lock a thousand rows, so the fast lane must not wait for it.
  const lock = lockOfStored(view, { operations: ["delete"], caller });
  const how = { ...laneWith(lock), lane: "slow", keep: true, writes: true, cascades: true } as const;
  return { text, slots: parameters.slots, ...how, ...(confirm && { confirm }) };
}

/** The columns before `markedIds`. */
const VERDICTS = 4;

/** By kind, the records that were marked. */
function markedIds({ kinds, marks }: Cascade): readonly string[] {
  return kinds.flatMap((_, kind) => (marks[kind] ? [`array(select _mark_${kind}."id" from _mark_${kind})`] : []));
}

/**
 * Inserting a reference locks its target. So the delete waits for the insert, but its snapshot is older. A foreign key
 * would notice a row that is deleted for good. For a row that is only marked, this query checks whether a living record
 * refers to it.
 */
function confirmationOf({ kinds, marks, cascading, cleared, restricting }: Cascade): Confirmation | null {
  const marked = kinds.flatMap((_, kind) => (marks[kind] ? [kind] : []));
  const edges = [...cascading, ...cleared, ...restricting].filter(({ to }) => marked.includes(to));
  if (edges.length === 0) return null;
  const targets = [...new Set(edges.map(({ to }) => to))];
  const missed = edges.map(
    ({ from, column, to }) =>
      `exists (select 1 from ${from.from} _t where _t.${quoteIdentifier(column)} = any($${targets.indexOf(to) + 1}::uuid[])${living(from, "_t")})`,
  );
  return {
    text: `select ${missed.join(" or ")}`,
    values: (row) => {
      const ids = targets.map((kind) => row?.[VERDICTS + marked.indexOf(kind)] ?? "{}");
      return ids.every((each) => each === "{}") ? null : ids;
    },
  };
}

/**
 * kind, id, whether it is deleted for good, by which reference it was found (0: the record itself) and from which row.
 */
function foundRows({ kinds, cascading }: Cascade): string {
  const hard = (view: EntityView): boolean => view.entity.softDelete === null;
  const start =
    `select 0 as _kind, _cur."id" as _id, ${hard(kinds[0]!)} as _final, 0 as _via, null::uuid as _parent ` +
    `from _cur, _chk where _chk._allowed`;
  if (cascading.length === 0) return start;
  const arms = cascading.map(
    ({ from, column, to }, i) =>
      `select ${kinds.indexOf(from)} as _kind, _t."id" as _id, ${hard(from) ? "true" : "_f._final"} as _final, ${i + 1} as _via, ` +
      `_f._id as _parent from ${from.from} _t ` +
      `where _f._kind = ${to} and _t.${quoteIdentifier(column)} = _f._id${present(from, "_f")}`,
  );
  return `${start} union select _e._kind, _e._id, _e._final, _e._via, _e._parent from _found _f cross join lateral (${arms.join(" union all ")}) as _e`;
}

/** Marked rows are affected too if a record that they refer to is deleted for good. */
function present(view: EntityView, found: string): string {
  const alive = living(view, "_t").replace(/^ and /, "");
  return alive === "" ? "" : ` and (${found}._final or ${alive})`;
}

function isDoomed(cascade: Cascade, view: EntityView, row: string): string {
  const kind = cascade.kinds.indexOf(view);
  return kind === -1 ? "false" : `exists (select 1 from _doomed _x where _x._kind = ${kind} and _x._id = ${row}."id")`;
}

/** Whether the row is deleted with its target. If the target is deleted for good, a mark is not enough. */
function goesAlong(cascade: Cascade, view: EntityView): string {
  const kind = cascade.kinds.indexOf(view);
  if (kind === -1) return "false";
  return `exists (select 1 from _doomed _x where _x._kind = ${kind} and _x._id = _t."id" and (_x._final or not _d._final))`;
}

function rowsToClear(from: EntityView, cascade: Cascade): string {
  const edges = cascade.cleared.filter((edge) => edge.from === from);
  const columns = edges.map((edge) => `_t.${quoteIdentifier(edge.column)}`).join(", ");
  const ids = edges.map(
    ({ column, to }) =>
      `select _t."id" from _doomed _d join ${from.from} _t on _t.${quoteIdentifier(column)} = _d._id ` +
      `where _d._kind = ${to}${present(from, "_d")}`,
  );
  return (
    `select _t."id", ${columns} from ${from.from} _t where _t."id" in (${ids.join(" union ")}) ` +
    `and not ${isDoomed(cascade, from, "_t")} limit ${CASCADE_ROWS_MAX + 1}`
  );
}

function tooLarge(clearedKinds: number): string {
  const counts = [
    "(select count(*) from (select distinct _d._kind, _d._id from _doomed _d) _c)",
    ...Array.from({ length: clearedKinds }, (_, i) => `(select count(*) from _clear_${i})`),
  ];
  return `(${counts.join(" + ")} > ${CASCADE_ROWS_MAX} or (select count(*) from _doomed) >= ${FOUND_MAX})`;
}

function restricted(cascade: Cascade): string {
  const standing = cascade.restricting.map(
    ({ from, column, to }) =>
      `exists (select 1 from _doomed _d join ${from.from} _t on _t.${quoteIdentifier(column)} = _d._id ` +
      `where _d._kind = ${to}${present(from, "_d")} and not ${goesAlong(cascade, from)})`,
  );
  return standing.length === 0 ? "false" : `(${standing.join(" or ")})`;
}

/** The row as it was found. It is left alone if its reference has changed since. */
function doomedRow(cascade: Cascade, kind: number): string {
  const view = cascade.kinds[kind]!;
  const still = cascade.cascading.flatMap(({ from, column }, i) =>
    from === view ? [`when ${i + 1} then _t.${quoteIdentifier(column)} = _d._parent`] : [],
  );
  const found = still.length === 0 ? "" : ` and case _d._via ${still.join(" ")} else true end`;
  return `where _d._kind = ${kind} and _t."id" = _d._id${found}`;
}

function destroying(cascade: Cascade, kind: number): readonly string[] {
  if (!cascade.destroys[kind]) return [];
  const condition = `${doomedRow(cascade, kind)} and _d._final returning _t.*`;
  return [`_del_${kind} as (delete from ${cascade.kinds[kind]!.from} _t using _doomed _d, _go ${condition})`];
}

/** Rows to be marked are locked as strongly as for a delete; otherwise a new reference to them wouldn't wait. */
function marking(cascade: Cascade, kind: number): readonly string[] {
  if (!cascade.marks[kind]) return [];
  const view = cascade.kinds[kind]!;
  const { softDelete } = view.entity;
  if (softDelete === null) throw new Error(`${view.entity.name} keeps no deleted records`);
  const stays = cascade.destroys[kind]
    ? ` and not exists (select 1 from _doomed _x where _x._kind = ${kind} and _x._id = _t."id" and _x._final)`
    : "";
  const condition = `${doomedRow(cascade, kind)}${stays}`;
  // If a row only loses its reference to a row that is deleted for good, it stays without the reference.
  const lost = edgesOf(view, cascade).flatMap(([name, kinds]) => {
    const gone = kinds.filter((to) => cascade.destroys[to]);
    return gone.length === 0 ? [] : [clearedColumn(name, gone, " and _x._final")];
  });
  const sets = [`${quoteIdentifier(softDelete)} = now()`, ...touches(view, "_t"), ...lost].join(", ");
  const held = `exists (select 1 from _hold_${kind} _h where _h."id" = _t."id")`;
  return [
    `_hold_${kind} as materialized (select _t."id" from ${view.from} _t, _doomed _d ${condition} for update of _t)`,
    `_mark_${kind} as (update ${view.from} _t set ${sets} from _doomed _d, _go ${condition} and ${held} returning _t.*)`,
  ];
}

function clearing(from: EntityView, at: number, cascade: Cascade): string {
  const sets = edgesOf(from, cascade).map(([column, kinds]) => clearedColumn(column, kinds));
  return (
    `update ${from.from} _t set ${[...sets, ...touches(from, "_t")].join(", ")} from _clear_${at} _n, _go ` +
    `where _t."id" = _n."id" returning _t.*`
  );
}

function clearedColumn(column: string, kinds: readonly number[], only = ""): string {
  const name = quoteIdentifier(column);
  const goes = `exists (select 1 from _doomed _x where _x._kind in (${kinds.join(", ")}) and _x._id = _t.${name}${only})`;
  return `${name} = case when ${goes} then null else _t.${name} end`;
}

function removal(view: EntityView, rows: string): Written {
  const event = { name: `${view.entity.name}.deleted`, old: null };
  const change = { kind: "deleted", before: { row: rows }, after: null } as const;
  return { view, operation: "delete", changes: rowAsJson(view, rows), from: rows, row: rows, event, change };
}

function clearance(from: EntityView, at: number, cascade: Cascade, parameters: Parameters): Written {
  const fields = edgesOf(from, cascade).map(([column]) => {
    const field = from.stored.find((each) => each.column === column);
    if (field === undefined) throw new Error(`${from.entity.name} has no column ${column}`);
    return field;
  });
  const rows = { before: `_clear_${at}`, after: `_set_${at}` };
  const before = fields.map((field) => [field.column, column(rows.before, field)] as const);
  const changes = fields.map((field) => {
    const before = auditValue(rows.before, field);
    const after = auditValue(rows.after, field);
    const pair = `jsonb_build_object(${quoteLiteral(field.name)}, jsonb_build_array(${before}, ${after}))`;
    return `case when ${before} is distinct from ${after} then ${pair} else '{}'::jsonb end`;
  });
  return {
    view: from,
    operation: "update",
    changes: changes.join(" || "),
    from: `${rows.after} join ${rows.before} on ${rows.before}."id" = ${rows.after}."id"`,
    row: rows.after,
    event: { name: `${from.entity.name}.updated`, old: previousValues(from, fields, rows, parameters) },
    change: { kind: "updated", before: { row: rows.after, other: new Map(before) }, after: rows.after },
  };
}

/** Column > the kinds whose deletion sets it to null. */
function edgesOf(from: EntityView, cascade: Cascade): readonly (readonly [string, readonly number[]])[] {
  const columns = new Map<string, number[]>();
  for (const edge of cascade.cleared) {
    if (edge.from === from) columns.set(edge.column, [...(columns.get(edge.column) ?? []), edge.to]);
  }
  return [...columns];
}
