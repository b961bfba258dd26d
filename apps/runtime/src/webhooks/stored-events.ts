// Reads stored events, without their values. In: ids. Out: the events by id; those that are deleted are absent.
import type { TenantTransaction } from "@plinth/postgres";
import type { ProjectEvent } from "../events/event.ts";
import { storedEvent } from "../events/stored-event.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import { DISABLED_EVENT } from "./message.ts";

/** Under the project's own role. */
export async function storedEvents(
  open: TenantTransaction,
  { schema }: Pick<ActiveRelease, "schema">,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ProjectEvent>> {
  const { rows } = await open.query(
    `select (select row_to_json(_x) from (select _e."id", _e."seq"::text as seq, _e."name", _e."entity", _e."record_id", _e."organization_id",
       _e."actor_kind", _e."actor_id", _e."request_id", case when _e."name" = '${DISABLED_EVENT}' then _e."data" end as data,
       to_char(_e."at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at) _x)::text
     from ${schema}."workers__events" _e where _e."id" = any($1::uuid[])`,
    [`{${ids.join(",")}}`],
  );
  return new Map(rows.map(([json]) => storedEvent(JSON.parse(json ?? "{}"))).map((event) => [event.id, event]));
}
