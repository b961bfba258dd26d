// All subscribers to changes in this process. In: requests, notifications, and how far each project's changes go. Out:
// rounds of the projects. No subscriber gets anything while this process can't know whether credentials are still
// valid.
import type { Listening } from "@plinth/postgres";
import { Fault, type Logger } from "@plinth/service";
import type { Pool } from "pg";
import { networkOf } from "../../identity/attempt-limit.ts";
import type { Epoch } from "../../identity/epoch.ts";
import type { ActiveRelease, ReleaseRegistry } from "../../project/active-release.ts";
import { type CallerPrincipal, principalId } from "../../project/principal.ts";
import type { Tenant } from "../../project/tenant.ts";
import type { CursorCodec } from "../../query/cursor.ts";
import { entityView } from "../../query/entity-view.ts";
import { createChangeLog, qualified } from "./change-log.ts";
import { Channel } from "./channel.ts";
import type { EventStream } from "./event-stream.ts";
import { Follower, type FollowerRequest } from "./follower.ts";
import { ProjectStreams } from "./project-streams.ts";
import type { StreamLimits } from "./stream-limits.ts";

export interface StreamHubOptions {
  readonly pool: Pool;
  readonly epoch: Epoch;
  readonly registry: ReleaseRegistry;
  readonly limits: StreamLimits;
  readonly logger: Logger;
  /** Calls `wake` when something may have been written. Polling finds what was missed. */
  readonly listen: (wake: () => void) => Promise<Listening>;
}

/** A request to follow the changes of an entity. */
export interface FollowRequest extends FollowerRequest {
  readonly release: ActiveRelease;
  readonly tenant: Tenant;
  readonly cursors: CursorCodec;
  /** The id of the last received event; null for a new stream. */
  readonly lastId: string | null;
}

export interface StreamHub {
  /** @throws Fault `rate_limited`, `unavailable`. */
  follow(request: FollowRequest): Promise<EventStream>;
  /** Call it when something may have been written, or a credential has changed. */
  wake(): void;
  /** Ends all streams, and tells each when to reconnect. */
  stop(): Promise<void>;
}

const POLL_MS = 250;
const BEAT_MS = 15_000;
const RESUMED_BEAT_MS = 5_000;
const RENEW_MS = 60_000;

