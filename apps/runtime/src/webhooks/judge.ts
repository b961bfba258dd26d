// Decides which part of an event somebody can see. In: the stored event, and a reader. Out: the record and its previous
// values, as far as the reader's rules allow it for the event's own values, whatever has happened to the record since;
// for an event without a record, its data about the record that it is about. It never shows a hidden value.
import type { BundleField } from "@plinth/bundle";
import { quoteLiteral, type TenantTransaction } from "@plinth/postgres";
import type { ProjectEvent, Subject } from "../events/event.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import {
  callerIn,
  type EntityView,
  findEntity,
  forProject,
  living,
  permission,
  type StatementCaller,
} from "../query/entity-view.ts";
import { arrayLiteral, type Bindings, Parameters } from "../query/parameters.ts";
import { readableFields, recordJson } from "../query/readable-fields.ts";
import { isJoined, shownOfKept } from "../query/references.ts";
import type { Reader } from "./endpoint.ts";

/** JSON texts, so that numbers keep their digits. */
export interface Sight {
  /** Null for an event without a record. */
  readonly record: string | null;
  readonly old: string | null;
  readonly data: string;
  /** Names of the shown members of the record, or of the event's payload; null if no rule applies. */
  readonly members: readonly string[] | null;
}

export interface Judged {
  readonly event: ProjectEvent;
  /** For an event without a record: the record that it is about. */
  readonly subject: Subject | null;
  /** Members that can be shown at all; null for all of them. */
  readonly only: readonly string[] | null;
}

/** @returns null if the reader can't see it. */
export async function judge(
  open: TenantTransaction,
  release: ActiveRelease,
  reader: Reader,
  judged: Judged,
): Promise<Sight | null> {
  const { principal } = reader;
  const { event, only } = judged;
  const isAdmin = principal.roles.includes("admin") && reader.organization === null;
  const view = event.entity === null ? null : findEntity(release, event.entity);
  if (view === null) {
    // No rule covers the payload of a declared event. Rules cover the record that it is about.
    if (!isAdmin || only !== null) return event.entity === null ? judgeSubject(open, release, reader, judged) : null;
    const [row] = (await open.query(PLAIN(release.schema), [event.id])).rows;
    return row === undefined
      ? null
      : { record: row[0] ?? null, old: row[1] ?? null, data: row[2] ?? "null", members: null };
  }
  if (reader.organization !== null && (view.entity.scope === null || event.organization !== reader.organization)) {
    return null;
  }
  const caller: StatementCaller =
    reader.organization === null ? callerIn(principal, null) : { roles: principal.roles, unscoped: true };
  const { text, values } = statementOf(view, caller, reader, event, only);
  const [row] = (await open.query(forProject(text, release), values)).rows;
  const [record = null, old = null, data = null] = row ?? [];
  if (record === null) return null;
  return { record, old, data: isAdmin ? (data ?? "null") : "null", members: Object.keys(JSON.parse(record) as object) };
}

/**
 * A declared event as a reader of its record sees it: only those members of the payload that are plain values of fields
 * which they can read in the record now. Everything else that an author puts into an event is for admins.
 */
async function judgeSubject(
  open: TenantTransaction,
  release: ActiveRelease,
  { principal, organization }: Reader,
  { event, subject, only }: Judged,
): Promise<Sight | null> {
  const view = subject === null ? null : findEntity(release, subject.entity);
  if (view === null || subject === null) return null;
  const scope = view.entity.scope === null ? null : await organizationOf(open, release, view, subject.id);
  if (organization !== null && scope !== organization) return null;
  const caller: StatementCaller =
    organization === null ? callerIn(principal, null) : { roles: principal.roles, unscoped: true };
  const parameters = new Parameters();
  const record = parameters.at("subject", () => subject.id);
  const id = parameters.at("event", () => event.id);
  const filter = only === null ? "" : ` and _d.key = any(${parameters.at("only", () => arrayLiteral(only))}::text[])`;
  const text =
    `select (select coalesce(jsonb_object_agg(_d.key, _d.value), '{}'::jsonb) from jsonb_each(_e."data") _d ` +
    `where (_d.value = _shown."values"->_d.key or (_d.key = ${quoteLiteral(`${subject.entity}_id`)} and _d.value = to_jsonb(_now."id")))${filter})::text ` +
    `from ${view.from} _now, lateral (select (${recordJson(view, caller, "_now", parameters)})::jsonb as "values") _shown, ` +
    `(select case when jsonb_typeof(_x."data") = 'object' then _x."data" else '{}'::jsonb end as "data" ` +
    `from ${view.schema}."workers__events" _x where _x."id" = ${id}::uuid) _e ` +
    `where _now."id" = ${record}::uuid${living(view, "_now")} and ${permission(view, "read", caller, parameters, { record: "_now" }).sql}`;
  const values = parameters.slots.map((slot) =>
    slot(bindingsOf(principal, event, { organization: scope, id: subject.id })),
  );
  const [[data] = [null]] = (await open.query(forProject(text, release), values)).rows;
  if (data == null) return null;
  return { record: null, old: null, data, members: Object.keys(JSON.parse(data) as object) };
}

