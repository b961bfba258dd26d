// Mode `all`: every mode in one process. In: settings. Out: a running service.
// The public API and the internal listener are all that a cell runs so far; workers and schedules join here.
import type { Logger, RunningService } from "@plinth/service";
import type { RuntimeConfig } from "../config.ts";
import { startWeb } from "./web.ts";

export function startAll(config: RuntimeConfig, logger: Logger): Promise<RunningService> {
  return startWeb(config, logger);
}
