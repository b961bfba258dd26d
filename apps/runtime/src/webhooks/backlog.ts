// What a project's endpoints have not received yet. In: its pending deliveries. Out: whether an endpoint can get more.
// The room of a project is shared by dynamic thresholds (Choudhury and Hahne, "Dynamic queue length thresholds for
// shared-memory packet switches", 1998): an endpoint can have as many pending deliveries as there are free places. So
// a dead endpoint gets at most half of the room, and however many are dead, a healthy one always finds some.
import { RecentMap } from "@plinth/service";
import type { ClientBase } from "pg";

/** The operator's limits for the pending deliveries of one project. */
export interface BacklogLimits {
  readonly pendingMax: number;
  /** Of their bodies. A body that several deliveries share counts once. */
  readonly pendingBytesMax: number;
}

interface Part {
  deliveries: number;
  bytes: number;
}

export class Backlog {
  readonly #limits: BacklogLimits;
  readonly #endpoints: Map<string, Part>;
  readonly #all: Part;

  constructor(limits: BacklogLimits, all: Part, endpoints: Map<string, Part>) {
    this.#limits = limits;
    this.#all = all;
    this.#endpoints = endpoints;
  }

  get all(): Readonly<Part> {
    return this.#all;
  }

  hasRoom(endpoint: string): boolean {
    return this.#fits(endpoint, 1);
  }

  /** Whether an endpoint that had to wait can go on: not before there is room for several, or it would wait again. */
  canGoOn(endpoint: string): boolean {
    return this.#fits(endpoint, 2);
  }

  /** @param isNew Whether no other delivery has the body. */
  add(endpoint: string, bytes: number, isNew: boolean): void {
    const own = this.#endpoints.get(endpoint) ?? { deliveries: 0, bytes: 0 };
    this.#endpoints.set(endpoint, { deliveries: own.deliveries + 1, bytes: own.bytes + bytes });
    this.#all.deliveries++;
    if (isNew) this.#all.bytes += bytes;
  }

  #fits(endpoint: string, times: number): boolean {
    const { deliveries, bytes } = this.#endpoints.get(endpoint) ?? { deliveries: 0, bytes: 0 };
    const { pendingMax, pendingBytesMax } = this.#limits;
    return deliveries * times < pendingMax - this.#all.deliveries && bytes * times < pendingBytesMax - this.#all.bytes;
  }
}

/** `own`: of bodies that were stored before bodies were shared. `shared`: of all shared bodies, the same in each row. */
const COUNT = `WITH pending AS MATERIALIZED (
    SELECT d.endpoint_id, d.body_id, octet_length(d.body) AS own FROM plinth.webhook_deliveries d
    WHERE d.project_id = $1 AND d.status = 'pending'
  ), body AS MATERIALIZED (
    SELECT b.id, b.bytes FROM plinth.webhook_bodies b WHERE b.id IN (SELECT body_id FROM pending)
  )
  SELECT p.endpoint_id::text AS endpoint, count(*)::int AS deliveries, coalesce(sum(coalesce(b.bytes, p.own)), 0)::float8 AS bytes,
    coalesce(sum(p.own), 0)::float8 AS own, (SELECT coalesce(sum(bytes), 0) FROM body)::float8 AS shared
  FROM pending p LEFT JOIN body b ON b.id = p.body_id GROUP BY p.endpoint_id`;

interface Counted extends Part {
  readonly endpoint: string;
  readonly own: number;
  readonly shared: number;
}

const COUNT_AGAIN_MS = 500;
/** Counting takes at most this part of the time, however many deliveries there are. */
const COUNTED_PART = 20;
/** Projects whose counts are cached. Beyond this number, the least recently used are forgotten. */
const KNOWN_MAX = 10_000;

export interface Backlogs {
  /** The client has the cell's role. */
  of(client: ClientBase, projectId: string): Promise<Backlog>;
  /** After deliveries that were added are undone. */
  forget(projectId: string): void;
}

/** Counts what is there at most twice a second. @param now Monotonic milliseconds. */
export function createBacklogs(limits: BacklogLimits, now: () => number = () => performance.now()): Backlogs {
  const known = new RecentMap<string, { readonly backlog: Backlog; readonly untilMs: number }>(KNOWN_MAX);
  return {
    async of(client, projectId) {
      const before = known.get(projectId);
      if (before !== undefined && now() < before.untilMs) return before.backlog;
      const startedMs = now();
      const { rows } = await client.query<Counted>(COUNT, [projectId]);
      const all = { deliveries: 0, bytes: rows[0]?.shared ?? 0 };
      for (const { deliveries, own } of rows) {
        all.deliveries += deliveries;
        all.bytes += own;
      }
      const endpoints = new Map(rows.map(({ endpoint, deliveries, bytes }) => [endpoint, { deliveries, bytes }]));
      const backlog = new Backlog(limits, all, endpoints);
      const untilMs = now() + Math.max(COUNT_AGAIN_MS, (now() - startedMs) * COUNTED_PART);
      known.set(projectId, { backlog, untilMs });
      return backlog;
    },
    forget(projectId) {
      known.delete(projectId);
    },
  };
}
