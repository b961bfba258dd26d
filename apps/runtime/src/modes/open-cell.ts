// Opens a cell: checks its database, brings its tables up to date, and wires what every mode shares.
// In: settings. Out: releases, credentials, modules and the tenant scope, with one `close`. It serves nothing by itself.
import type { BundleLimits } from "@plinth/bundle";
import {
  checkDatabase,
  createFastLane,
  createPool,
  createTenantScope,
  listen,
  type PoolOptions,
  type ProjectScope,
  runMigrations,
  type TenantScope,
} from "@plinth/postgres";
import type { Logger } from "@plinth/service";
import type { Pool } from "pg";
import type { Authenticator } from "../identity/authenticator.ts";
import type { ModuleRoutes } from "../http/contracts.ts";
import { createProjectOfHost } from "../identity/project-host.ts";
import { createAttemptLimit } from "../identity/attempt-limit.ts";
import { createAuthenticator } from "../identity/authenticate.ts";
import { EPOCH_CHANNEL, type Epoch, followEpoch } from "../identity/epoch.ts";
import { createKeyStore, type KeyStore } from "../identity/key-store.ts";
import { createSecretBox } from "../identity/secret-box.ts";
import { createSigningKeys, type SigningKeys } from "../identity/signing-keys.ts";
import { createUsage, type Usage } from "../identity/usage.ts";
import { createUserStore } from "../identity/user-store.ts";
import { createUserTokens } from "../identity/user-token.ts";
import { createAuditLogRoutes } from "../modules/audit-logs/routes.ts";
import { createSignInLimits } from "../modules/auth/credentials.ts";
import { createPasswords } from "../modules/auth/password.ts";
import { createAuthRoutes } from "../modules/auth/routes.ts";
import { createCanRoutes } from "../modules/can/routes.ts";
import { combineRoutes } from "../modules/module-routes.ts";
import { createOrganizationLimits } from "../modules/organizations/limits.ts";
import { createOrganizationRoutes } from "../modules/organizations/routes.ts";
import { createSelfDescription } from "../modules/self-description.ts";
import { createUserRoutes } from "../modules/users/routes.ts";
import { createUuidV7 } from "@plinth/service";
import { RELEASE_CHANNEL } from "../release/activate.ts";
import { CELL_SCHEMA, cellMigrations } from "../release/cell-tables.ts";
import { createMigrator, type Migrator, type MigratorOptions } from "../release/migrate.ts";
import { createRegistry, type Registry } from "../release/registry.ts";
import { createRetention, type Retention } from "../release/retention.ts";

export interface CellOptions {
  readonly databaseUrl: string;
  /** Where to listen for notifications, if not there. */
  readonly listenUrl?: string;
  readonly kek: Buffer;
  readonly publicUrl: string;
  readonly cacheBytesMax: number;
  readonly preparedMax?: number;
  readonly slowMsPerSecond?: number;
  /** Projects are named by hosts under it; null: by none. Default null. */
  readonly apiDomain?: string | null;
  readonly logger: Logger;
  readonly limitsMax: BundleLimits;
  /** Seen by a test that stops the cell between two steps of a plan. */
  readonly beforeStep?: MigratorOptions["beforeStep"];
}

export interface Cell {
  readonly pool: Pool;
  readonly measurePool: Pool;
  readonly scope: TenantScope;
  readonly scopeOf: (projectId: string) => ProjectScope;
  readonly epoch: Epoch;
  readonly registry: Registry;
  readonly migrator: Migrator;
  readonly retention: Retention;
  readonly keys: KeyStore;
  readonly signingKeys: SigningKeys;
  readonly authenticator: Authenticator;
  readonly modules: ModuleRoutes;
  readonly usage: Usage;
  /** Null, or why requests can't be served now. */
  readonly ready: () => Promise<string | null>;
  readonly close: () => Promise<void>;
}

