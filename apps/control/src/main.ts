// The process of the control plane. In: the environment and signals. Out: an exit code.
import { whenReachable } from "@plinth/postgres";
import { createLogger, type LogLevel, runService } from "@plinth/service";
import { controlConfig } from "./config.ts";
import { startControl } from "./server.ts";

const logger = createLogger({
  name: "control",
  level: (process.env.PLINTH_LOG_LEVEL as LogLevel | undefined) ?? "info",
});
await runService({
  name: "control",
  logger,
  start: async (signal) => {
    const config = controlConfig(process.env);
    const control = await whenReachable(() => startControl(config, logger), {
      signal,
      onWait: (error) => logger.warn({ err: error }, "waiting for Postgres, which can't be reached"),
    });
    logger.info({ url: control.url }, "control is ready");
    return control;
  },
  parentPid: process.env.PLINTH_PARENT_PID === undefined ? undefined : Number(process.env.PLINTH_PARENT_PID),
});
