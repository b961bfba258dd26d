// Writes the statement that restores a deleted record, with the records that its delete has marked. In: an entity and
// the caller. Out: SQL and slots. It never leaves a living record that refers to a deleted one.
// The records of the same delete have the same time, and are found from record to record like in the cascade. If one of
// them also refers to another deleted record, it stays deleted, with all records that refer to it.
import { quoteIdentifier, quoteLiteral } from "@plinth/postgres";
import { CASCADE_ROWS_MAX, type CascadeEdge, cascadeOf } from "./cascade-statement.ts";
import {
  column,
  deleted,
  type EntityView,
  living,
  permission,
  type StatementCaller,
  type StoredField,
} from "./entity-view.ts";
import { keptReply } from "./kept-reply.ts";
import { Parameters } from "./parameters.ts";
import { laneWith, lockOfStored } from "./parent-lock.ts";
import { readabilityOf, readableJson } from "./readable-fields.ts";
import { auditValue, hasVersion, ifPresent, lockedRow, type Statement, touches } from "./statement.ts";
import { previousValues, traceOf, type Written } from "./trace.ts";

/** A reference of a restored record to records that may be marked themselves. */
interface Holder {
  readonly field: StoredField;
  readonly target: EntityView;
  /** The kind of the target if the same statement can restore it; else -1. */
  readonly to: number;
}

interface Returning {
  readonly view: EntityView;
  readonly mark: string;
  /** References that must be restored too, or the record stays deleted. */
  readonly binding: readonly Holder[];
  /** References that become null if their target stays deleted, as a delete of the target would do. */
  readonly clearing: readonly Holder[];
}

/**
 * Columns: whether the rule allows it, the record, whether it was deleted, whether a deleted record prevents the
 * restore, by which fields (those that the caller may know), whether too many records would be restored, whether it has
 * the version. No row: missing or hidden.
 */
export function restoreStatement(view: EntityView, caller: StatementCaller): Statement {
  const parameters = new Parameters(view.fields);
  const cascade = cascadeOf(view);
  const kinds = (cascade?.kinds ?? [view]).filter((_, kind) => cascade?.marks[kind] !== false);
  const edges = (cascade?.cascading ?? []).filter((edge) => isMarked(edge, cascade?.kinds ?? [], kinds));
  const returning = kinds.map((kind) => returningOf(kind, kinds));
  const [root] = returning as [Returning];
  const allowed = permission(view, "restore", caller, parameters, { record: "_cur", old: "_cur", new: "_cur" }).sql;
  const found = edges.map((edge) => ({ ...edge, to: kinds.indexOf(cascade!.kinds[edge.to]!) }));
  const parts = [
    `_cur as (${lockedRow(view, "restore", caller, parameters)})`,
    `_chk as (select ${allowed} as _allowed, _cur.${root.mark} is not null as _deleted, ${hasVersion(caller, "_cur", parameters)} as _matches from _cur)`,
    `_found as (${foundRows(root, found, kinds)})`,
    `_stuck as materialized (${stuckRows(returning)})`,
    `_held as (${heldRows(returning)})`,
    `_back as materialized (${backRows})`,
    `_verdict as (select exists (select 1 from _held where _held._kind = 0) as _stays, ` +
      `(select count(*) from _back) > ${CASCADE_ROWS_MAX} as _too_large)`,
    `_go as (select 1 as _go from _verdict, _chk where _chk._matches and not _verdict._stays and not _verdict._too_large)`,
    ...returning.flatMap((each, kind) => [
      `_row_${kind} as materialized (${rowsOfKind(each, kind)})`,
      `_upd_${kind} as (${revival(each, kind)})`,
    ]),
    traceOf(
      parameters,
      returning.map((each, kind) => restored(each, kind, parameters)),
    ),
  ];
  const json = readableJson(view, caller, parameters, "_upd_0");
  const kept = keptReply(view, caller, parameters, {
    status: 200,
    row: "_upd_0",
    record: { alias: "_upd_0", json },
  });
  const text =
    `with recursive ${parts.join(", ")}${kept} ` +
    `select _chk._allowed, ${ifPresent("_upd_0", json)}, _chk._deleted, ` +
    `_verdict._stays, ${disclosed(root, caller, parameters)}, _verdict._too_large, _chk._matches ` +
    `from _chk cross join _verdict cross join _cur left join _upd_0 on true`;
  const lock = lockOfStored(view, { operations: ["restore"], caller });
  const how = { ...laneWith(lock), ...(kinds.length > 1 && { lane: "slow" as const }) };
  return { text, slots: parameters.slots, keep: true, writes: true, ...how };
}

