// What somebody may see of an event. In: the event as it is kept, and a reader. Out: the record and its previous values as far as the
// reader's rules allow it over the event's own values, whatever has become of the record since. It never shows what is hidden.
import { quoteLiteral, type TenantTransaction } from "@plinth/postgres";
import type { ProjectEvent } from "../events/event.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import { type Asker, askerIn, type EntityView, findEntity, forProject, permission } from "../query/entity-view.ts";
import { type Bindings, Parameters } from "../query/parameters.ts";
import { readableFields, recordJson } from "../query/readable-fields.ts";
import type { Reader } from "./endpoint.ts";

/** JSON texts: numbers keep their digits. */
export interface Sight {
  /** Null of an event without a record. */
  readonly record: string | null;
  readonly old: string | null;
  readonly data: string;
}

/** @param only Members of the record that may be shown at all; null for every one. @returns Null where the reader may not see it. */
export async function judge(
  open: TenantTransaction,
  release: ActiveRelease,
  reader: Reader,
  event: ProjectEvent,
  only: readonly string[] | null,
): Promise<Sight | null> {
  const { principal } = reader;
  const isAdmin = principal.roles.includes("admin") && reader.organization === null;
  const view = event.entity === null ? null : findEntity(release, event.entity);
  if (view === null) {
    // No rule says who may read what a declared event carries.
    if (!isAdmin) return null;
    const [row] = (await open.query(PLAIN(release.schema), [event.id])).rows;
    return row === undefined ? null : { record: row[0] ?? null, old: row[1] ?? null, data: row[2] ?? "null" };
  }
  if (reader.organization !== null && (view.entity.scope === null || event.organization !== reader.organization)) {
    return null;
  }
  const asker: Asker =
    reader.organization === null ? askerIn(principal, null) : { roles: principal.roles, unscoped: true };
  const { text, values } = statementOf(view, asker, reader, event, only);
  const [row] = (await open.query(forProject(text, release), values)).rows;
  const [record = null, old = null, data = null] = row ?? [];
  if (record === null) return null;
  return { record, old, data: isAdmin ? (data ?? "null") : "null" };
}

const PLAIN = (schema: string): string =>
  `select "record"::text, "old"::text, coalesce("data", 'null'::jsonb)::text from ${schema}."workers__events" where "id" = $1::uuid`;

/** The rules are asked over rows that are made of the event's values: as they are after the change, and as they were before. */
function statementOf(
  view: EntityView,
  asker: Asker,
  { principal }: Reader,
  event: ProjectEvent,
  only: readonly string[] | null,
): { readonly text: string; readonly values: readonly (string | null)[] } {
  const parameters = new Parameters();
  const shownOf = (row: string): string => {
    const values = new Map(
      readableFields(view, asker.roles).map(({ field }) => [
        field.name,
        `${row}."_values"->${quoteLiteral(field.name)}`,
      ]),
    );
    const json = recordJson(view, asker, row, parameters, { values, pairs: new Map() });
    const filter =
      only === null
        ? ""
        : ` where _m.key = any(${parameters.at("only", () => `{${only.map((name) => `"${name}"`).join(",")}}`)}::text[])`;
    const members = `(select coalesce(jsonb_object_agg(_m.key, _m.value), '{}'::jsonb) from jsonb_each((${json})::jsonb) _m${filter})`;
    return `case when ${permission(view, "read", asker, parameters, { record: row })} then ${members} end`;
  };
  const rowOf = (values: string, alias: string): string =>
    `lateral (select _p.*, ${values} as "_values" from jsonb_populate_record(null::${view.from}, ${values}) _p) ${alias}`;
  const id = parameters.at("event", () => event.id);
  const text =
    `select ${shownOf("_now")}::text, ` +
    `(select jsonb_object_agg(_o.key, _o.value) from jsonb_each(${shownOf("_was")}) _o where _e."old" ? _o.key)::text, ` +
    `coalesce(_e."data", 'null'::jsonb)::text from ${view.schema}."workers__events" _e, ` +
    `${rowOf('_e."record"', "_now")}, ${rowOf(`(_e."record" || coalesce(_e."old", '{}'::jsonb))`, "_was")} where _e."id" = ${id}::uuid`;
  const bindings: Bindings = {
    principal,
    requestId: event.requestId ?? event.id,
    ip: "",
    organization: event.organization,
    recordId: event.recordId,
    values: new Map(),
    cursor: null,
    limit: null,
  };
  return { text, values: parameters.slots.map((slot) => slot(bindings)) };
}
