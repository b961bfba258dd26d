// The workflows that runs began with. In: a release's id. Out: what its bundle says of background work; null where there is no
// such release, or it is of a format without any. A deployment changes nothing for runs that are under way.
import { type BundleBackground, readStoredBundle } from "@plinth/bundle";
import { ByteCache, bytesOfText } from "@plinth/service";
import type { Pool } from "pg";

export interface Definitions {
  of(releaseId: string): Promise<BundleBackground | null>;
}

const BYTES_MAX = 16_000_000;
/** Objects of the parsed text, as measured against it. */
const GROWTH = 4;

interface Kept {
  readonly background: BundleBackground | null;
  readonly bytes: number;
}

export function createDefinitions(pool: Pool): Definitions {
  const cache = new ByteCache<string, Kept>({ bytesMax: BYTES_MAX, weigh: ({ bytes }) => bytes });
  return {
    async of(releaseId) {
      const known = cache.get(releaseId);
      if (known !== undefined) return known.background;
      const { rows } = await pool.query<{ bundle: string }>("SELECT bundle FROM plinth.releases WHERE id = $1", [
        releaseId,
      ]);
      const decoded = rows[0] === undefined ? null : readStoredBundle(JSON.parse(rows[0].bundle));
      const background = decoded?.ok === true ? decoded.value.background : null;
      cache.set(releaseId, { background, bytes: bytesOfText(JSON.stringify(background)) * GROWTH });
      return background;
    },
  };
}
