// The process of the control plane. In: the environment and signals. Out: an exit code.
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
  start: async () => {
    const config = controlConfig(process.env);
    const control = await startControl(config, logger);
    logger.info({ url: control.url }, "control is ready");
    return control;
  },
  parentPid: process.env.PLINTH_PARENT_PID === undefined ? undefined : Number(process.env.PLINTH_PARENT_PID),
});
