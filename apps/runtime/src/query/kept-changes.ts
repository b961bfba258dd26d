// Records the changes of a write for subscribers, in its last CTE. In: the rows that a statement has written. Out: SQL;
// empty if none of them can be followed. The statement asks the database whether somebody follows, because a replica's
// memory could be out of date and lose a change.
import { quoteIdentifier, quoteLiteral } from "@plinth/postgres";
import { ALWAYS, anyOf, type Condition, judged, NEVER } from "./condition.ts";
import type { EntityView } from "./entity-view.ts";
import type { Unseen } from "./readable-fields.ts";
import { CHANGES_VIEW, type Dependent, FOLLOWED_VIEW } from "./watched.ts";

/** A change of another entity, which may change who can see which records. */
export const SIGHT = "sight";

/** The member of an image with the lists that the write has changed, next to the columns. */
export const LISTS = "_lists";

/** Rows that a statement has written. */
export interface ChangedRows {
  readonly view: EntityView;
  readonly from: string;
  /** The alias of the records. */
  readonly row: string;
  readonly change: RowChange;
  /** The many-to-many fields whose lists it changes. */
  readonly event: { readonly unseen?: Unseen };
}

/** The change of each row, for subscribers. A deleted row may still exist with a mark. */
export interface RowChange {
  readonly kind: "created" | "updated" | "deleted";
  /** The row before; null if nobody could see it. */
  readonly before: RowImage | null;
  /** The alias of the row after; null if nobody can see it any more. */
  readonly after: string | null;
  /** Many-to-many fields whose lists it changes > SQL of the previous list, and of the new one. */
  readonly lists?: ReadonlyMap<string, { readonly before: string; readonly after: string }>;
}

/** `other`: values that the row of that alias has instead of its own; column > SQL. */
export interface RowImage {
  readonly row: string;
  readonly other?: ReadonlyMap<string, string>;
}

export function keptChanges(written: readonly ChangedRows[], schema: string): string {
  const rows = written.flatMap((each) => {
    const { watched } = each.view;
    if (watched === null) return [];
    const marks = watched.dependents.flatMap((dependent) => markOf(each, dependent, schema));
    return watched.isFollowed ? [changeOf(each, schema), ...marks] : marks;
  });
  if (rows.length === 0) return "";
  const columns = `"entity", "kind", "record_id", "old", "new"`;
  return `, _chg as (insert into ${schema}.${quoteIdentifier(CHANGES_VIEW)} (${columns}) ${rows.join(" union all ")})`;
}

function changeOf({ view, from, row, change }: ChangedRows, schema: string): string {
  const { name } = view.entity;
  const lists = [...(change.lists ?? [])];
  const listed = (of: "before" | "after"): string =>
    lists.length === 0
      ? ""
      : ` || jsonb_build_object(${quoteLiteral(LISTS)}, jsonb_build_object(${lists.map(([field, list]) => `${quoteLiteral(field)}, ${list[of]}`).join(", ")}))`;
  const after = change.after === null ? "null::jsonb" : `${imageOf(view, { row: change.after })}${listed("after")}`;
  const before = change.before === null ? "null::jsonb" : `${imageOf(view, change.before)}${listed("before")}`;
  return (
    `select ${quoteLiteral(name)}, ${quoteLiteral(change.kind)}, ${row}."id", ${before}, ${after} from ${from} ` +
    `where ${isFollowed(name, schema)}`
  );
}

/** One mark for each statement, however many rows it writes. */
function markOf(written: ChangedRows, dependent: Dependent, schema: string): readonly string[] {
  const changed = sightChanged(written, dependent);
  if (changed.kind === "never") return [];
  const some = `exists (select 1 from ${written.from}${changed.kind === "always" ? "" : ` where ${changed.sql}`})`;
  return [
    `select ${quoteLiteral(dependent.entity)}, ${quoteLiteral(SIGHT)}, null::uuid, null::jsonb, null::jsonb ` +
      `where ${isFollowed(dependent.entity, schema)} and ${some}`,
  ];
}

function sightChanged({ view, event, change }: ChangedRows, { columns, joins, isReferred }: Dependent): Condition {
  const { kind, before, after } = change;
  if (kind === "updated" && before !== null && after !== null) {
    if (joins.some((name) => event.unseen?.values.has(name) === true)) return ALWAYS;
    return anyOf(
      columns.map((name) => judged(`${columnOf(before, name)} is distinct from ${after}.${quoteIdentifier(name)}`)),
    );
  }
  // A row that refers to a row deleted for good is deleted with it, or changed itself.
  const isSeen = joins.length > 0 || !isReferred || (view.entity.softDelete !== null && kind !== "created");
  return isSeen ? ALWAYS : NEVER;
}

function imageOf(view: EntityView, image: RowImage): string {
  const columns = view.stored
    .filter((field) => !field.secret)
    .map((field) => `${columnOf(image, field.column)} as ${quoteIdentifier(field.column)}`);
  return `(select to_jsonb(_x) from (select ${columns.join(", ")}) _x)`;
}

function columnOf({ row, other }: RowImage, column: string): string {
  return other?.get(column) ?? `${row}.${quoteIdentifier(column)}`;
}

function isFollowed(entity: string, schema: string): string {
  return `exists (select 1 from ${schema}.${quoteIdentifier(FOLLOWED_VIEW)} _f where _f."entity" = ${quoteLiteral(entity)})`;
}
