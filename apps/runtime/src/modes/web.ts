// Mode `web`: the public API and the internal listener of one cell. In: settings. Out: a running service that can be
// stopped. A stop takes no new request, lets those in progress finish, and leaves unfinished releases to the next
// start.
import { createHmac } from "node:crypto";
import { Fault, type Logger, type RunningService } from "@plinth/service";
import type { RuntimeConfig } from "../config.ts";
import type { Arriving, Incoming } from "../http/contracts.ts";
import { createHttpServer, createPipeline, defaultHttpLimits, type HttpServerOptions } from "../http/server.ts";
import { createSecretBox } from "../identity/secret-box.ts";
import { createInternalListener } from "../internal/listener.ts";
import { createOperatorAuthenticator } from "../internal/operator-authenticator.ts";
import { createPublicationReader } from "../release/reading-threads.ts";
import { closeListener, openListener } from "./listeners.ts";
import { type ApiOptions, openApi } from "./open-api.ts";
import { type Cell, type CellOptions, openCell } from "./open-cell.ts";
import { openReleases, type ReleasesOptions } from "./open-releases.ts";
import { openTransfers } from "./open-transfers.ts";

export interface WebService extends RunningService {
  readonly apiUrl: string;
  readonly internalUrl: string;
}

/** @throws Error if the database can't serve or a port is taken. */
export async function startWeb(
  config: RuntimeConfig,
  logger: Logger,
  overrides: Partial<CellOptions & ApiOptions & ReleasesOptions> = {},
): Promise<WebService> {
  const cell = await openCell({ ...config, logger, ...overrides });
  try {
    const web = await serveWeb(cell, config, overrides);
    const stop = async (): Promise<void> => {
      await web.stop();
      await cell.close();
    };
    return { ...web, stop };
  } catch (error) {
    await cell.close();
    throw error;
  }
}

/** The same on a cell that is already open; its `stop` leaves the cell open. */
export async function serveWeb(
  cell: Cell,
  config: RuntimeConfig,
  overrides: Partial<ApiOptions & ReleasesOptions> = {},
): Promise<WebService> {
  const { logger } = cell;
  const api = openApi(cell, { ...config, ...overrides });
  const releases = openReleases(cell, overrides);
  const transfers = openTransfers(cell);
  let stopping = false;
  const ready = async (): Promise<string | null> => (stopping ? "The service is stopping." : cell.ready());
  const options: HttpServerOptions = {
    registry: cell.registry,
    authenticator: api.authenticator,
    modules: api.modules,
    hooks: api.hooks,
    tenants: cell.scope,
    limits: {
      ...defaultHttpLimits,
      caller: config.rateLimit,
      project: config.projectRateLimit,
      sockets: { ...defaultHttpLimits.sockets, perAddress: config.socketsPerAddress },
    },
    isTrustedProxy: config.isTrustedProxy,
    onWrite: api.signal.raise,
    logger,
    clock: { now: Date.now },
    // The same on every replica. No other use of the key can produce this value.
    cursorSecret: createHmac("sha256", config.kek).update("plinth cursors").digest(),
    secretBox: createSecretBox(config.kek),
    ready,
  };
  const operators = createOperatorAuthenticator({ ...config, pool: cell.pool, registry: cell.registry });
  const operatorPipeline = createPipeline({ ...options, authenticator: operators });
  const publicApi = createHttpServer(options);
  const internal = createInternalListener({
    ...cell,
    ...api,
    ...releases,
    ...transfers,
    cellId: config.cellId,
    controlKeys: config.controlKeys,
    secret: config.cellSecret,
    read: createPublicationReader(),
    serve: async (incoming) => (await operatorPipeline(arrived(incoming))).reply,
  });
  const stop = async (): Promise<void> => {
    stopping = true;
    await api.streams.stop();
    await Promise.all([closeListener(publicApi), closeListener(internal)]);
  };
  try {
    const apiUrl = await openListener(publicApi, config.apiHost, config.apiPort, "PLINTH_API_PORT");
    const internalUrl = await openListener(internal, config.internalHost, config.internalPort, "PLINTH_INTERNAL_PORT");
    logger.info({ apiUrl, internalUrl }, "the runtime is ready");
    return { apiUrl, internalUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The internal listener has already read the body. Control can send any size within the project's own limit. */
function arrived({ body, ...head }: Incoming): Arriving {
  const readBody = async ({ bytesMax }: { readonly bytesMax: number }): Promise<Buffer> => {
    if (body === null || body.length > bytesMax) throw new Fault("payload_too_large");
    return body;
  };
  return { ...head, readBody: body === null ? null : readBody };
}
