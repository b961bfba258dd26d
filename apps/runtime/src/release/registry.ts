// Caches the live release of each project in memory. In: a project. Out: the release that serves its requests now. It
// learns about a new release by the epoch, by NOTIFY and by polling. It never serves an inactive release. Releases and
// the values that requests derive from them are limited in bytes: the least recently used are evicted.
import type { Bundle, BundleLimits, ProjectId } from "@plinth/bundle";
import { boundedQuery, LOOK_UP_MS_MAX, quoteIdentifier, tenantNames } from "@plinth/postgres";
import { Fault, type Logger } from "@plinth/service";
import type { Pool } from "pg";
import type { ActiveRelease, ReleaseRegistry } from "../project/active-release.ts";
import { nothingKept } from "../project/derived.ts";
import { effectiveLimits } from "./effective-limits.ts";
import { createSharedBundles, type SharedBundle } from "./shared-bundles.ts";
import { bundleOf, UnreadableRelease } from "./stored-release.ts";

export interface Registry extends ReleaseRegistry {
  /** A project may have changed: its entry is read again in the background. */
  refresh(projectId: string): void;
  /** After missed notifications: compares all entries with the tables. */
  refreshAll(): void;
  /**
   * Calls the listener for each project whose entry changes: `isReplaced` if another release has replaced it, else it
   * was evicted.
   */
  onForget(listener: (projectId: string, isReplaced: boolean) => void): void;
  /** The current contents, by their weight. */
  kept(): { readonly projects: number; readonly bytes: number };
  stop(): Promise<void>;
}

const ACTIVE_RELEASE = `SELECT p.slug, r.id AS release_id, r.bundle_hash FROM plinth.projects p
  JOIN plinth.releases r ON r.id = p.active_release_id WHERE p.id = $1 AND p.suspended_at IS NULL`;
const BUNDLE = "SELECT bundle FROM plinth.releases WHERE id = $1";
const POLL = `SELECT id, slug, CASE WHEN suspended_at IS NULL THEN active_release_id END AS active_release_id
  FROM plinth.projects WHERE id = ANY($1)`;
const POLL_MS = 1_000;
/**
 * Projects that are compared in one round, so that thousands of them cost no more. The epoch names those that have
 * changed.
 */
const POLLED_MAX = 500;
/** One project's entry here and in the tenant scope, without its statements: an estimate. */
const PROJECT_BYTES = 3_000;

/**
 * An active release that can't be read. It answers 503 until another release, or another version of Plinth, replaces
 * it.
 */
interface Unreadable {
  readonly slug: string;
  readonly releaseId: string;
  readonly unreadable: true;
}

interface Entry {
  readonly release: ActiveRelease | Unreadable | null;
  readonly shared: SharedBundle | null;
  bytes: number;
}

