// The body of an attempt. In: a claimed delivery. Out: its body as far as its reader can see it now; null if it can no
// longer be sent.
import type { ProjectScope } from "@plinth/postgres";
import type { SecretBox } from "../identity/secret-box.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import type { Claim } from "./claim.ts";
import { readerOf } from "./endpoint.ts";
import { judge } from "./judge.ts";
import { bodyOf } from "./message.ts";
import { maySend } from "./rules.ts";
import { openBody } from "./stored-body.ts";
import { storedEvents } from "./stored-events.ts";

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
  const sealed = openBody(box, project, claim.id, claim);
  if (claim.event_id === null) return sealed;
  if (release === null || !maySend(release.bundle.background, claim.event_name)) return null;
  const isOwn = endpoint.owner_kind === null;
  if (isOwn && release.releaseId === claim.release_id) return sealed;
  return scopeOf(project).transaction(async (open) => {
    const ask = async (text: string, values: readonly string[]) => (await open.query(text, values)).rows;
    const reader = await readerOf(ask, release, endpoint);
    if (reader === null) return null;
    const event = (await storedEvents(open, release, [claim.event_id ?? ""])).get(claim.event_id ?? "");
    // The event is deleted, so it can't be checked any more what its reader can see of it.
    if (event === undefined) return isOwn ? sealed : null;
    const { subject_entity: entity, subject_id: id } = claim;
    const subject = entity === null || id === null ? null : { entity, id };
    const sight = await judge(open, release, reader, { event, subject, only: claim.fields });
    const { outbound } = release.bundle.background;
    return sight === null ? null : bodyOf(project, event, endpoint, { reader, sight, outbound });
  });
}
