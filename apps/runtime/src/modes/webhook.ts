// Mode `webhook`: a cell with a public listener for requests of providers. In: settings. Out: a running service that
// can be stopped. Everything except health and the addresses of inbound webhooks is answered with 404.
import { Fault, type Logger, type RunningService } from "@plinth/service";
import type { RuntimeConfig } from "../config.ts";
import type { Arriving } from "../http/contracts.ts";
import { createListener, gateOf } from "../http/listener.ts";
import type { Answer } from "../http/pipeline.ts";
import { defaultHttpLimits } from "../http/server.ts";
import { respondWithFault } from "../http/stages/respond.ts";
import { createRefusalLog } from "../http/transport/refusal-log.ts";
import { closeListener, openListener } from "./listeners.ts";
import { openApi } from "./open-api.ts";
import { openCell } from "./open-cell.ts";

/** @throws Error if the database can't serve or a port is taken. */
export async function startWebhook(config: RuntimeConfig, logger: Logger): Promise<RunningService> {
  const cell = await openCell({ ...config, logger });
  const { hooks } = openApi(cell, config);
  let stopping = false;
  const { bodyBytes, replyBytes, sockets } = defaultHttpLimits;
  const listener = createListener({
    limits: { bodyBytes, sockets: { ...sockets, perAddress: config.socketsPerAddress } },
    replies: gateOf(replyBytes),
    refusals: createRefusalLog(logger),
    logger,
    clock: { now: Date.now },
    isTrustedProxy: config.isTrustedProxy,
    answer: async (arriving) => (await hooks(arriving)) ?? notFound(arriving),
    ready: async () => (stopping ? "The service is stopping." : cell.ready()),
  });
  const stop = async (): Promise<void> => {
    stopping = true;
    await closeListener(listener);
    await cell.close();
  };
  try {
    const { webhookHost, webhookPort } = config;
    const webhookUrl = await openListener(listener, webhookHost, webhookPort, "PLINTH_WEBHOOK_PORT");
    logger.info({ webhookUrl }, "the runtime is ready");
    return { stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function notFound({ id }: Arriving): Answer {
  return { reply: respondWithFault(new Fault("not_found"), id), route: null, projectId: null, principal: null };
}