export function createRegistry(options: {
  readonly pool: Pool;
  readonly logger: Logger;
  /** The operator's upper limits, whatever a bundle contains. */
  readonly limitsMax: BundleLimits;
  /** Memory for all releases together. */
  readonly bytesMax: number;
}): Registry {
  const { pool, logger, limitsMax, bytesMax } = options;
  const entries = new Map<string, Entry>();
  const flights = new Map<string, Promise<Entry["release"]>>();
  let bytes = 0;
  const grow = (more: number): void => {
    bytes += more;
  };
  const bundles = createSharedBundles(grow);
  const stale = new Set<string>();
  const listeners: ((projectId: string, isReplaced: boolean) => void)[] = [];

  async function read(projectId: ProjectId): Promise<Entry> {
    const { rows } = await pool.query<{ slug: string; release_id: string; bundle_hash: string }>(
      boundedQuery({ name: "release-active", text: ACTIVE_RELEASE, values: [projectId] }, LOOK_UP_MS_MAX),
    );
    const row = rows[0];
    if (row === undefined) return without(null);
    const known = entries.get(projectId);
    if (known?.release?.releaseId === row.release_id && known.release.slug === row.slug) return known;
    const shared = bundles.use(row.bundle_hash);
    if (shared !== null) return entryOf(projectId, row, shared);
    try {
      const bundle = await readBundle(row.release_id);
      return bundle === null ? without(null) : entryOf(projectId, row, bundles.add(row.bundle_hash, bundle));
    } catch (error) {
      if (!(error instanceof UnreadableRelease)) throw error;
      logger.error({ err: error, projectId, releaseId: row.release_id }, "a release is not served");
      return without({ slug: row.slug, releaseId: row.release_id, unreadable: true });
    }
  }

  /** @throws UnreadableRelease */
  async function readBundle(releaseId: string): Promise<Bundle | null> {
    const { rows } = await pool.query<{ bundle: string }>(
      boundedQuery({ name: "release-bundle", text: BUNDLE, values: [releaseId] }, LOOK_UP_MS_MAX),
    );
    if (rows[0] === undefined) return null;
    const bundle = bundleOf(rows[0].bundle);
    return { ...bundle, limits: effectiveLimits(bundle, limitsMax) };
  }

  function entryOf(
    projectId: ProjectId,
    row: { readonly slug: string; readonly release_id: string },
    shared: SharedBundle,
  ): Entry {
    const own = nothingKept((more) => {
      entry.bytes += more;
      // An evicted release may still be serving its last requests.
      if (entries.get(projectId) !== entry) return;
      grow(more);
      trim();
    });
    const release: ActiveRelease = {
      projectId,
      slug: row.slug,
      releaseId: row.release_id,
      bundle: shared.bundle,
      schema: quoteIdentifier(tenantNames(projectId).schema),
      plans: shared.plans,
      own,
    };
    const entry: Entry = { release, shared, bytes: PROJECT_BYTES };
    return entry;
  }

  function load(projectId: ProjectId): Promise<Entry["release"]> {
    const running = flights.get(projectId);
    if (running !== undefined) return running;
    const flight = read(projectId)
      .then((entry) => {
        remember(projectId, entry);
        return entry.release;
      })
      .finally(() => flights.delete(projectId));
    flights.set(projectId, flight);
    return flight;
  }

  function remember(projectId: string, entry: Entry): void {
    if (entries.get(projectId) === entry) return;
    forget(projectId, entry.release !== null);
    entries.set(projectId, entry);
    grow(entry.bytes);
    trim();
  }

  function forget(projectId: string, isReplaced = false): void {
    const entry = entries.get(projectId);
    if (entry === undefined) return;
    entries.delete(projectId);
    grow(-entry.bytes);
    if (entry.shared !== null) bundles.leave(entry.shared);
    for (const listener of listeners) listener(projectId, isReplaced);
  }

  /** Never evicts the last requested release, however large it is, because its request is being served. */
  function trim(): void {
    if (bytes <= bytesMax) return;
    for (const oldest of entries.keys()) {
      if (bytes <= bytesMax || entries.size === 1) return;
      forget(oldest);
    }
  }

  async function reload(projectId: ProjectId): Promise<Entry["release"]> {
    // A load in progress may have read before the change that the caller knows about.
    await flights.get(projectId)?.catch(() => undefined);
    return load(projectId);
  }

  function refresh(projectId: string): void {
    if ((!entries.has(projectId) && !flights.has(projectId)) || stale.has(projectId)) return;
    stale.add(projectId);
    void reload(projectId as ProjectId)
      .catch((error: unknown) => {
        // A release that can't be read again must not serve any longer. The next request reads it itself, and fails if
        // it can't.
        forget(projectId);
        logger.warn({ err: error, projectId }, "a release could not be reloaded");
      })
      .finally(() => stale.delete(projectId));
  }

  let polling: Promise<void> = Promise.resolve();
  let unpolled: string[] = [];
  async function poll(): Promise<void> {
    if (unpolled.length === 0) unpolled = [...entries.keys()];
    const ids = unpolled.splice(-POLLED_MAX);
    if (ids.length === 0) return;
    const { rows } = await pool.query<{ id: string; slug: string; active_release_id: string | null }>(
      boundedQuery({ name: "release-poll", text: POLL, values: [ids] }, LOOK_UP_MS_MAX),
    );
    for (const row of rows) {
      const known = entries.get(row.id)?.release;
      if ((known?.releaseId ?? null) !== row.active_release_id || (known && known.slug !== row.slug)) refresh(row.id);
    }
  }
  let busy = false;
  function tick(): void {
    if (busy) return;
    busy = true;
    polling = poll()
      .catch((error: unknown) => logger.debug({ err: error }, "releases could not be polled"))
      .finally(() => {
        busy = false;
      });
  }
  const timer = setInterval(tick, POLL_MS);

  function touch(projectId: ProjectId): Entry | undefined {
    const entry = entries.get(projectId);
    if (entry === undefined) return undefined;
    entries.delete(projectId);
    entries.set(projectId, entry);
    return entry;
  }

  return {
    peek(projectId) {
      const release = touch(projectId)?.release ?? undefined;
      return release === undefined || "unreadable" in release ? undefined : release;
    },
    async get(projectId) {
      const entry = touch(projectId);
      return readable(entry === undefined ? await load(projectId) : entry.release);
    },
    async nameOf(projectId) {
      const { rows } = await pool.query<{ slug: string }>(
        boundedQuery({ text: "SELECT slug FROM plinth.projects WHERE id = $1", values: [projectId] }, LOOK_UP_MS_MAX),
      );
      return rows[0]?.slug ?? null;
    },
    async isSuspended(projectId) {
      const text = "SELECT suspended_at IS NOT NULL AS suspended FROM plinth.projects WHERE id = $1";
      const { rows } = await pool.query<{ suspended: boolean }>(
        boundedQuery({ text, values: [projectId] }, LOOK_UP_MS_MAX),
      );
      return rows[0]?.suspended === true;
    },
    reload: async (projectId) => readable(await reload(projectId)),
    refresh,
    refreshAll() {
      for (const projectId of entries.keys()) refresh(projectId);
    },
    onForget: (listener) => void listeners.push(listener),
    kept: () => ({ projects: entries.size, bytes }),
    stop: async () => {
      clearInterval(timer);
      await polling;
      await Promise.allSettled(flights.values());
    },
  };
}

/** @throws Fault unavailable */
function readable(release: Entry["release"]): ActiveRelease | null {
  if (release === null || !("unreadable" in release)) return release;
  throw new Fault("unavailable", {
    detail: "This version of Plinth can't read the release that is deployed in this project.",
    headers: { "retry-after": "30" },
  });
}

function without(release: Unreadable | null): Entry {
  return { release, shared: null, bytes: PROJECT_BYTES };
}
