// The body of an attempt. In: a claimed delivery. Out: its body as far as its reader can see it now; null if it can no
// longer be sent.
import type { ProjectScope } from "@plinth/postgres";
import { storedEvent } from "../events/stored-event.ts";
import type { SecretBox } from "../identity/secret-box.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import type { Claim } from "./claim.ts";
import { readerOf } from "./endpoint.ts";
import { judge } from "./judge.ts";
import { bodyContext, bodyOf } from "./message.ts";
import { maySend } from "./rules.ts";

export interface BodySources {
  readonly scopeOf: (projectId: string) => ProjectScope;
  readonly box: SecretBox;
}

/**
 * The body that was sealed at the event, as far as its reader can see it now. An endpoint of the project itself isn't
 * checked again while the same release is live. @returns null if it can no longer be sent.
 */
export async function bodyNow(
  { box, scopeOf }: BodySources,
  claim: Claim,
  release: ActiveRelease | null,
): Promise<string | null> {
  const { project_id: project, endpoint } = claim;
  const sealed = box.open(claim.body, bodyContext(project, claim.id)).toString("utf8");
  if (claim.event_id === null) return sealed;
  if (release === null || !maySend(release.bundle.background, claim.event_name)) return null;
  const isOwn = endpoint.owner_kind === null;
  if (isOwn && release.releaseId === claim.release_id) return sealed;
  return scopeOf(project).transaction(async (open) => {
    const ask = async (text: string, values: readonly string[]) => (await open.query(text, values)).rows;
    const reader = await readerOf(ask, release, endpoint);
    if (reader === null) return null;
    const { rows } = await open.query(
      `select (select row_to_json(_x) from (select _e."id", _e."seq"::text as seq, _e."name", _e."entity", _e."record_id", _e."organization_id",
         _e."actor_kind", _e."actor_id", _e."request_id", to_char(_e."at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at) _x)::text
       from ${release.schema}."workers__events" _e where _e."id" = $1::uuid`,
      [claim.event_id],
    );
    const [json = null] = rows[0] ?? [];
    // The event is deleted, so it can't be checked any more what its reader can see of it.
    if (json === null) return isOwn ? sealed : null;
    const event = storedEvent(JSON.parse(json));
    const { subject_entity: entity, subject_id: id } = claim;
    const subject = entity === null || id === null ? null : { entity, id };
    const sight = await judge(open, release, reader, { event, subject, only: claim.fields });
    const { outbound } = release.bundle.background;
    return sight === null ? null : bodyOf(project, event, endpoint, { reader, sight, outbound });
  });
}
