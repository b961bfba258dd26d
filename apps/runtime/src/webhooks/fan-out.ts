// Creates the deliveries of noted events, project by project. In: what is noted, and endpoints that are behind. Out:
// deliveries, in bounded parts. Projects take turns, and a project with much to do gives way: it rests as long as each
// of its parts has taken.
import type { ProjectId } from "@plinth/bundle";
import { RecentMap } from "@plinth/service";
import type { Pool } from "pg";
import { createDispatchPace } from "../events/dispatch-pace.ts";
import type { ReleaseRegistry } from "../project/active-release.ts";
import { type BacklogLimits, createBacklogs } from "./backlog.ts";
import { type FanOutParts, fanOutProject } from "./fan-out-project.ts";

export interface FanOutOptions extends Omit<FanOutParts, "backlogs"> {
  readonly pool: Pool;
  readonly registry: ReleaseRegistry;
  readonly limits: BacklogLimits;
}

export interface FanOut {
  /** One part for each project that has something to do. Returns whether there is more. */
  round(): Promise<boolean>;
  stop(): void;
}

/** Projects at the same time. */
const LANES = 2;
const PROJECTS_MAX = 1_000;
/** Between two lines in the log about the same project. */
const WORDS_MS = 60_000;
const KNOWN_MAX = 10_000;

/** Loose index scans: the number of look-ups is the number of projects, however many events and endpoints there are. */
const PROJECTS = `
  WITH RECURSIVE fresh AS (
    (SELECT project_id FROM plinth.webhook_fan_outs WHERE NOT done ORDER BY project_id LIMIT 1)
    UNION ALL
    SELECT (SELECT f.project_id FROM plinth.webhook_fan_outs f WHERE NOT f.done AND f.project_id > fresh.project_id ORDER BY f.project_id LIMIT 1)
    FROM fresh WHERE fresh.project_id IS NOT NULL
  ), behind AS (
    (SELECT project_id FROM plinth.webhook_endpoints WHERE behind_from IS NOT NULL ORDER BY project_id LIMIT 1)
    UNION ALL
    SELECT (SELECT e.project_id FROM plinth.webhook_endpoints e
      WHERE e.behind_from IS NOT NULL AND e.project_id > behind.project_id ORDER BY e.project_id LIMIT 1)
    FROM behind WHERE behind.project_id IS NOT NULL
  )
  SELECT p.id FROM plinth.projects p WHERE p.suspended_at IS NULL
    AND p.id IN (SELECT project_id FROM fresh UNION SELECT project_id FROM behind) LIMIT ${PROJECTS_MAX}`;

export function createFanOut({ pool, registry, limits, ...rest }: FanOutOptions): FanOut {
  const { logger } = rest;
  const backlogs = createBacklogs(limits);
  const pace = createDispatchPace();
  const restsUntilMs = new RecentMap<ProjectId, number>(KNOWN_MAX);
  const saidAtMs = new RecentMap<ProjectId, number>(KNOWN_MAX);
  let stopping = false;

  function say(projectId: ProjectId, endpoints: number): void {
    const nowMs = performance.now();
    if (endpoints === 0 || nowMs - (saidAtMs.get(projectId) ?? Number.NEGATIVE_INFINITY) < WORDS_MS) return;
    saidAtMs.set(projectId, nowMs);
    logger.warn(
      { projectId, endpoints, ...limits },
      "the project has as many pending deliveries as its operator allows; events wait for these webhook endpoints",
    );
  }

  /** Returns whether the project has more to do. */
  async function part(projectId: ProjectId): Promise<boolean> {
    const startedMs = performance.now();
    if (stopping || pace.batchOf(projectId) === 0) return false;
    if (startedMs < (restsUntilMs.get(projectId) ?? 0)) return true;
    try {
      const release = await registry.get(projectId);
      if (release === null) return false;
      const { hasMore, fellBehind } = await fanOutProject({ ...rest, backlogs }, release, () => stopping);
      pace.succeeded(projectId);
      say(projectId, fellBehind);
      const nowMs = performance.now();
      if (hasMore) restsUntilMs.set(projectId, nowMs + (nowMs - startedMs));
      return hasMore;
    } catch (error) {
      pace.failed(projectId);
      backlogs.forget(projectId);
      if (!stopping) logger.warn({ err: error, projectId }, "deliveries could not be created; it will be retried");
      return false;
    }
  }

  return {
    async round() {
      const { rows } = await pool.query<{ id: ProjectId }>(PROJECTS);
      const waiting = rows.values();
      let hasMore = false;
      const lane = async (): Promise<void> => {
        for (const { id } of waiting) {
          const more = await part(id);
          hasMore ||= more;
        }
      };
      await Promise.all(Array.from({ length: LANES }, lane));
      return hasMore;
    },
    stop() {
      stopping = true;
    },
  };
}
