// Reads the descriptions of releases. In: a release. Out: its OpenAPI document or its types, compressed as they are
// stored. Recently read descriptions stay in memory, up to a limit. Simultaneous requests share one read. The projects
// read in turn, on connections that nothing else uses.
import type { ProjectId } from "@plinth/bundle";
import { boundedQuery, LOOK_UP_MS_MAX, orUnavailable } from "@plinth/postgres";
import { FairQueue, Fault, SharedByteCache } from "@plinth/service";
import type { Pool } from "pg";
import { type DescriptionPart, packed, storeDescription } from "../project/stored-description.ts";

export interface Descriptions {
  /** @throws Fault `unavailable`. */
  of(release: { readonly projectId: ProjectId; readonly releaseId: string }, part: DescriptionPart): Promise<Buffer>;
}

/**
 * For all projects. The project with the most bytes is evicted first, so that one large document doesn't evict all
 * others.
 */
const KEPT_BYTES_MAX = 16 * 1_048_576;
/** The pool has this many connections. */
export const DESCRIPTION_CONNECTIONS = 2;
/** For a release that an older version stored: Postgres parses its whole bundle, once. */
const UNPACK_MS_MAX = 30_000;

const COLUMNS: Readonly<Record<DescriptionPart, string>> = { openapi: "openapi", sdkTypes: "sdk_types" };
const STORED_TEXTS = `SELECT (bundle::json -> 'openapi')::text AS openapi, bundle::json ->> 'sdkTypes' AS "sdkTypes"
  FROM plinth.releases WHERE id = $1`;

export function createDescriptions(pool: Pool): Descriptions {
  const kept = new SharedByteCache<Buffer>({
    bytesMax: KEPT_BYTES_MAX,
    weigh: (part, key) => part.length + key.length,
  });
  const flights = new Map<string, Promise<Buffer>>();
  const turns = new FairQueue({
    places: DESCRIPTION_CONNECTIONS,
    placesPerProject: 1,
    waitingMax: 20,
    waitMsMax: 10_000,
    refusal: () => new Fault("unavailable", { headers: { "retry-after": "1" } }),
  });

  async function read(releaseId: string, part: DescriptionPart): Promise<Buffer> {
    const text = `SELECT ${COLUMNS[part]} AS part FROM plinth.descriptions WHERE release_id = $1`;
    const { rows } = await pool.query<{ part: Buffer }>(boundedQuery({ text, values: [releaseId] }, LOOK_UP_MS_MAX));
    return rows[0]?.part ?? (await unpack(releaseId))[part];
  }

  async function unpack(releaseId: string): Promise<Readonly<Record<DescriptionPart, Buffer>>> {
    const { rows } = await pool.query<{ openapi: string; sdkTypes: string }>(
      boundedQuery({ text: STORED_TEXTS, values: [releaseId] }, UNPACK_MS_MAX),
    );
    if (rows[0] === undefined) throw new Error(`release ${releaseId} is served but not stored`);
    const description = await packed(rows[0]);
    await storeDescription(pool, releaseId, description);
    return description;
  }

  return {
    async of({ projectId, releaseId }, part) {
      const key = `${releaseId} ${part}`;
      const known = kept.get(key) ?? flights.get(key);
      if (known !== undefined) return known;
      const flight = turns
        .run(projectId, () => orUnavailable(read(releaseId, part)))
        .then((bytes) => {
          kept.set(projectId, key, bytes);
          return bytes;
        })
        .finally(() => flights.delete(key));
      flights.set(key, flight);
      return flight;
    },
  };
}
