// Builds the console. In: its sources. Out: a finished build in apps/console/.next, built again only if the sources changed.
// turbo decides that by their hash and keeps earlier builds. It never uses the network.
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { CommandFailure } from "../failure.ts";
import { logTail } from "./service-process.ts";
import { repository } from "./settings.ts";

export interface ConsoleBuild {
  readonly finished: Promise<void>;
  readonly stop: () => void;
}

/** turbo runs a package's script with the workspace's package manager, which it searches in PATH. */
const pnpmFolder = join(repository, "tools/pnpm/node_modules/.bin");

export function buildConsole(env: Readonly<Record<string, string>>, logFile: string): ConsoleBuild {
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, "w", 0o600);
  const child = spawn(
    join(repository, "node_modules", ".bin", "turbo"),
    ["run", "build", "--filter=@plinth/console", "--ui=stream", "--no-update-notifier", "--cache-dir=.turbo/cache"],
    {
      cwd: repository,
      env: {
        ...env,
        PATH: `${pnpmFolder}${delimiter}${env.PATH ?? ""}`,
        TURBO_TELEMETRY_DISABLED: "1",
        NEXT_TELEMETRY_DISABLED: "1",
        DO_NOT_TRACK: "1",
        NO_COLOR: "1",
      },
      stdio: ["ignore", log, log],
      detached: true,
    },
  );
  closeSync(log);
  let stopped = false;
  const finished = new Promise<void>((done, failed) => {
    child.once("error", (cause) => failed(new CommandFailure(`the console could not be built: ${cause.message}`)));
    child.once("exit", (code) => {
      if (code === 0 || stopped) done();
      else failed(new CommandFailure(`the console could not be built:\n${logTail(logFile, 30)}`));
    });
  });
  return {
    finished,
    stop: () => {
      stopped = true;
      // The whole group, because turbo starts Next.js, which starts workers.
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
    },
  };
}