/** @throws Error that says what the database lacks. */
export async function openCell(options: CellOptions): Promise<Cell> {
  // What was opened is closed in the opposite order, at a stop and where a later part can't be opened.
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

async function wire(
  options: CellOptions,
  onClose: (closer: () => Promise<unknown>) => void,
): Promise<Omit<Cell, "close">> {
  const { databaseUrl, logger } = options;
  const clock = (): number => performance.now();
  const onLost = (error: Error): void => logger.warn({ err: error }, "a database connection was lost");
  const { pool, slowPool, epochPool, migrationPool, measurePool } = openPools(databaseUrl, onLost, onClose);
  await prepareDatabase(migrationPool);

  const applicationName = "plinth fast lane";
  const fastLane = createFastLane({
    connectionString: databaseUrl,
    connections: READ_CONNECTIONS,
    writeConnections: WRITE_CONNECTIONS,
    applicationName,
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
  const scopeOf = (projectId: string): ProjectScope => scope.forProject({ projectId });
  const epoch = await followEpoch({ pool: epochPool, firstPool: pool, logger, clock });
  onClose(epoch.stop);
  const registry = createRegistry({
    pool,
    logger,
    limitsMax: options.limitsMax,
    bytesMax: options.cacheBytesMax,
  });
  onClose(registry.stop);
  epoch.onChange((projectId) => registry.refresh(projectId));
  await listenTo(options.listenUrl ?? databaseUrl, epoch, registry, onClose);

  const signingKeys = createSigningKeys({ pool, box: createSecretBox(options.kek), clock });
  const keys = createKeyStore({ pool, epoch, clock });
  const nowSeconds = (): number => Math.floor(Date.now() / 1000);
  const tokens = createUserTokens({ signingKeys, publicUrl: options.publicUrl, nowSeconds });
  const users = createUserStore({ tenants: scope, epoch, clock });
  registry.onForget((projectId, isReplaced) => {
    // A view or a function of the next release may mean something else: what was proven of it is proven again.
    scope.forget(projectId);
    if (isReplaced) return;
    for (const each of [keys, tokens, users, signingKeys]) each.forget(projectId);
  });
  const usage = createUsage({ pool, logger });
  onClose(usage.stop);
  const unknownLimit = createAttemptLimit({ ...UNKNOWN_CREDENTIALS, clock });
  const projectOfHost = createProjectOfHost(options.apiDomain ?? null);
  const authenticator = createAuthenticator({
    keys,
    tokens,
    users,
    registry,
    usage,
    projectOfHost,
    unknownLimit,
    now: Date.now,
  });
  const passwords = createPasswords();
  onClose(passwords.stop);
  const modules = combineRoutes([
    createUserRoutes({ scopeOf, epoch }),
    createOrganizationRoutes({
      scopeOf,
      epoch,
      newId: createUuidV7({ now: Date.now }),
      limits: createOrganizationLimits(clock),
    }),
    createCanRoutes(),
    createAuditLogRoutes(),
    createAuthRoutes({ scopeOf, epoch, tokens, passwords, limits: createSignInLimits(clock) }),
    createSelfDescription({ pool, signingKeys, projectOfHost }),
  ]);
  const migrator = createMigrator({
    pool: migrationPool,
    logger,
    ...(options.beforeStep === undefined ? {} : { beforeStep: options.beforeStep }),
    onActivated: (projectId) => {
      scope.forget(projectId);
      registry.refresh(projectId);
    },
  });
  onClose(migrator.stop);
  const retention = createRetention({ pool: migrationPool, registry, scope, logger });
  onClose(retention.stop);
  const ready = async (): Promise<string | null> => (epoch.isFresh() ? null : "The database does not answer.");
  return {
    pool,
    measurePool,
    scope,
    scopeOf,
    epoch,
    registry,
    migrator,
    retention,
    keys,
    signingKeys,
    authenticator,
    modules,
    usage,
    ready,
  };
}

const READ_CONNECTIONS = 2;
const WRITE_CONNECTIONS = 2;
/** Per network: what no cache knows and no table either. */
const UNKNOWN_CREDENTIALS = { attemptsMax: 50, windowMs: 10_000 } as const;

interface Pools {
  readonly pool: Pool;
  readonly slowPool: Pool;
  readonly epochPool: Pool;
  readonly migrationPool: Pool;
  readonly measurePool: Pool;
}

function openPools(
  connectionString: string,
  onIdleError: (error: Error) => void,
  onClose: (closer: () => Promise<unknown>) => void,
): Pools {
  const open = (name: string, max: number, limits: Partial<PoolOptions>): Pool => {
    const opened = createPool({ connectionString, max, applicationName: `plinth ${name}`, onIdleError, ...limits });
    onClose(() => opened.end());
    return opened;
  };
  return {
    pool: open("cell", 5, { statementTimeoutMs: 5_000 }),
    slowPool: open("slow lane", 10, {}),
    // Their own: neither a deploy nor a crowd at the shared pool may hold up a revocation.
    epochPool: open("epoch", 1, { statementTimeoutMs: 700, connectTimeoutMs: 700 }),
    migrationPool: open("migrations", 3, {}),
    measurePool: open("measure", 2, {}),
  };
}

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
  const client = await pool.connect();
  try {
    await checkDatabase(client);
  } finally {
    client.release();
  }
  await runMigrations({ pool, schema: CELL_SCHEMA, migrations: cellMigrations });
}
