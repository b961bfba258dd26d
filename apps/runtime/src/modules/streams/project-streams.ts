// The streams of one project in this process. In: how far its changes go. Out: each stream is judged again if
// credentials or the release have changed, then gets the new changes. Rounds run one at a time, so that nobody gets
// changes under an outdated judgement.
import { Fault, faultCatalogue } from "@plinth/service";
import type { Pool } from "pg";
import { findOrganization } from "../../http/stages/find-organization.ts";
import type { Epoch } from "../../identity/epoch.ts";
import type { ActiveRelease, ReleaseRegistry } from "../../project/active-release.ts";
import type { CallerPrincipal } from "../../project/principal.ts";
import type { Tenant } from "../../project/tenant.ts";
import { findEntity, hasOperation } from "../../query/entity-view.ts";
import type { ChangeLog, Extent } from "./change-log.ts";
import type { Channel } from "./channel.ts";
import type { Follower } from "./follower.ts";
import { isSame, type Judge, judgeOf } from "./rejudge.ts";

export interface ProjectStreamsOptions {
  readonly pool: Pool;
  readonly log: ChangeLog;
  readonly epoch: Epoch;
  readonly registry: ReleaseRegistry;
  readonly tenant: Tenant;
}

/** Even without a change of the epoch, because keys and tokens expire by themselves. */
const JUDGE_AGAIN_MS = 30_000;

export class ProjectStreams {
  readonly channels: Map<string, Channel> = new Map();
  release: ActiveRelease;
  readonly #options: ProjectStreamsOptions;
  #known = 0;
  #judged: { readonly stamp: number; readonly atMs: number };

  constructor(release: ActiveRelease, options: ProjectStreamsOptions) {
    this.release = release;
    this.#options = options;
    this.#judged = { stamp: 0, atMs: Number.NEGATIVE_INFINITY };
  }

  /** The number up to which the changed entities are known. */
  get known(): number {
    return this.#known;
  }

  get size(): number {
    let size = 0;
    for (const { followers } of this.channels.values()) size += followers.size;
    return size;
  }

  /** Without those whose stream has ended but is not fully read. */
  *followers(): Iterable<Follower> {
    for (const { followers } of this.channels.values()) {
      for (const follower of followers) if (!follower.stream.isOver) yield follower;
    }
  }

  /** @throws the database's errors. A later round sends what was not sent. */
  async round({ head, pruned }: Extent): Promise<void> {
    const { epoch, registry, log, tenant } = this.#options;
    const { projectId } = this.release;
    const release = registry.peek(projectId) ?? (await registry.get(projectId));
    if (release === null) {
      for (const follower of this.followers()) follower.close("not_found", "This project is deleted.");
      return;
    }
    const stamp = epoch.current();
    const isOther = release.releaseId !== this.release.releaseId;
    const isOld = performance.now() - this.#judged.atMs > JUDGE_AGAIN_MS;
    if (isOther) this.#moveTo(release, head);
    if (isOther || isOld || epoch.of(projectId) > this.#judged.stamp) {
      await this.#judge([...this.followers()], head);
      this.#judged = { stamp, atMs: performance.now() };
    } else {
      await this.#judge(
        [...this.followers()].filter(({ isJudged, hasEnded }) => !isJudged || hasEnded),
        head,
      );
    }
    if (head > this.#known) {
      for (const [entity, last] of await log.changed(projectId, this.#known, head)) {
        const channel = this.channels.get(entity);
        if (channel !== undefined) channel.last = Math.max(channel.last, last);
      }
      this.#known = head;
    }
    for (const channel of this.channels.values()) {
      for (const follower of channel.followers) {
        if (follower.isJudged && follower.position < Math.max(pruned, channel.from)) follower.resync(head);
      }
    }
    // A failure for one entity must not stop the changes of others.
    const results = await Promise.allSettled(
      [...this.channels.values()].map((channel) => channel.deliver(tenant, head)),
    );
    for (const each of results) if (each.status === "rejected") throw each.reason;
  }

  remove(channel: Channel, follower: Follower): void {
    channel.followers.delete(follower);
    if (channel.followers.size === 0 && this.channels.get(channel.entity) === channel) {
      this.channels.delete(channel.entity);
    }
  }

  /** The rules may differ now, and the columns too. */
  #moveTo(release: ActiveRelease, head: number): void {
    const before = [...this.channels.values()];
    this.channels.clear();
    this.release = release;
    for (const old of before) {
      const isFollowed = findEntity(release, old.entity)?.entity.realtime === true;
      for (const follower of old.followers) {
        if (!isFollowed) follower.close("not_found", faultCatalogue.not_found.title);
      }
      if (!isFollowed) continue;
      old.moveTo(release, head);
      this.channels.set(old.entity, old);
    }
  }

  async #judge(followers: readonly Follower[], head: number): Promise<void> {
    if (followers.length === 0) return;
    const { pool, tenant } = this.#options;
    const judge = await judgeOf(
      { pool, tenant, release: this.release },
      followers.map(({ principal }) => principal),
    );
    for (const follower of followers) if (!follower.stream.isOver) this.#judgeOne(judge, follower, head);
  }

  #judgeOne(judge: Judge, follower: Follower, head: number): void {
    follower.isJudged = true;
    const principal = follower.hasEnded ? null : judge(follower.principal);
    const standing = principal === null ? new Fault("unauthenticated") : standingOf(this.release, principal, follower);
    if (standing instanceof Fault) {
      follower.close(standing.code, faultCatalogue[standing.code].title);
      return;
    }
    const isMoved = standing.organization !== follower.organization || !isSame(standing.principal, follower.principal);
    follower.principal = standing.principal;
    follower.organization = standing.organization;
    follower.filter = standing.filter;
    if (isMoved) follower.resync(head);
  }
}

/** The organization in which they follow, or the reason why they can no longer follow. */
function standingOf(
  release: ActiveRelease,
  principal: CallerPrincipal,
  { entity, named, readFilter }: Follower,
): Fault | Pick<Follower, "principal" | "organization" | "filter"> {
  const view = findEntity(release, entity);
  if (view !== null && view.entity.realtime !== true) return new Fault("not_found");
  if (view === null || !hasOperation(view.entity, "read", principal.roles)) return new Fault("forbidden");
  try {
    const headers = named === undefined ? {} : { "plinth-organization": named };
    const organization = findOrganization(principal, { headers });
    return { principal, organization, filter: readFilter(view, principal.roles) };
  } catch (error) {
    // A field in their filter may be gone, or hidden from them.
    if (error instanceof Fault) return error.status === 400 ? new Fault("forbidden") : error;
    throw error;
  }
}
