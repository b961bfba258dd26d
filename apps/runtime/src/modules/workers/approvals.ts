// The approvals that wait for the caller. In: the caller. Out: a page of the approvals that they can give or refuse,
// the longest waiting first, with the data for a decision. It only shows the id of the run's record, and only to
// callers who can read it.
import type { BundleStep } from "@plinth/bundle";
import { quoteIdentifier, quoteLiteral } from "@plinth/postgres";
import type { ModuleContext, Reply } from "../../http/contracts.ts";
import type { ActiveRelease } from "../../project/active-release.ts";
import { type Principal, standsAboveOrganizations } from "../../project/principal.ts";
import { callerIn, findEntity, forProject, living, permission, type StatementCaller } from "../../query/entity-view.ts";
import { arrayLiteral, type Bindings, Parameters } from "../../query/parameters.ts";
import { utc } from "../instants.ts";
import { logName, parseLogQuery } from "../log-query.ts";

const LIST = "approvals";
/** Characters of a message: its step may have filled a whole text into it. */
const MESSAGE_MAX = 2_000;

/** @throws Fault `bad_request`, `unknown_parameter`, `invalid_cursor`. */
export async function readApprovals(context: ModuleContext): Promise<Reply> {
  const { incoming, release, tenant, cursors, filters, principal, organization } = context;
  const query = parseLogQuery(incoming.query, { name: LIST, filters }, release.projectId, cursors);
  const bindings: Bindings = {
    principal,
    organization,
    requestId: incoming.id,
    ip: incoming.ip,
    recordId: null,
    values: new Map(),
    cursor: query.before === null ? [null, null, null] : (JSON.parse(query.before) as string[]),
    limit: query.limit + 1,
  };
  const parameters = new Parameters();
  const text = forProject(statementOf(release, callerIn(principal, organization), parameters), release);
  const values = parameters.slots.map((slot) => slot(bindings));
  const { rows } = await tenant.run({ text, values, lane: "earned", keep: true });
  const shown = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? (shown.at(-1)?.slice(1) ?? null) : null;
  const next =
    last === null ? null : cursors.seal([JSON.stringify(last)], logName(LIST, release.projectId, query.filters));
  return {
    status: 200,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
    body: `{"data":[${shown.map(([json]) => json ?? "null").join(",")}],"page":{"next_cursor":${JSON.stringify(next)},"has_more":${last !== null}}}`,
  };
}

/** Columns: the approval as JSON, and the three of the order. The conditions are the same as in `answerApproval`. */
function statementOf(release: ActiveRelease, caller: StatementCaller, parameters: Parameters): string {
  const table = (name: string): string => `${release.schema}.${quoteIdentifier(`workers__${name}`)}`;
  const lookups = parameters.at("lookups", () => JSON.stringify(lookupsOf(release)));
  const own = `(_r."actor_kind" is not distinct from ${parameters.actorKind()} and _r."actor_id" is not distinct from ${parameters.actorId()}
      or ${parameters.at("own.key", ({ principal }) => (isSecretKey(principal) ? "t" : "f"))}::boolean and _r."kind" = 'action'
        and _r."actor_kind" = 'key' and _r."caller"->>'keyKind' = 'secret'
        and _r."caller"->'roles' = ${parameters.at("own.roles", ({ principal }) => JSON.stringify(principal.roles))}::jsonb)`;
  const reached = `(_r."organization_id" is null or _r."organization_id" = ${parameters.hole("org")}
      or ${parameters.hole("org")} is null and (${parameters.at("above", aboveSlot)}::boolean
        or _r."organization_id" = any(${parameters.at("members", membersSlot)}::uuid[])))`;
  const cursor = ["timestamptz", "uuid", "text"].map((type, at) => parameters.cursor(at, type));
  return `with _p as (
      select _w."run_id", _w."path", _w."roles", _w."until", _w."created_at", _r."workflow", _r."kind",
        left(_s."input"->>'message', ${MESSAGE_MAX}) as message,
        case when _f."run_id" is null then _e."entity" else ${lookups}::jsonb->>_r."workflow" end as entity,
        case when _f."run_id" is null then _e."record_id" else (_f."output"->>'id')::uuid end as record_id
      from ${table("waits")} _w
      join ${table("runs")} _r on _r."id" = _w."run_id"
      join ${table("steps")} _s on _s."run_id" = _w."run_id" and _s."path" = _w."path" and _s."status" = 'waiting'
      left join ${table("steps")} _f on _f."run_id" = _w."run_id" and _f."path" = '_record'
      left join ${table("events")} _e on _e."id" = _r."event_id"
      where _w."event" is null and _w."kind" = 'approval' and _w."answer" is null and _r."ended_at" is null
        and not _r."cancelled" and _w."roles" && ${parameters.hole("user.roles")}
        and (_w."by_self" is distinct from false or not ${own}) and ${reached}
        and (${cursor[0]} is null or (_w."created_at", _w."run_id", _w."path") > (${cursor.join(", ")}))
      order by _w."created_at", _w."run_id", _w."path" limit ${parameters.limit()}
    )
    select (select row_to_json(_x)::text from (select _p."run_id", _p."workflow", _p."kind", _p."path" as step, _p.message,
        _p."roles", ${utc('_p."created_at"')} as since, ${utc('_p."until"')} as until,
        case when ${readable(release, caller, parameters)}
          then json_build_object('entity', _p.entity, 'id', _p.record_id) end as record) _x),
      _p."created_at"::text, _p."run_id"::text, _p."path" from _p order by _p."created_at", _p."run_id", _p."path"`;
}

const isSecretKey = (principal: Principal): boolean => principal.kind === "key" && principal.keyKind === "secret";
const aboveSlot = ({ principal }: Bindings): string => (standsAboveOrganizations(principal) ? "t" : "f");
const membersSlot = ({ principal }: Bindings): string =>
  arrayLiteral(principal.kind === "user" ? principal.memberships.map((one) => one.organization) : []);

/** Whether the caller can read the run's record; null, which counts as no, for other entities. */
function readable(release: ActiveRelease, caller: StatementCaller, parameters: Parameters): string {
  const cases = entitiesOf(release).flatMap((name) => {
    const view = findEntity(release, name);
    const seen = view === null ? null : permission(view, "read", caller, parameters, { record: "_ref" });
    if (view === null || seen === null || seen.kind === "never") return [];
    const found = `${view.from} _ref where _ref."id" = _p.record_id and ${seen.sql}${living(view, "_ref")}`;
    return [`when ${quoteLiteral(name)} then exists (select 1 from ${found})`];
  });
  return cases.length === 0 ? "false" : `case _p.entity ${cases.join(" ")} end`;
}

/** The entities of records that runs with approvals are about. */
function entitiesOf({ bundle }: ActiveRelease): readonly string[] {
  const asking = bundle.background.workflows.filter(({ steps }) => steps.some(asks));
  return [...new Set(asking.flatMap(({ entity }) => (entity === null ? [] : [entity])))].sort();
}

function asks({ action, onError, compensate }: BundleStep): boolean {
  const within = [...(onError.kind === "steps" ? onError.steps : []), ...compensate];
  return action.kind === "approve" || within.some(asks);
}

/** Workflow > the entity in which it looks up its record. */
function lookupsOf({ bundle }: ActiveRelease): Readonly<Record<string, string | null>> {
  const lookups = bundle.background.workflows.filter(({ lookup }) => lookup !== null);
  return Object.fromEntries(lookups.map(({ name, entity }) => [name, entity]));
}
