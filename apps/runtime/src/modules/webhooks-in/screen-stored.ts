// Removes headers that earlier versions stored with inbound requests, because one of them may be the secret of its
// source. In: requests that are not marked as screened. Out: the same requests with harmless headers, sealed again.
import type { Logger } from "@plinth/service";
import type { Pool } from "pg";
import type { SecretBox } from "../../identity/secret-box.ts";
import { type Content, contextOf } from "./store.ts";
import { harmlessHeaders } from "./stored-headers.ts";

export interface ScreenOptions {
  readonly pool: Pool;
  readonly box: SecretBox;
  readonly logger: Logger;
}

/** Each may contain a body of 1 MB. */
const BATCH_MAX = 20;
/** For one round; the next one continues. */
const BATCHES_MAX = 500;

interface Unscreened {
  readonly project_id: string;
  readonly id: string;
  readonly sealed: string;
}

const NEXT = `SELECT project_id, id, sealed FROM plinth.inbound_requests
  WHERE NOT screened AND sealed IS NOT NULL AND (project_id, id) > ($1, $2::uuid) ORDER BY project_id, id LIMIT ${BATCH_MAX}`;
const REPLACE = `UPDATE plinth.inbound_requests r SET sealed = s.sealed, screened = true
  FROM unnest($1::text[], $2::uuid[], $3::text[]) AS s (project_id, id, sealed)
  WHERE r.project_id = s.project_id AND r.id = s.id AND NOT r.screened`;

/** Returns the number of screened requests. */
export async function screenStored({ pool, box, logger }: ScreenOptions, isStopped: () => boolean): Promise<number> {
  let screened = 0;
  let after: Pick<Unscreened, "project_id" | "id"> = { project_id: "", id: "00000000-0000-0000-0000-000000000000" };
  for (let batch = 0; batch < BATCHES_MAX && !isStopped(); batch++) {
    const { rows } = await pool.query<Unscreened>(NEXT, [after.project_id, after.id]);
    const replaced = rows.flatMap((row) => {
      try {
        return [{ ...row, sealed: withHarmlessHeaders(box, row) }];
      } catch (error) {
        // Nobody can read it with this key either.
        logger.warn({ err: error, projectId: row.project_id, request: row.id }, "an inbound request can't be opened");
        return [];
      }
    });
    await pool.query(REPLACE, [
      replaced.map(({ project_id }) => project_id),
      replaced.map(({ id }) => id),
      replaced.map(({ sealed }) => sealed),
    ]);
    screened += replaced.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH_MAX) break;
    after = last;
  }
  return screened;
}

function withHarmlessHeaders(box: SecretBox, { project_id, id, sealed }: Unscreened): string {
  const context = contextOf(project_id, id);
  const content = JSON.parse(box.open(sealed, context).toString()) as Content;
  const screened: Content = { ...content, headers: harmlessHeaders(content.headers) };
  return box.seal(Buffer.from(JSON.stringify(screened)), context);
}
