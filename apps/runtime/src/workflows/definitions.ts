// The workflow definitions with which runs began. In: a release's id. Out: the background part of its bundle; null if
// the release does not exist, or has a format without it. A deployment changes nothing for runs in progress.
import { type BundleBackground, type ProjectId, readStoredBundle } from "@plinth/bundle";
import { ByteCache, bytesOfText } from "@plinth/service";
import type { Pool } from "pg";
import type { ReleaseRegistry } from "../project/active-release.ts";

export interface Definitions {
  of(releaseId: string): Promise<BundleBackground | null>;
}

const BYTES_MAX = 16_000_000;
/** The measured size of the parsed objects in proportion to the text. */
const GROWTH = 4;
const PROJECT_BYTES_MAX = 1_000_000;
const PROJECT_BYTES = 200;

interface Kept {
  readonly background: BundleBackground | null;
  readonly bytes: number;
}

/**
 * The live release is already in the registry's memory, so it is not cached here. Other releases are cached up to the
 * limit, plus the last one above it: otherwise each of its runs would read and parse it again.
 */
export function createDefinitions(pool: Pool, registry: Pick<ReleaseRegistry, "peek">): Definitions {
  const cache = new ByteCache<string, Kept>({ bytesMax: BYTES_MAX, weigh: ({ bytes }) => bytes });
  const projects = new ByteCache<string, ProjectId>({ bytesMax: PROJECT_BYTES_MAX, weigh: () => PROJECT_BYTES });
  const flights = new Map<string, Promise<BundleBackground | null>>();
  let large: { readonly releaseId: string; readonly background: BundleBackground | null } | null = null;

  /** A release never changes its project. */
  async function projectOf(releaseId: string): Promise<ProjectId | null> {
    const known = projects.get(releaseId);
    if (known !== undefined) return known;
    const { rows } = await pool.query<{ project_id: ProjectId }>(
      "SELECT project_id FROM plinth.releases WHERE id = $1",
      [releaseId],
    );
    const projectId = rows[0]?.project_id ?? null;
    if (projectId !== null) projects.set(releaseId, projectId);
    return projectId;
  }

  async function read(releaseId: string): Promise<BundleBackground | null> {
    const { rows } = await pool.query<{ bundle: string }>("SELECT bundle FROM plinth.releases WHERE id = $1", [
      releaseId,
    ]);
    const decoded = rows[0] === undefined ? null : readStoredBundle(JSON.parse(rows[0].bundle));
    const background = decoded?.ok === true ? decoded.value.background : null;
    const bytes = bytesOfText(JSON.stringify(background)) * GROWTH;
    if (bytes > BYTES_MAX) large = { releaseId, background };
    else cache.set(releaseId, { background, bytes });
    return background;
  }

  return {
    async of(releaseId) {
      const projectId = await projectOf(releaseId);
      if (projectId === null) return null;
      const live = registry.peek(projectId);
      if (live?.releaseId === releaseId) return live.bundle.background;
      const known = large?.releaseId === releaseId ? large : cache.get(releaseId);
      if (known !== undefined) return known.background;
      const flight = flights.get(releaseId) ?? read(releaseId).finally(() => flights.delete(releaseId));
      flights.set(releaseId, flight);
      return flight;
    },
  };
}