/** Whether a cascade along this edge marks records, so that it can be undone. */
function isMarked(edge: CascadeEdge, all: readonly EntityView[], kinds: readonly EntityView[]): boolean {
  return kinds.includes(edge.from) && kinds.includes(all[edge.to]!);
}

function returningOf(view: EntityView, kinds: readonly EntityView[]): Returning {
  const { softDelete } = view.entity;
  if (softDelete === null) throw new Error(`${view.entity.name} can't be restored`);
  const binding: Holder[] = [];
  const clearing: Holder[] = [];
  for (const field of view.stored) {
    const target = field.references === null ? undefined : view.all.get(field.references);
    if (target === undefined || target.entity.softDelete === null) continue;
    const referrer = target.entity.referrers.find(
      (each) => each.entity === view.entity.name && each.column === field.column,
    );
    const holder = { field, target, to: kinds.indexOf(target) };
    (referrer?.onDelete === "set_null" ? clearing : binding).push(holder);
  }
  return { view, mark: quoteIdentifier(softDelete), binding, clearing };
}

/** kind and id of the record, and of the records that its delete has marked. */
function foundRows(root: Returning, edges: readonly CascadeEdge[], kinds: readonly EntityView[]): string {
  const start = 'select 0 as _kind, _cur."id" as _id from _cur, _chk where _chk._allowed and _chk._deleted';
  if (edges.length === 0) return start;
  const arms = edges.map(({ from, column: name, to }) => {
    const mark = `_t.${quoteIdentifier(from.entity.softDelete ?? "")}`;
    return (
      `select ${kinds.indexOf(from)} as _kind, _t."id" as _id from ${from.from} _t where _f._kind = ${to} ` +
      `and _t.${quoteIdentifier(name)} = _f._id and ${mark} = (select _cur.${root.mark} from _cur)`
    );
  });
  return `${start} union select _e._kind, _e._id from _found _f cross join lateral (${arms.join(" union all ")}) as _e`;
}

/** Records that refer to a deleted record that isn't restored. Living targets are locked, so that they stay. */
function stuckRows(returning: readonly Returning[]): string {
  const arms = returning.flatMap(({ view, binding }, kind) =>
    binding.map(
      (holder) =>
        `select ${kind} as _kind, _t."id" as _id from _found _f join ${view.from} _t on _t."id" = _f._id ` +
        `where _f._kind = ${kind} and ${leadsNowhere(holder, "_t", "_found")}`,
    ),
  );
  return arms.length === 0 ? noRows : arms.join(" union ");
}

const noRows = "select 0 as _kind, null::uuid as _id where false";

function leadsNowhere({ field, target, to }: Holder, row: string, returns: "_found" | "_back"): string {
  const value = column(row, field);
  const alive = `exists (select 1 from ${target.from} _ref where _ref."id" = ${value}${living(target, "_ref")} for key share of _ref)`;
  return `${value} is not null${unlessBack({ to }, value, returns)} and not ${alive}`;
}

function unlessBack({ to }: Pick<Holder, "to">, id: string, returns: "_found" | "_back"): string {
  return to === -1 ? "" : ` and not exists (select 1 from ${returns} _x where _x._kind = ${to} and _x._id = ${id})`;
}

