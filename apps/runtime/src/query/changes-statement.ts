// Writes the statement that judges a batch of changes for a group of subscribers: callers with the same roles and the
// same filters. In: an entity and what the group shares. Out: SQL, and its values. Everything that differs between
// subscribers is in columns.
// A change is judged on the record as it was then, by the current rules and rights. Its content is shown to subscribers
// who could see the record as written and still can. If a subscriber can no longer see the record, only the change by
// which they lost it is reported. An update that changes nothing visible to them is not reported.
import { quoteIdentifier, quoteLiteral } from "@plinth/postgres";
import type { Principal } from "../project/principal.ts";
import { principalId, userId } from "../project/principal.ts";
import { type EntityView, living, permission, type StatementCaller } from "./entity-view.ts";
import { LISTS, SIGHT } from "./kept-changes.ts";
import { arrayLiteral, type Bindings, keyKind, Parameters, userEmail } from "./parameters.ts";
import { readableFields, recordJson } from "./readable-fields.ts";
import { type Filter, operandsOf } from "./reading/filter.ts";
import { FilterWriter } from "./reading/filter-sql.ts";
import { unbounded } from "./reading/value-forms.ts";
import { isJoined, shownOfKept } from "./references.ts";
import { isTouched } from "./statement.ts";
import { auditOf } from "./trace.ts";
import { CHANGES_VIEW } from "./watched.ts";

/** A subscriber, as the statement sees them. */
export interface FollowerValues {
  readonly principal: Principal;
  readonly organization: string | null;
  readonly ip: string;
  readonly requestId: string;
  /** The values of the filter, in the order of the statement. */
  readonly operands: readonly (string | null)[];
}

export interface ChangesStatement {
  readonly text: string;
  readonly writes: boolean;
  /** Equal for subscribers who get the same result: the statement judges one for all of them. */
  likeness(follower: FollowerValues): string;
  /** Changes with numbers above `after`, up to `to`. */
  values(followers: readonly FollowerValues[], after: number, to: number): readonly (string | null)[];
}

/** Columns of the result. */
export const changeColumns = { follower: 0, seq: 1, kind: 2, id: 3, record: 4 } as const;
/** The `kind` for a record that is gone. `created` and `updated` come with the record. */
export const GONE = "gone";

interface FollowerColumn {
  readonly name: string;
  readonly type: string;
  readonly of: (follower: FollowerValues) => string | null;
}

const always: readonly FollowerColumn[] = [
  { name: "user_id", type: "uuid", of: ({ principal }) => userId(principal) },
  { name: "email", type: "text", of: ({ principal }) => userEmail(principal) },
  { name: "org", type: "uuid", of: ({ organization }) => organization },
  { name: "ip", type: "text", of: ({ ip }) => ip },
  { name: "key_kind", type: "text", of: ({ principal }) => keyKind(principal) },
  { name: "actor_kind", type: "text", of: ({ principal }) => principal.kind },
  { name: "actor_id", type: "text", of: ({ principal }) => principalId(principal) },
  { name: "request_id", type: "text", of: ({ requestId }) => requestId },
];

/** Parameters that read the differences between subscribers from their row `_who`. */
class FollowerParameters extends Parameters {
  /** Columns that the text names. */
  readonly used: Set<string> = new Set();
  #of(column: string): string {
    this.used.add(column);
    return `_who.${quoteIdentifier(column)}`;
  }
  override requestId(): string {
    return this.#of("request_id");
  }
  override actorKind(): string {
    return this.#of("actor_kind");
  }
  override actorId(): string {
    return this.#of("actor_id");
  }
  override filter(number: number, sqlType: string): string {
    return `${this.#of(`filter_${number}`)}::${unbounded(sqlType)}`;
  }
  override hole(hole: string): string | undefined {
    switch (hole) {
      case "user.id":
        return this.#of("user_id");
      case "user.email":
        return this.#of("email");
      case "org":
        return this.#of("org");
      case "request.ip":
        return this.#of("ip");
      case "request.key_kind":
        return this.#of("key_kind");
      default:
        return super.hole(hole);
    }
  }
}