export function createStreamHub(options: StreamHubOptions): StreamHub {
  const { pool, epoch, registry, limits, logger } = options;
  const log = createChangeLog(pool);
  const projects = new Map<string, ProjectStreams>();
  /** Streams that are open or being opened, by project and by account. */
  const places = new Tally();
  const underWay = new Set<string>();
  let stopped = false;
  let listening: Promise<Listening | null> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let beating: NodeJS.Timeout | null = null;
  let renewedAt = performance.now();
  let looking: Promise<void> | null = null;
  let lookAgain = false;

  const look = async (): Promise<void> => {
    if (projects.size === 0 || !epoch.isFresh()) return;
    if (performance.now() - renewedAt > RENEW_MS) await renew();
    for (const [projectId, extent] of await log.extents([...projects.keys()])) {
      const streams = projects.get(projectId);
      if (streams === undefined || underWay.has(projectId)) continue;
      underWay.add(projectId);
      // No project waits for another project's round.
      void streams
        .round(extent)
        .catch((error: unknown) => logger.warn({ err: error, projectId }, "changes could not be sent"))
        .finally(() => underWay.delete(projectId));
    }
  };

  /** If the recording was given up meanwhile, changes were lost: the subscribers read everything again. */
  const renew = async (): Promise<void> => {
    renewedAt = performance.now();
    const all = [...projects.values()].flatMap(({ release, channels }) =>
      [...channels.values()].map((channel) => ({ projectId: release.projectId, entity: channel.entity, channel })),
    );
    const froms = await log.renew(all);
    for (const [i, { projectId, entity, channel }] of all.entries()) {
      channel.from = froms[i] ?? (await log.follow(projectId, entity, tablesOf(channel.release, entity)));
    }
  };

  const wake = (): void => {
    if (stopped || projects.size === 0) return;
    if (looking !== null) {
      lookAgain = true;
      return;
    }
    lookAgain = false;
    looking = look()
      .catch((error: unknown) => logger.warn({ err: error }, "changes could not be read"))
      .finally(() => {
        looking = null;
        if (lookAgain) setTimeout(wake, LOOK_PAUSE_MS).unref();
      });
  };

  const beat = (): void => {
    const now = performance.now();
    for (const streams of projects.values()) {
      for (const follower of streams.followers()) {
        if (follower.beatAt > now || follower.stream.isFull) continue;
        follower.beatAt = now + BEAT_MS;
        follower.beat();
      }
    }
  };

  const start = (): void => {
    timer ??= setInterval(wake, POLL_MS);
    beating ??= setInterval(beat, 1_000);
    listening ??= options.listen(wake).catch(() => null);
  };

  /** Takes a place before any waiting; otherwise simultaneous requests would all see the same free places. */
  const admit = (projectId: string, account: string): void => {
    if (stopped) throw leaving();
    const isFull = places.get(account) >= limits.perCaller || places.get(projectId) >= limits.perProject;
    if (isFull) {
      const detail = `At most ${limits.perCaller} streams per caller, and ${limits.perProject} per project, can be open at once.`;
      throw new Fault("rate_limited", { detail, headers: { "retry-after": "10" } });
    }
    for (const place of [account, projectId]) places.add(place, 1);
  };
  const leave = (projectId: string, account: string): void => {
    for (const place of [account, projectId]) places.add(place, -1);
  };

  const channelOf = (request: FollowRequest, from: number): readonly [ProjectStreams, Channel] => {
    const { release, entity, tenant, cursors } = request;
    const streams =
      projects.get(release.projectId) ?? new ProjectStreams(release, { pool, log, epoch, registry, tenant });
    projects.set(release.projectId, streams);
    const channel = streams.channels.get(entity) ?? new Channel(streams.release, entity, from, cursors);
    streams.channels.set(entity, channel);
    return [streams, channel];
  };

  return {
    async follow(request) {
      const { release, entity } = request;
      const { projectId } = release;
      const account = accountOf(request);
      admit(projectId, account);
      try {
        const known = projects.get(projectId)?.channels.get(entity)?.from;
        const from = known ?? (await log.follow(projectId, entity, tablesOf(release, entity)));
        const extent = (await log.extents([projectId])).get(projectId);
        if (extent === undefined || stopped) throw leaving();
        const [streams, channel] = channelOf(request, from);
        const resumedAt = request.lastId === null ? null : channel.open(request.lastId);
        const isKept =
          resumedAt !== null && resumedAt >= Math.max(extent.pruned, channel.from) && resumedAt <= extent.head;
        const position = isKept ? resumedAt : extent.head;
        const follower = new Follower(request, account, position, channel.seal, wake);
        // A round that has already read past changes won't report them to this new channel.
        channel.last = Math.max(channel.last, extent.head, streams.known);
        // A client that came back has an old id, and soon gets a new one.
        const firstBeatMs = isKept ? RESUMED_BEAT_MS : BEAT_MS;
        follower.beatAt = performance.now() + firstBeatMs * (0.5 + Math.random() / 2);
        channel.followers.add(follower);
        follower.stream.once("close", () => {
          leave(projectId, account);
          streams.remove(channel, follower);
          if (streams.size === 0 && projects.get(projectId) === streams) {
            projects.delete(projectId);
          }
        });
        const event = request.lastId === null || isKept ? "ready" : "resync";
        follower.tell(event, event === "ready" ? `{"resumed":${isKept}}` : "{}", position);
        start();
        wake();
        return follower.stream;
      } catch (error) {
        leave(projectId, account);
        throw error;
      }
    },
    wake,
    async stop() {
      stopped = true;
      if (timer !== null) clearInterval(timer);
      if (beating !== null) clearInterval(beating);
      for (const streams of projects.values()) for (const follower of streams.followers()) follower.leave();
      await looking;
      await (await listening)?.close();
    },
  };
}

const LOOK_PAUSE_MS = 10;

/** The stream can start in another process, or a moment later. */
function leaving(): Fault {
  return new Fault("unavailable", { headers: { "retry-after": "1" } });
}

/** Counts per name. A count of zero takes no memory. */
class Tally {
  readonly #counts = new Map<string, number>();

  get(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string, by: number): void {
    const count = this.get(name) + by;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
  }
}

/** Tables whose writes record changes, or marks, of the entity. */
function tablesOf(release: ActiveRelease, entity: string): readonly string[] {
  const all = entityView(release, entity).all.values();
  return [...all]
    .filter(
      (view) =>
        view.entity.name === entity ||
        (view.watched?.dependents ?? []).some((dependent) => dependent.entity === entity),
    )
    .map((view) => qualified(release.schema, view.entity.table));
}

function accountOf({ principal, release, ip }: FollowRequest): string {
  const isShared = principal.kind === "key" && principal.keyKind === "publishable";
  return `${release.projectId} ${principalId(principal as CallerPrincipal)}${isShared ? ` ${networkOf(ip)}` : ""}`;
}