/** Null if the record no longer exists. */
async function organizationOf(
  open: TenantTransaction,
  release: ActiveRelease,
  view: EntityView,
  id: string,
): Promise<string | null> {
  const text = forProject(`select "org_id"::text from ${view.from} where "id" = $1::uuid`, release);
  return (await open.query(text, [id])).rows[0]?.[0] ?? null;
}

/** @param about The judged record, and its organization. */
function bindingsOf(
  principal: Reader["principal"],
  event: ProjectEvent,
  about: { readonly organization: string | null; readonly id: string | null },
): Bindings {
  return {
    principal,
    requestId: event.requestId ?? event.id,
    ip: "",
    organization: about.organization,
    recordId: about.id,
    values: new Map(),
    cursor: null,
    limit: null,
  };
}

const PLAIN = (schema: string): string =>
  `select "record"::text, "old"::text, coalesce("data", 'null'::jsonb)::text from ${schema}."workers__events" where "id" = $1::uuid`;

/**
 * The rules run over rows that are built from the event's values: as they are after the change, and as they were
 * before.
 */
function statementOf(
  view: EntityView,
  caller: StatementCaller,
  { principal }: Reader,
  event: ProjectEvent,
  only: readonly string[] | null,
): { readonly text: string; readonly values: readonly (string | null)[] } {
  const parameters = new Parameters();
  const keptOf = (field: BundleField, row: string): string => `${row}."_values"->${quoteLiteral(field.name)}`;
  /** Null if it equals the stored value. */
  const partOf = (field: BundleField, row: string): string | null =>
    isJoined(field) ? shownOfKept(view, field, keptOf(field, row), caller, parameters) : null;
  const fields = readableFields(view, caller.roles).map(({ field }) => field);
  const shownOf = (row: string): string => {
    const values = new Map(fields.map((field) => [field.name, partOf(field, row) ?? keptOf(field, row)]));
    const json = recordJson(view, caller, row, parameters, { values, pairs: new Map() });
    const filter =
      only === null ? "" : ` where _m.key = any(${parameters.at("only", () => arrayLiteral(only))}::text[])`;
    const members = `(select coalesce(jsonb_object_agg(_m.key, _m.value), '{}'::jsonb) from jsonb_each((${json})::jsonb) _m${filter})`;
    return `case when ${permission(view, "read", caller, parameters, { record: row }).sql} then ${members} end`;
  };
  const rowOf = (values: string, alias: string): string =>
    `lateral (select _p.*, ${values} as "_values" from jsonb_populate_record(null::${view.from}, ${values}) _p) ${alias}`;
  // A list that only differs in records that the reader can't see is unchanged for them.
  const unchanged = fields.flatMap((field) => {
    const now = partOf(field, "_now");
    return now === null ? [] : [` and not (_o.key = ${quoteLiteral(field.name)} and _o.value = ${now})`];
  });
  const id = parameters.at("event", () => event.id);
  const text =
    `select ${shownOf("_now")}::text, ` +
    `(select jsonb_object_agg(_o.key, _o.value) from jsonb_each(${shownOf("_was")}) _o where _e."old" ? _o.key${unchanged.join("")})::text, ` +
    `coalesce(_e."data", 'null'::jsonb)::text from ${view.schema}."workers__events" _e, ` +
    `${rowOf('_e."record"', "_now")}, ${rowOf(`(_e."record" || coalesce(_e."old", '{}'::jsonb))`, "_was")} where _e."id" = ${id}::uuid`;
  const bindings = bindingsOf(principal, event, { organization: event.organization, id: event.recordId });
  return { text, values: parameters.slots.map((slot) => slot(bindings)) };
}