/** @param filter Over the entity's own fields only, because no change reports that other records have changed. */
export function changesStatement(view: EntityView, caller: StatementCaller, filter: Filter): ChangesStatement {
  const columns: readonly FollowerColumn[] = [
    ...always,
    ...operandsOf(filter).map((_, number) => ({
      name: `filter_${number}`,
      type: "text",
      of: (follower: FollowerValues) => follower.operands[number] ?? null,
    })),
  ];
  const parameters = new FollowerParameters(view.fields);
  const batchOf = new Map<number, (batch: Batch) => string>();
  const slot = (name: string, type: string, of: (batch: Batch) => string): string => {
    batchOf.set(parameters.slots.length, of);
    return `${parameters.at(name, () => null)}::${type}`;
  };
  const sees = (row: string): string =>
    [
      permission(view, "read", caller, parameters, { record: row }).sql,
      `coalesce((${new FilterWriter(caller, parameters).holds(filter, view, row)}), false)`,
    ].join(" and ");
  const image = (member: "old" | "new", row: string): string =>
    `cross join lateral jsonb_populate_record(null::${view.from}, coalesce(_batch."${member}", '{}'::jsonb)) as ${row}`;
  const stays = `exists (select 1 from ${view.from} _r where _r."id" = _batch."record_id" and ${sees("_r")}${living(view, "_r")})`;
  const same = unseenChange(view, caller, parameters);
  const unlessUnseen = same === null ? "" : ` and not (_seen._before and ${same})`;
  const isSight = `_batch."kind" = ${quoteLiteral(SIGHT)}`;
  const isAudited = view.entity.audit === "all";
  const judged =
    `select _who."n", _batch."seq", case when ${isSight} or _seen._now then _batch."kind" else ${quoteLiteral(GONE)} end as _kind, ` +
    `_batch."record_id", case when _seen._now then ${recordJson(view, caller, "_is", parameters)} end as _json` +
    `${isAudited ? `, _who."actor_kind", _who."actor_id", _who."request_id"` : ""} ` +
    `from _batch cross join _who ${image("old", "_was")} ${image("new", "_is")} cross join lateral (select ` +
    `(_batch."new" is not null and coalesce((${sees("_is")}), false)) as _now, ` +
    `(_batch."old" is not null and coalesce((${sees("_was")}), false)) as _before) as _seen ` +
    `where ${isSight} or (_seen._now and ${stays}${unlessUnseen}) or (_seen._before and not _seen._now)`;
  const audit = isAudited ? `, ${auditOfReads(view, parameters)}` : "";
  const used = columns.filter(({ name }) => parameters.used.has(name));
  const after = slot("after", "bigint", (batch) => String(batch.after));
  const to = slot("to", "bigint", (batch) => String(batch.to));
  const arrays = [
    slot("followers.n", "integer[]", ({ followers }) => `{${followers.map((_, i) => i + 1).join(",")}}`),
    ...used.map(({ name, type, of }) =>
      slot(`followers.${name}`, `${type}[]`, ({ followers }) => arrayLiteralOf(followers.map(of))),
    ),
  ];
  const text =
    `with _batch as materialized (select _c."seq", _c."kind", _c."record_id", _c."old", _c."new" ` +
    `from ${view.schema}.${quoteIdentifier(CHANGES_VIEW)} _c where _c."entity" = ${quoteLiteral(view.entity.name)} ` +
    `and _c."seq" > ${after} and _c."seq" <= ${to}), ` +
    `_who as materialized (select * from unnest(${arrays.join(", ")}) ` +
    `as _f (${["n", ...used.map(({ name }) => name)].map(quoteIdentifier).join(", ")})), ` +
    `_out as materialized (${judged})${audit} ` +
    `select _out."n"::text, _out."seq"::text, _out._kind, _out."record_id"::text, _out._json from _out order by _out."seq", _out."n"`;
  return {
    text,
    writes: isAudited,
    likeness: (follower) => JSON.stringify(used.map(({ of }) => of(follower))),
    values: (followers, from, until) => {
      const [first] = followers;
      if (first === undefined) throw new Error("a group without subscribers");
      const batch: Batch = { followers, after: from, to: until };
      const { principal, organization, ip, requestId } = first;
      const none = { recordId: null, values: new Map(), cursor: null, limit: null };
      const shared: Bindings = { principal, organization, ip, requestId, ...none };
      return parameters.slots.map((each, at) => batchOf.get(at)?.(batch) ?? each(shared));
    },
  };
}

/** SQL: an update has changed nothing that they see of the record; null if they see the change in any case. */
function unseenChange(view: EntityView, caller: StatementCaller, parameters: Parameters): string | null {
  const readable = readableFields(view, caller.roles);
  const touched = new Set(view.stored.filter(isTouched).map(({ name }) => name));
  if (readable.some(({ field, rules }) => rules === null && touched.has(field.name))) return null;
  const fields = readable.map(({ field }) => field);
  const lists = fields.filter(isJoined).map((field) => {
    const [before, after] = ["old", "new"].map((image) => {
      const kept = `_batch."${image}"->${quoteLiteral(LISTS)}->${quoteLiteral(field.name)}`;
      return shownOfKept(view, field, kept, caller, parameters) ?? `(${kept})`;
    });
    return `${before} is not distinct from ${after}`;
  });
  // Both images have the current lists. If the write has changed a list, the values computed from it were different.
  const tables = view.entity.fields.filter(isJoined).map(({ join }) => quoteIdentifier(join.table));
  const isOfLists = fields.some(
    (field) => field.column === null && !isJoined(field) && tables.some((table) => field.select.includes(table)),
  );
  return [
    `_batch."kind" = 'updated'`,
    `${recordJson(view, caller, "_was", parameters)} = ${recordJson(view, caller, "_is", parameters)}`,
    ...lists,
    ...(isOfLists ? [`not (_batch."new" ? ${quoteLiteral(LISTS)})`] : []),
  ].join(" and ");
}

interface Batch {
  readonly followers: readonly FollowerValues[];
  readonly after: number;
  readonly to: number;
}

/** One row for each subscriber, with the ids of the records that they are shown. */
function auditOfReads(view: EntityView, parameters: Parameters): string {
  const who = `_out."actor_kind", _out."actor_id", _out."request_id"`;
  const from =
    `(select ${who}, jsonb_agg(distinct _out."record_id") as ids from _out where _out._json is not null ` +
    `group by ${who}) _who`;
  const changes = `jsonb_build_object('ids', _who.ids)`;
  return auditOf(parameters, [{ view, operation: "stream", changes, from, row: null }]);
}

function arrayLiteralOf(texts: readonly (string | null)[]): string {
  return `{${texts.map((text) => (text === null ? "NULL" : arrayLiteral([text]).slice(1, -1))).join(",")}}`;
}
