// The runtime's entry: `node src/main.ts <mode>`. In: the mode and the environment. Out: a running service, or an exit
// code (1: it can't start, 2: wrong usage). This is the only file that reads the environment; it never prints its
// values.
import { whenReachable } from "@plinth/postgres";
import { ConfigError, createLogger, type Logger, type RunningService, runService } from "@plinth/service";
import { type RuntimeConfig, readRuntimeConfig } from "./config.ts";
import { startAll } from "./modes/all.ts";
import { startScheduler, startWorker } from "./modes/background.ts";
import { startWeb } from "./modes/web.ts";
import { startWebhook } from "./modes/webhook.ts";

type Start = (config: RuntimeConfig, logger: Logger) => Promise<RunningService>;

const modes: ReadonlyMap<string, Start> = new Map<string, Start>([
  ["web", startWeb],
  ["worker", startWorker],
  ["scheduler", startScheduler],
  ["webhook", startWebhook],
  ["all", startAll],
]);

function usageError(text: string): never {
  process.stderr.write(`${text}\n`);
  process.exit(2);
}

const mode = process.argv[2] ?? process.env.PLINTH_MODE;
const start = mode === undefined ? undefined : modes.get(mode);
if (mode === undefined || start === undefined) {
  const named = mode === undefined ? "Name a mode" : `There is no mode "${mode}"`;
  usageError(
    `${named}. Usage: node src/main.ts <mode>, or PLINTH_MODE=<mode>; modes: ${[...modes.keys()].join(", ")}.`,
  );
}

let config: RuntimeConfig;
try {
  config = readRuntimeConfig(process.env);
} catch (error) {
  if (error instanceof ConfigError) usageError(error.message);
  throw error;
}

const name = `plinth runtime (${mode})`;
const logger = createLogger({ name, level: config.logLevel });
await runService({
  name,
  logger,
  parentPid: config.parentPid,
  start: (signal) =>
    whenReachable(() => start(config, logger), {
      signal,
      onWait: (error) => logger.warn({ err: error }, "waiting for Postgres, which can't be reached"),
    }),
});
