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
  type PoolOptions,
  type ProjectScope,
  runMigrations,
  type TenantScope,
  withSession,
} from "@plinth/postgres";
import type { Logger } from "@plinth/service";
import type { Pool } from "pg";
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
  /** Listens on a separate connection, which the caller must close. */
  readonly listenTo: (
    channels: readonly string[],
    on: Pick<ListenOptions, "onNotify" | "onReconnect">,
  ) => Promise<Listening>;
  /** Closers run in the opposite order of their registration. */
  readonly onClose: (closer: () => Promise<unknown>) => void;
  readonly close: () => Promise<void>;
}

/** @throws Error that says what the database lacks. */
export async function openCell(options: CellOptions): Promise<Cell> {
  // Parts are closed in the opposite order of opening, at a stop and if a later part can't be opened.
  const opened: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const each of opened.splice(0).reverse()) await each();
  };
  try {
    return { ...(await wire(options, (closer) => opened.push(closer))), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function wire(options: CellOptions, onClose: Cell["onClose"]): Promise<Omit<Cell, "close">> {
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
    onClose(() => opened.end());
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
    ready: async () => (epoch.isFresh() ? null : "The database does not respond."),
    openPool,
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
