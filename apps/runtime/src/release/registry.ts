// The live release of each project, in memory. In: a project. Out: what serves its requests now.
// It learns of a new release by the epoch, by NOTIFY and by polling; it never serves one that isn't active.
import type { BundleLimits, ProjectId } from "@plinth/bundle";
import { quoteIdentifier, tenantNames } from "@plinth/postgres";
import { Fault, type Logger } from "@plinth/service";
import type { Pool } from "pg";
import type { ActiveRelease, ReleaseRegistry } from "../http/contracts.ts";
import { boundedQuery, LOOK_UP_MS_MAX } from "../identity/bounded-query.ts";
import { effectiveLimits } from "./effective-limits.ts";
import { bundleOf, UnreadableRelease } from "./stored-release.ts";

export interface Registry extends ReleaseRegistry {
  /** Answers from memory alone; undefined where nothing is cached or nothing is deployed. */
  peek(projectId: ProjectId): ActiveRelease | undefined;
  /** A project may have changed: what is cached of it is read again in the background. */
  refresh(projectId: string): void;
  /** After missed notifications: everything cached is compared with the tables. */
  refreshAll(): void;
  stop(): Promise<void>;
}

const ACTIVE_RELEASE = `SELECT p.slug, r.id AS release_id, r.bundle FROM plinth.projects p
  JOIN plinth.releases r ON r.id = p.active_release_id WHERE p.id = $1`;
const POLL = "SELECT id, slug, active_release_id FROM plinth.projects WHERE id = ANY($1)";
const POLL_MS = 1_000;

/** What is active and can't be read: it answers 503 until another release, or another version of Plinth, takes its place. */
interface Unreadable {
  readonly slug: string;
  readonly releaseId: string;
  readonly unreadable: true;
}

interface Entry {
  readonly release: ActiveRelease | Unreadable | null;
}

export function createRegistry(options: {
  readonly pool: Pool;
  readonly logger: Logger;
  /** The most that the operator allows, whatever a bundle says. */
  readonly limitsMax: BundleLimits;
  readonly entriesMax?: number;
}): Registry {
  const { pool, logger, limitsMax, entriesMax = 1_000 } = options;
  const entries = new Map<string, Entry>();
  const flights = new Map<string, Promise<Entry["release"]>>();
  const stale = new Set<string>();

  async function read(projectId: ProjectId): Promise<Entry["release"]> {
    const { rows } = await pool.query<{ slug: string; release_id: string; bundle: string }>(
      boundedQuery({ name: "release-active", text: ACTIVE_RELEASE, values: [projectId] }, LOOK_UP_MS_MAX),
    );
    const row = rows[0];
    if (row === undefined) return null;
    const known = entries.get(projectId)?.release;
    if (known?.releaseId === row.release_id && known.slug === row.slug) return known;
    let bundle: ActiveRelease["bundle"];
    try {
      bundle = bundleOf(row.bundle);
    } catch (error) {
      if (!(error instanceof UnreadableRelease)) throw error;
      logger.error({ err: error, projectId, releaseId: row.release_id }, "a release is not served");
      return { slug: row.slug, releaseId: row.release_id, unreadable: true };
    }
    return {
      projectId,
      slug: row.slug,
      releaseId: row.release_id,
      bundle: { ...bundle, limits: effectiveLimits(bundle, limitsMax) },
      schema: quoteIdentifier(tenantNames(projectId).schema),
      plans: new Map(),
    };
  }

  function load(projectId: ProjectId): Promise<Entry["release"]> {
    const running = flights.get(projectId);
    if (running !== undefined) return running;
    const flight = read(projectId)
      .then((release) => {
        remember(projectId, release);
        return release;
      })
      .finally(() => flights.delete(projectId));
    flights.set(projectId, flight);
    return flight;
  }

  function remember(projectId: string, release: Entry["release"]): void {
    entries.delete(projectId);
    entries.set(projectId, { release });
    if (entries.size > entriesMax) entries.delete(entries.keys().next().value as string);
  }

  async function reload(projectId: ProjectId): Promise<Entry["release"]> {
    // A flight that is under way may have read before the change that the caller knows of.
    await flights.get(projectId)?.catch(() => undefined);
    return load(projectId);
  }

  function refresh(projectId: string): void {
    if ((!entries.has(projectId) && !flights.has(projectId)) || stale.has(projectId)) return;
    stale.add(projectId);
    void reload(projectId as ProjectId)
      .catch((error: unknown) => {
        // What can't be read again must not be served on: the next request reads it itself, and fails if it can't.
        entries.delete(projectId);
        logger.warn({ err: error, projectId }, "a release could not be reloaded");
      })
      .finally(() => stale.delete(projectId));
  }

  let polling: Promise<void> = Promise.resolve();
  async function poll(): Promise<void> {
    const ids = [...entries.keys()];
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
    reload: async (projectId) => readable(await reload(projectId)),
    refresh,
    refreshAll: tick,
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
    detail: "What is deployed in this project can't be read by the version of Plinth that runs here.",
    headers: { "retry-after": "30" },
  });
}
