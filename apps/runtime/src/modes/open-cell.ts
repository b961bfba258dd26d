// Opens a cell: checks its database, brings its tables up to date, and wires what every mode shares.
// In: settings. Out: releases, credentials, modules and the tenant scope, with one `close`. It serves nothing by itself.
import {
  checkDatabase,
  createFastLane,
  createPool,
  createTenantScope,
  listen,
  type ProjectScope,
  runMigrations,
  type TenantScope,
} from "@plinth/postgres";
import type { Logger } from "@plinth/service";
import type { Pool } from "pg";
import type { Authenticator, ModuleRoutes } from "../http/contracts.ts";
import { createAttemptLimit } from "../identity/attempt-limit.ts";
import { createAuthenticator } from "../identity/authenticate.ts";
import { EPOCH_CHANNEL, type Epoch, followEpoch } from "../identity/epoch.ts";
import { createKeyStore, type KeyStore } from "../identity/key-store.ts";
import { createSecretBox } from "../identity/secret-box.ts";
import { createSigningKeys, type SigningKeys } from "../identity/signing-keys.ts";
import { createUsage, type Usage } from "../identity/usage.ts";
import { createUserStore } from "../identity/user-store.ts";
import { createUserTokens } from "../identity/user-token.ts";
import { createSignInLimits } from "../modules/auth/credentials.ts";
import { createPasswords } from "../modules/auth/password.ts";
import { createAuthRoutes } from "../modules/auth/routes.ts";
import { combineRoutes } from "../modules/module-routes.ts";
import { createSelfDescription } from "../modules/self-description.ts";
import { createUserRoutes } from "../modules/users/routes.ts";
import { RELEASE_CHANNEL } from "../release/activate.ts";
import { CELL_SCHEMA, cellMigrations } from "../release/cell-tables.ts";
import { createMigrator, type Migrator, type MigratorOptions } from "../release/migrate.ts";
import { createRegistry, type Registry } from "../release/registry.ts";

export interface CellOptions {
  readonly databaseUrl: string;
  /** Where to listen for notifications, if not there. */
  readonly listenUrl?: string;
  readonly kek: Buffer;
  readonly publicUrl: string;
  readonly logger: Logger;
  /** Seen by a test that stops the cell between two steps of a plan. */
  readonly beforeStep?: MigratorOptions["beforeStep"];
}

export interface Cell {
  readonly pool: Pool;
  readonly scope: TenantScope;
  readonly scopeOf: (projectId: string) => ProjectScope;
  readonly epoch: Epoch;
  readonly registry: Registry;
  readonly migrator: Migrator;
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
  const { databaseUrl, logger } = options;
  const clock = (): number => performance.now();
  const onIdleError = (error: Error): void => logger.warn({ err: error }, "a database connection was lost");
  const poolOf = (
    name: string,
    max: number,
    limits: { statementTimeoutMs?: number; connectTimeoutMs?: number },
  ): Pool =>
    createPool({ connectionString: databaseUrl, max, applicationName: `plinth ${name}`, onIdleError, ...limits });

  const pool = poolOf("cell", 5, { statementTimeoutMs: 5_000 });
  const slowPool = poolOf("slow lane", 10, {});
  // Their own: neither a deploy nor a crowd at the shared pool may hold up a revocation.
  const epochPool = poolOf("epoch", 1, { statementTimeoutMs: 700, connectTimeoutMs: 700 });
  const migrationPool = poolOf("migrations", 3, {});
  const pools = [pool, slowPool, epochPool, migrationPool];
  try {
    await prepareDatabase(migrationPool);
  } catch (error) {
    await Promise.allSettled(pools.map((each) => each.end()));
    throw error;
  }

  const fastLane = createFastLane({
    connectionString: databaseUrl,
    connections: 3,
    applicationName: "plinth fast lane",
    onConnectionLost: onIdleError,
  });
  const scope = createTenantScope({ fastLane, pool: slowPool });
  const scopeOf = (projectId: string): ProjectScope => scope.forProject({ projectId });
  const epoch = await followEpoch({ pool: epochPool, logger, clock });
  const registry = createRegistry({ pool, logger, clock });
  epoch.onChange((projectId) => registry.refresh(projectId));
  const signingKeys = createSigningKeys({ pool, box: createSecretBox(options.kek), clock });
  const keys = createKeyStore({ pool, epoch, clock });
  const nowSeconds = (): number => Math.floor(Date.now() / 1000);
  const tokens = createUserTokens({ signingKeys, publicUrl: options.publicUrl, nowSeconds });
  const usage = createUsage({ pool, logger });
  const authenticator = createAuthenticator({
    keys,
    tokens,
    users: createUserStore({ tenants: scope, epoch, clock }),
    registry,
    usage,
    unknownLimit: createAttemptLimit({ attemptsMax: 50, windowMs: 10_000, clock }),
    now: Date.now,
  });
  const modules = combineRoutes([
    createUserRoutes({ scopeOf, epoch }),
    createAuthRoutes({ scopeOf, epoch, tokens, passwords: createPasswords(), limits: createSignInLimits(clock) }),
    createSelfDescription({ registry, signingKeys }),
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
  const listening = await listen({
    connectionString: options.listenUrl ?? databaseUrl,
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

  return {
    pool,
    scope,
    scopeOf,
    epoch,
    registry,
    migrator,
    keys,
    signingKeys,
    authenticator,
    modules,
    usage,
    ready: async () => (epoch.isFresh() ? null : "The database does not answer."),
    close: async () => {
      await migrator.stop();
      await usage.stop();
      await registry.stop();
      await epoch.stop();
      await listening.close();
      await fastLane.close();
      await Promise.allSettled(pools.map((each) => each.end()));
    },
  };
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
