// The epoch: tells every replica about a change of credentials within a second. In: the cell's database. Out: the value
// of the last change, per project. It never contains a credential.

import { boundedQuery } from "@plinth/postgres";
import type { Logger } from "@plinth/service";
import type { Pool, PoolClient } from "pg";

/** A replica that could not read the epoch for this long asks the database about every credential. */
export const EPOCH_STALE_MS_MAX = 1_000;
const POLL_MS = 300;
const READ_MS_MAX = 700;
/** Projects whose last change is remembered, about 100 bytes each. */
const CHANGED_MAX = 50_000;
const READ = `SELECT g.value AS global, p.project_id, p.value
  FROM plinth.epoch g LEFT JOIN plinth.epochs p ON p.value > $1 WHERE g.id = 1`;

export const EPOCH_CHANNEL = "plinth_epoch";

export interface Epoch {
  /**
   * The cell's value when it was last read. Loaded values are stamped with it; the stamp is taken *before* the load.
   */
  current(): number;
  /** The value at a project's last change, or a later value; 0 if there was none since this replica started. */
  of(projectId: string): number;
  /** Whether the last successful read is recent enough to trust a cache. */
  isFresh(): boolean;
  onChange(listener: (projectId: string) => void): void;
  /** Reads now instead of at the next tick. Resolves when the read is over, whether it succeeded or not. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Announces a change of a project's keys, roles, sessions or release, in the same transaction as the change.
 * Call it last: it locks the cell's single epoch row until the commit. This lock makes the values visible in order, so
 * that a reader of "all after n" can't miss one that was committed late.
 */
export async function bumpEpoch(client: Pick<PoolClient, "query">, projectId: string): Promise<void> {
  await client.query(
    `WITH bumped AS (UPDATE plinth.epoch SET value = value + 1 WHERE id = 1 RETURNING value)
     INSERT INTO plinth.epochs (project_id, value) SELECT $1, value FROM bumped
     ON CONFLICT (project_id) DO UPDATE SET value = EXCLUDED.value`,
    [projectId],
  );
  await client.query("SELECT pg_notify($1, $2)", [EPOCH_CHANNEL, projectId]);
}

/**
 * Follows the epoch by polling.
 * @param pool A pool with its own connection: a busy shared pool must not delay a revocation. @param firstPool Only for
 * the first read: a start can wait longer for a connection than a revocation can. @param clock Monotonic milliseconds.
 * @param changedMax Projects whose last change is remembered. For any other project, the time when the last one was
 * forgotten counts as its last change: everything loaded before is looked up again.
 */
export async function followEpoch(options: {
  readonly pool: Pool;
  readonly firstPool?: Pool;
  readonly logger: Logger;
  readonly clock: () => number;
  readonly changedMax?: number;
}): Promise<Epoch> {
  const { pool, firstPool = pool, logger, clock, changedMax = CHANGED_MAX } = options;
  const changed = new Map<string, number>();
  let newestForgotten = 0;
  const note = (projectId: string, at: number): void => {
    changed.delete(projectId);
    changed.set(projectId, at);
    const [oldest] = changed;
    if (changed.size <= changedMax || oldest === undefined) return;
    changed.delete(oldest[0]);
    newestForgotten = Math.max(newestForgotten, oldest[1]);
  };
  const listeners: ((projectId: string) => void)[] = [];
  let readAt = clock();
  const first = await firstPool.query<{ value: string }>("SELECT value FROM plinth.epoch WHERE id = 1");
  let value = Number(first.rows[0]?.value);
  let failing = false;
  let stopped = false;

  async function read(): Promise<void> {
    // The age counts from before the query, because its answer may lack a change that is committed while it runs.
    const startedAt = clock();
    const { rows } = await pool.query<{ global: string; project_id: string | null; value: string | null }>(
      boundedQuery({ name: "epoch-read", text: READ, values: [value] }, READ_MS_MAX),
    );
    for (const row of rows) {
      if (row.project_id !== null) note(row.project_id, Number(row.value));
    }
    value = Number(rows[0]?.global ?? value);
    readAt = startedAt;
    for (const row of rows) {
      if (row.project_id !== null) for (const listener of listeners) listener(row.project_id);
    }
  }

  async function tick(): Promise<void> {
    try {
      await read();
      if (failing) logger.info("epoch read again");
      failing = false;
    } catch (error) {
      if (!failing && !stopped) logger.warn({ err: error }, "epoch could not be read");
      failing = true;
    }
  }

  // Reads run one after another. Callers who come during a read share the next one.
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  function refresh(): Promise<void> {
    next ??= running.then(() => {
      next = undefined;
      running = stopped ? Promise.resolve() : tick();
      return running;
    });
    return next;
  }
  let timer = setTimeout(poll, POLL_MS);
  function poll(): void {
    void refresh().then(() => {
      if (!stopped) timer = setTimeout(poll, POLL_MS);
    });
  }

  return {
    current: () => value,
    of: (projectId) => changed.get(projectId) ?? newestForgotten,
    isFresh: () => clock() - readAt <= EPOCH_STALE_MS_MAX,
    onChange: (listener) => void listeners.push(listener),
    refresh,
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