/** The stuck records, with all records that refer to them. */
function heldRows(returning: readonly Returning[]): string {
  const arms = returning.flatMap(({ view, binding }, kind) =>
    binding
      .filter(({ to }) => to !== -1)
      .map(
        ({ field, to }) =>
          `select ${kind} as _kind, _t."id" as _id from ${view.from} _t join _found _f on _f._kind = ${kind} and _f._id = _t."id" ` +
          `where _h._kind = ${to} and ${column("_t", field)} = _h._id`,
      ),
  );
  const start = "select _stuck._kind, _stuck._id from _stuck";
  if (arms.length === 0) return start;
  return `${start} union select _e._kind, _e._id from _held _h cross join lateral (${arms.join(" union all ")}) as _e`;
}

const backRows =
  `select _f._kind, _f._id from _found _f ` +
  `where not exists (select 1 from _held _h where _h._kind = _f._kind and _h._id = _f._id) limit ${CASCADE_ROWS_MAX + 1}`;

/** The rows before, and which of their references become null. */
function rowsOfKind({ view, mark, clearing }: Returning, kind: number): string {
  const columns = [
    '_t."id"',
    `_t.${mark}`,
    ...clearing.flatMap((holder, i) => [
      column("_t", holder.field),
      `(${leadsNowhere(holder, "_t", "_back")}) as _clear_${i}`,
    ]),
  ];
  return `select ${columns.join(", ")} from ${view.from} _t join _back _b on _b._kind = ${kind} and _b._id = _t."id"`;
}

function revival({ view, mark, clearing }: Returning, kind: number): string {
  const sets = [
    `${mark} = null`,
    ...touches(view, "_t"),
    ...clearing.map(
      ({ field }, i) =>
        `${quoteIdentifier(field.column)} = case when _n._clear_${i} then null else ${column("_t", field)} end`,
    ),
  ];
  return (
    `update ${view.from} _t set ${sets.join(", ")} from _row_${kind} _n, _go ` +
    `where _t."id" = _n."id" and _t.${mark} = _n.${mark} returning _t.*`
  );
}

function restored({ view, clearing }: Returning, kind: number, parameters: Parameters): Written {
  const [before, after] = [`_row_${kind}`, `_upd_${kind}`];
  const softDelete = view.entity.softDelete ?? "";
  const marked = `jsonb_build_object(${quoteLiteral(softDelete)}, jsonb_build_array(${before}.${quoteIdentifier(softDelete)}, null))`;
  const cleared = clearing.map(({ field }, i) => {
    const pair = `jsonb_build_array(${auditValue(before, field)}, ${auditValue(after, field)})`;
    return ` || case when ${before}._clear_${i} then jsonb_build_object(${quoteLiteral(field.name)}, ${pair}) else '{}'::jsonb end`;
  });
  const fields = clearing.map(({ field }) => field);
  return {
    view,
    operation: "restore",
    changes: `${marked}${cleared.join("")}`,
    from: `${after} join ${before} on ${before}."id" = ${after}."id"`,
    row: after,
    event: { name: `${view.entity.name}.restored`, old: previousValues(view, fields, { before, after }, parameters) },
    change: { kind: "updated", before: null, after },
  };
}

/** The fields that prevent the restore and that the caller can read, with the records that they refer to. */
function disclosed({ view, binding }: Returning, caller: StatementCaller, parameters: Parameters): string {
  const names = binding.flatMap((holder) => {
    if (readabilityOf(view, holder.field, caller.roles) !== "always") return [];
    const readable = permission(holder.target, "read", caller, parameters, { record: "_ref" });
    if (readable.kind === "never") return [];
    const value = column("_cur", holder.field);
    const found = `${holder.target.from} _ref where _ref."id" = ${value} and ${deleted(holder.target, "_ref")} and ${readable.sql}`;
    return [
      `case when exists (select 1 from ${found})${unlessBack(holder, value, "_back")} then ${quoteLiteral(holder.field.name)} end`,
    ];
  });
  return names.length === 0 ? "''" : `concat_ws(',', ${names.join(", ")})`;
}
