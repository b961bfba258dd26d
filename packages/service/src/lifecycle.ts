// The life of a process: start, wait for a signal or for the parent's death, stop once, exit. In: a start function.
// Out: an exit code (0 stopped cleanly, 1 failed to start or to stop). It never outlives its parent if it knows the
// parent, and always exits within the time limit.
import type { Logger } from "./logger.ts";

export type RunningService = { stop(): Promise<void> };

export type ServiceOptions = {
  readonly name: string;
  readonly logger: Logger;
  /** The signal is aborted when the process is asked to stop, even during its start. */
  readonly start: (signal: AbortSignal) => Promise<RunningService>;
  /** Stop when this process has ended: a parent that was killed by SIGKILL forwards no signal. */
  readonly parentPid?: number | undefined;
  /** Default 15000. */
  readonly stopMsMax?: number;
};

const parentPollMs = 500;

/** Resolves when the service runs; the process later ends itself when it is asked to. */
export async function runService(options: ServiceOptions): Promise<void> {
  const { name, logger } = options;
  const stopMsMax = options.stopMsMax ?? 15_000;
  const abort = new AbortController();
  let running: RunningService | null = null;
  let stopping = false;

  const exit = (code: number): never => process.exit(code);

  const stop = async (reason: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    clearInterval(parentWatch);
    logger.info({ reason }, `${name} is stopping`);
    // The margin keeps the whole exit within the limit that supervisors are told.
    setTimeout(() => {
      logger.error(`${name} did not stop in time`);
      exit(1);
    }, stopMsMax - 500).unref();
    abort.abort(new Error(reason));
    // If start() is still running, it sees the aborted signal; its result is stopped below.
    if (running === null) return;
    await finish(running);
  };

  const finish = async (service: RunningService): Promise<void> => {
    try {
      await service.stop();
      logger.info(`${name} has stopped`);
    } catch (error) {
      logger.error({ err: error }, `${name} failed to stop cleanly`);
      exit(1);
    }
    exit(0);
  };

  const parentWatch = setInterval(() => {
    if (options.parentPid !== undefined && !processExists(options.parentPid)) void stop("the parent process has ended");
  }, parentPollMs);
  parentWatch.unref();
  // Output of a library or of Node can fail because of a full disk or a missing reader. This is no reason to exit.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  process.on("SIGTERM", () => void stop("SIGTERM"));
  process.on("SIGINT", () => void stop("SIGINT"));
  // An uncaught bug leaves an unknown state: log it, stop in order, and let the supervisor start a new process.
  process.on("uncaughtException", (error) => {
    logger.fatal({ err: error }, `${name} had an unexpected error`);
    process.exitCode = 1;
    if (running === null || stopping) exit(1);
    else
      void running.stop().then(
        () => exit(1),
        () => exit(1),
      );
    setTimeout(() => exit(1), 5_000).unref();
  });

  try {
    const service = await options.start(abort.signal);
    running = service;
    if (stopping) await finish(service);
  } catch (error) {
    if (stopping) exit(0);
    logger.fatal({ err: error }, `${name} failed to start`);
    exit(1);
  }
}

/** Whether a process with this id exists, even if it belongs to another user. */
function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
