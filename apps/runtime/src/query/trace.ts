// Writes the traces of every write, in its own statement: a row of the audit log, and an event if somebody listens. In:
// what a statement has written. Out: its last CTEs. It never contains a value, and a write without a listener creates
// no event.
import { quoteIdentifier, quoteLiteral } from "@plinth/postgres";
import { column, type EntityView, LISTENERS_TABLE, type StoredField, wireValue } from "./entity-view.ts";
import { keptChanges, type RowChange } from "./kept-changes.ts";
import type { Parameters } from "./parameters.ts";
import type { Unseen } from "./readable-fields.ts";

/** The content of the audit row, as SQL over the rows of `from`. */
export interface Audited {
  readonly view: EntityView;
  /** Its name, or SQL if the statement itself decides it. */
  readonly operation: string | { readonly sql: string };
  /** The changes in the audit log, as jsonb. */
  readonly changes: string;
  readonly from: string;
  /** The alias of the records; null if the row is about several records. */
  readonly row: string | null;
}

/** Records that a statement has written: as they are after it, or as they were before a delete. */
export interface Written extends Audited {
  readonly row: string;
  readonly event: Emitted;
  readonly change: RowChange;
}

export interface Emitted {
  /** Its name, or SQL of it. */
  readonly name: string | { readonly sql: string };
  /** The previous values of what changed, as jsonb; null for a new record. */
  readonly old: string | null;
  readonly unseen?: Unseen;
  /** Data in addition to the record, as jsonb. */
  readonly data?: string | null;
}

/** One audit row, and one event, for each row. */
export function traceOf(parameters: Parameters, written: readonly Written[]): string {
  const [first] = written;
  if (first === undefined) throw new Error("a write that writes nothing");
  const { view } = first;
  const audit = auditOf(parameters, written);
  const event = view.emits ? `, ${eventsOf(parameters, written, view.schema)}` : "";
  return `${audit}${event}${keptChanges(written, view.schema)}`;
}

/** Only the audit rows, because a read creates no event. */
export function auditOf(parameters: Parameters, audited: readonly Audited[]): string {
  const rows = audited.map(
    ({ view, operation, changes, from, row }) =>
      `select ${parameters.requestId()}, ${parameters.actorKind()}, ${parameters.actorId()}, ${textOf(operation)}, ` +
      `${quoteLiteral(view.entity.name)}, ${row === null ? "null::uuid" : `${row}."id"`}, ${changes} from ${from}`,
  );
  return (
    `_aud as (insert into ${audited[0]?.view.schema}."audit_log" ` +
    `("request_id", "actor_kind", "actor_id", "operation", "entity", "record_id", "changes") ${rows.join(" union all ")})`
  );
}

/**
 * The statement asks the database whether somebody listens: a replica's memory could be out of date after a deployment,
 * and lose an event.
 */
export function eventsOf(
  parameters: Parameters,
  written: readonly Omit<Written, "changes" | "operation" | "change">[],
  schema: string,
): string {
  const carries = written.some(({ event }) => event.data != null);
  const rows = written.map(({ view, from, row, event }) => {
    const name = textOf(event.name);
    const data = carries ? `, ${event.data ?? "null::jsonb"}` : "";
    return (
      `select ${name}, ${quoteLiteral(view.entity.name)}, ${row}."id", ${organizationOf(view, row, parameters)}, ${parameters.actorKind()}, ` +
      `${parameters.actorId()}, ${parameters.requestId()}, ${parameters.cause()}, ` +
      `${recordOf(view, row, parameters, event.unseen)}, ${event.old ?? "null::jsonb"}${data} from ${from} ` +
      `where exists (select 1 from ${schema}.${quoteIdentifier(LISTENERS_TABLE)} _l where _l."event" = ${name})`
    );
  });
  return (
    `_evt as (insert into ${schema}."_outbox" ("name", "entity", "record_id", "organization_id", "actor_kind", ` +
    `"actor_id", "request_id", "cause", "record", "old"${carries ? `, "data"` : ""}) ${rows.join(" union all ")})`
  );
}

/** The record's organization; for a record without one, the organization of the request. */
function organizationOf({ entity }: EntityView, row: string, parameters: Parameters): string {
  if (entity.name === ORGANIZATION_ENTITY) return `${row}."id"`;
  return entity.scope === null ? (parameters.hole("org") ?? "null::uuid") : `${row}."org_id"`;
}

const ORGANIZATION_ENTITY = "organization";

function textOf(name: string | { readonly sql: string }): string {
  return typeof name === "string" ? quoteLiteral(name) : name.sql;
}

/** The record with all its values. They are masked when people look at them. */
export function recordOf(view: EntityView, row: string, parameters: Parameters, unseen?: Unseen): string {
  const columns = view.entity.fields
    .filter((field) => !field.secret)
    .map(
      (field) =>
        `${unseen?.values.get(field.name) ?? wireValue(view, field, row, parameters, unseen?.pairs)} as ${quoteIdentifier(field.name)}`,
    );
  return `(select to_jsonb(_x) from (select ${columns.join(", ")}) _x)`;
}

/** `{"field": before}` for each field whose value has changed. */
export function previousValues(
  view: EntityView,
  fields: readonly StoredField[],
  rows: { readonly before: string; readonly after: string },
  parameters: Parameters,
): string {
  const changed = fields
    .filter((field) => !field.secret)
    .map((field) => {
      const differs = `${column(rows.before, field)} is distinct from ${column(rows.after, field)}`;
      const pair = `jsonb_build_object(${quoteLiteral(field.name)}, ${wireValue(view, field, rows.before, parameters)})`;
      return `case when ${differs} then ${pair} else '{}'::jsonb end`;
    });
  return changed.length === 0 ? "'{}'::jsonb" : changed.join(" || ");
}
