// Opens a cell: checks its database, brings its tables up to date, and connects the parts that every mode shares. In:
// settings. Out: releases and the tenant scope, with one `close`. It doesn't listen itself.
import type { BundleLimits } from "@plinth/bundle";
import {
  checkDatabase,
  createFastLane,
  createPool,
  createTenantScope,
  type FastLane,
  type Listening,
  type ListenOptions,
  listen,
  type Pool,
  type PoolOptions,
  type ProjectScope,
  runMigrations,
  type TenantScope,
  withSession,
} from "@plinth/postgres";
import type { Logger } from "@plinth/service";
import { EPOCH_CHANNEL, type Epoch, followEpoch } from "../identity/epoch.ts";
import { RELEASE_CHANNEL } from "../release/activate.ts";
import { CELL_SCHEMA, cellMigrations } from "../release/cell-tables.ts";
import { createRegistry, type Registry } from "../release/registry.ts";

export interface CellOptions {
  readonly databaseUrl: string;
  /** The URL to listen for notifications at, if it differs. */
  readonly listenUrl?: string;
  readonly cacheBytesMax: number;
  readonly preparedMax?: number;
  readonly slowMsPerSecond?: number;
  readonly logger: Logger;
  readonly limitsMax: BundleLimits;
}

export interface Cell {
  readonly pool: Pool;
  readonly fastLane: FastLane;
  readonly scope: TenantScope;
  readonly scopeOf: (projectId: string) => ProjectScope;
  readonly epoch: Epoch;
  readonly registry: Registry;
  readonly logger: Logger;
  /** Null, or the reason why the cell can't work now. */
  readonly ready: () => Promise<string | null>;
  /** A pool on the cell's database, closed with the cell. */
  readonly openPool: (name: string, max: number, limits?: Partial<PoolOptions>) => Pool;
  /** From now on, the process isn't ready while these places are taken and none becomes free. */
  readonly watchPlaces: (places: Places) => void;
  /** Listens on a separate connection, which the caller must close. */
  readonly listenTo: (
    channels: readonly string[],
    on: Pick<ListenOptions, "onNotify" | "onReconnect">,
  ) => Promise<Listening>;
  /** Closers run in the opposite order of their registration. */
  readonly onClose: (closer: () => Promise<unknown>) => void;
  readonly close: () => Promise<void>;
}

/** Connections, or places in a queue, that requests or runs need. */
interface Places {
  stalledMs(): number;
}

/** Nobody waits for a place for longer. */
const STALLED_MS_MAX = 5_000;
/** When a cell is closed, those who still use connections of its pools have this long, all together. */
const CLOSE_MS_MAX = 8_000;

/** @throws Error that says what the database lacks. */
export async function openCell(options: CellOptions): Promise<Cell> {
  // Parts are closed in the opposite order of opening, at a stop and if a later part can't be opened.
  const opened: (() => Promise<unknown>)[] = [];
  let closeBy = Number.POSITIVE_INFINITY;
  const close = async (): Promise<void> => {
    closeBy = performance.now() + CLOSE_MS_MAX;
    for (const each of opened.splice(0).reverse()) await each();
  };
  try {
    const onClose: Cell["onClose"] = (closer) => void opened.push(closer);
    return { ...(await wire(options, onClose, () => closeBy - performance.now())), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function wire(
  options: CellOptions,
  onClose: Cell["onClose"],
  leftMs: () => number,
): Promise<Omit<Cell, "close">> {
  const { databaseUrl, logger } = options;
  const clock = (): number => performance.now();
  const onLost = (error: Error): void => logger.warn({ err: error }, "a database connection was lost");
  const openPool: Cell["openPool"] = (name, max, limits = {}) => {
    const opened = createPool({
      connectionString: databaseUrl,
      max,
      applicationName: `plinth ${name}`,
      onIdleError: onLost,
      ...limits,
    });
    onClose(() => opened.endWithin(Math.max(LAST_MS, leftMs())));
    return opened;
  };
  const pool = openPool("cell", 5, { statementTimeoutMs: 5_000 });
  const slowPool = openPool("slow lane", 10, { statementTimeoutMs: 5_000 });
  // A separate pool: neither a deploy nor a busy shared pool can delay a revocation.
  const epochPool = openPool("epoch", 1, { statementTimeoutMs: 700, connectTimeoutMs: 700 });
  await prepareDatabase(openPool("preparation", 1));

  const fastLane = createFastLane({
    connectionString: databaseUrl,
    connections: READ_CONNECTIONS,
    writeConnections: WRITE_CONNECTIONS,
    applicationName: "plinth fast lane",
    onConnectionLost: onLost,
    ...(options.preparedMax === undefined ? {} : { preparedMax: options.preparedMax }),
  });
  onClose(fastLane.close);
  const { slowMsPerSecond: slowMs } = options;
  const scope = createTenantScope({
    fastLane,
    pool: slowPool,
    limits: slowMs === undefined ? {} : { slowBudget: { msPerSecond: slowMs, burstMs: slowMs } },
  });
  const places: Places[] = [slowPool, scope];
  const epoch = await followEpoch({ pool: epochPool, firstPool: pool, logger, clock });
  onClose(epoch.stop);
  const { limitsMax, cacheBytesMax: bytesMax } = options;
  const registry = createRegistry({ pool, logger, limitsMax, bytesMax });
  onClose(registry.stop);
  epoch.onChange((projectId) => registry.refresh(projectId));
  // A view or a function of the next release may differ, so its statements must be proven again.
  registry.onForget((projectId) => scope.forget(projectId));
  await listenTo(options.listenUrl ?? databaseUrl, epoch, registry, onClose);
  return {
    pool,
    fastLane,
    scope,
    scopeOf: (projectId) => scope.forProject({ projectId }),
    epoch,
    registry,
    logger,
    ready: async () => {
      if (!epoch.isFresh() || !fastLane.hasPlaces()) return "The database does not respond.";
      const isStalled = places.some((some) => some.stalledMs() > STALLED_MS_MAX);
      return isStalled ? "All connections to the database are in use, and none becomes free." : null;
    },
    openPool,
    watchPlaces: (some) => void places.push(some),
    listenTo: (channels, on) =>
      listen({
        connectionString: options.listenUrl ?? databaseUrl,
        channels,
        applicationName: "plinth listen",
        ...on,
      }),
    onClose,
  };
}

/** Each pool has at least this long to be closed. */
const LAST_MS = 100;
const READ_CONNECTIONS = 2;
const WRITE_CONNECTIONS = 2;

async function listenTo(
  connectionString: string,
  epoch: Epoch,
  registry: Registry,
  onClose: (closer: () => Promise<unknown>) => void,
): Promise<void> {
  const listening = await listen({
    connectionString,
    channels: [EPOCH_CHANNEL, RELEASE_CHANNEL],
    applicationName: "plinth listen",
    onNotify: (channel, projectId) => {
      if (channel === EPOCH_CHANNEL) void epoch.refresh();
      else registry.refresh(projectId);
    },
    onReconnect: () => {
      void epoch.refresh();
      registry.refreshAll();
    },
  });
  onClose(listening.close);
}

async function prepareDatabase(pool: Pool): Promise<void> {
  // For exclusions, whose indexes compare plain values and ranges together.
  await withSession(pool, (client) => checkDatabase(client, { extensions: ["btree_gist", "pg_trgm"] }));
  await runMigrations({ pool, schema: CELL_SCHEMA, migrations: cellMigrations });
}
