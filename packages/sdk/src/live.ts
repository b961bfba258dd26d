// An ordered list that stays up to date. In: an entity, conditions and an order. Out: the current list, and a
// notification of each change. When changes stop, it equals the result of the same `findMany`. It first follows the
// changes and then reads, so that no change is missed. A change is applied here if its position is certain; if only the
// database knows it (texts, choices, exact numbers, records beyond the limit), the list is read again.
import type { OwnSort, OwnWhere } from "./conditions.ts";
import type { Entity, Page } from "./entity.ts";
import { placeIn } from "./live-order.ts";
import type { ListOptions } from "./reading.ts";
import { type Change, isPassing, type Subscription } from "./subscribe.ts";
import { pause } from "./transport.ts";
import type { EntityName, ProjectTypes, RecordOf } from "./types.ts";
import type { CallOptions } from "./writing.ts";

export interface LiveOptions<in out Types extends ProjectTypes, in out Name extends EntityName<Types>>
  extends CallOptions {
  /** Conditions on the entity's own fields only: the list does not follow changes of related records. */
  readonly where?: OwnWhere<Types, Name>;
  /** The entity's own fields only. Default: the newest first. */
  readonly sort?: OwnSort<Types, Name>;
  /** The default is 20, the maximum 100. */
  readonly limit?: number;
}

export interface LiveSnapshot<Item> {
  readonly records: readonly Item[];
  /** Whether there may be records beyond the limit. */
  readonly hasMore: boolean;
  /** `loading` until the first read; `failed`: it no longer follows, and `error` says why. */
  readonly status: "loading" | "live" | "failed";
  readonly error: unknown;
}

export interface LiveList<Item> {
  /**
   * Starts with the first listener, and ends when the last one is removed. Returns a function that removes the
   * listener.
   */
  readonly subscribe: (listener: () => void) => () => void;
  /** The same object until something changes. */
  readonly getSnapshot: () => LiveSnapshot<Item>;
}

interface Held extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly version?: number;
}

const backoffMsMax = 10_000;

/**
 * `live(db.entity("task"), { where, sort, limit })`: fits React's `useSyncExternalStore`. The entity needs `realtime:
 * true`.
 *
 * @throws TypeError if the order uses fields of related records.
 */
export function live<Types extends ProjectTypes, Name extends EntityName<Types>>(
  entity: Entity<Types, Name>,
  options: LiveOptions<Types, Name> = {},
): LiveList<RecordOf<Types, Name>> {
  const { signal, limit = 20, where, sort } = options;
  const keys = (sort === undefined ? ["-created_at"] : [sort].flat()) as readonly string[];
  if (keys.some((key) => key.includes(".")))
    throw new TypeError("a live list must be sorted by the entity's own fields");
  const listed = { limit, ...(where !== undefined && { where }), ...(sort !== undefined && { sort }) };
  return createList<RecordOf<Types, Name> & Held>(
    {
      read: (end) => entity.findPage({ ...listed, signal: end } as ListOptions<Types, Name>) as never,
      follow: () => entity.subscribe(where === undefined ? {} : { where }) as never,
    },
    keys,
    limit,
    signal,
  );
}

interface Source<Item> {
  readonly read: (signal: AbortSignal) => Promise<Page<Item>>;
  readonly follow: () => Subscription<Item>;
}

function createList<Item extends Held>(
  source: Source<Item>,
  keys: readonly string[],
  limit: number,
  signal: AbortSignal | undefined,
): LiveList<Item> {
  const listeners = new Set<() => void>();
  let snapshot: LiveSnapshot<Item> = { records: [], hasMore: false, status: "loading", error: null };
  let stop: (() => void) | null = null;

  const become = (next: Partial<LiveSnapshot<Item>>): void => {
    snapshot = { ...snapshot, ...next };
    for (const listener of [...listeners]) listener();
  };

  const begin = (): void => {
    const run = new AbortController();
    const changes = source.follow();
    let records: Item[] = [];
    let hasMore = false;
    let isReading = false;
    /** Whether the current data needs another read. */
    let isStale = false;
    let waiting: Change<Item>[] = [];

    const end = (): void => {
      run.abort();
      changes.close();
      signal?.removeEventListener("abort", end);
      if (stop === end) stop = null;
    };
    const fail = (error: unknown): void => {
      if (run.signal.aborted) return;
      end();
      become({ status: "failed", error });
    };
    const put = (record: Item): void => {
      const at = records.findIndex(({ id }) => id === record.id);
      const held = records[at];
      // The result may be newer than a change on its way.
      if (held?.version !== undefined && record.version !== undefined && held.version >= record.version) return;
      const others = records.filter(({ id }) => id !== record.id);
      const place = placeIn(others, record, keys, held === undefined ? null : { record: held, at });
      if (place === null) {
        isStale = true;
      } else if (place === others.length && hasMore) {
        // Records beyond the limit can come before it.
        if (held !== undefined) isStale = true;
      } else {
        hasMore ||= others.length === limit;
        records = others.toSpliced(place, 0, record).slice(0, limit);
      }
    };
    const apply = (change: Change<Item>): void => {
      if (change.type === "created" || change.type === "updated") put(change.record);
      if (change.type !== "gone" || !records.some(({ id }) => id === change.id)) return;
      records = records.filter(({ id }) => id !== change.id);
      isStale ||= hasMore;
    };
    const readOnce = async (): Promise<Page<Item>> => {
      for (let attempt = 0; ; attempt++) {
        try {
          return await source.read(run.signal);
        } catch (error) {
          if (run.signal.aborted || !isPassing(error)) throw error;
          await pause(Math.min(backoffMsMax, 500 * 2 ** attempt), run.signal);
        }
      }
    };
    const read = async (): Promise<void> => {
      isReading = true;
      do {
        isStale = false;
        waiting = [];
        const page = await readOnce();
        if (run.signal.aborted) return;
        records = [...page.data];
        hasMore = page.hasMore;
        for (const change of waiting) apply(change);
        become({ records, hasMore, status: "live", error: null });
      } while (isStale);
      isReading = false;
    };
    const take = (change: Change<Item>): void => {
      if (change.type === "resync" || (change.type === "ready" && !change.resumed)) isStale = true;
      else if (isReading) waiting.push(change);
      else if (change.type !== "ready") {
        const before = records;
        apply(change);
        // A record that was removed from a longer list is replaced by the next one when it has been read.
        if (!isStale && records !== before) become({ records, hasMore });
      }
      if (isStale && !isReading) read().catch(fail);
    };

    stop = end;
    if (snapshot.status === "failed") snapshot = { ...snapshot, status: "loading", error: null };
    signal?.addEventListener("abort", end);
    void (async () => {
      for await (const change of changes) take(change);
    })().catch(fail);
  };

  return {
    subscribe: (listener) => {
      const own = (): void => listener();
      listeners.add(own);
      if (stop === null && signal?.aborted !== true) begin();
      return () => {
        listeners.delete(own);
        if (listeners.size === 0) stop?.();
      };
    },
    getSnapshot: () => snapshot,
  };
}
