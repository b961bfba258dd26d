// One child process of a local Plinth. In: a program and its environment. Out: whether it is ready; a report where it
// ends by itself. It starts again what died, ever more slowly, and never leaves a process behind when stopped.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, statSync, truncateSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CommandFailure } from "../failure.ts";

export interface ServiceSpec {
  readonly name: string;
  /** Arguments of `node`. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** Answers 200 once the service is ready. */
  readonly readyUrl: string;
  readonly readyMsMax: number;
}

export interface Service {
  /** Resolves when it answers; @throws CommandFailure with the end of its log where it does not. */
  readonly ready: () => Promise<void>;
  /** SIGTERM, and after 15 s SIGKILL. Idempotent. */
  readonly stop: () => Promise<void>;
}

const logBytesMax = 10_000_000;
const stopMsMax = 15_000;
const backoffMsMax = 15_000;
/** Who ran this long was well: the next end counts as the first. */
const wellMs = 60_000;

/** `report` is told, in one text, about every end that nobody asked for. */
export function startService(spec: ServiceSpec, report: (text: string) => void): Service {
  let stopping: Promise<void> | null = null;
  let everReady = false;
  let failures = 0;
  let child = launch(spec);
  let restart: NodeJS.Timeout | null = null;
  watch(child, Date.now());

  function watch(process: ChildProcess, startedAt: number): void {
    process.once("exit", (code, signal) => {
      // Before it was ever ready its end is a failed start, which `ready` reports.
      if (stopping !== null || !everReady) return;
      failures = Date.now() - startedAt > wellMs ? 0 : failures;
      const waitMs = Math.min(250 * 2 ** failures++, backoffMsMax);
      report(
        `${spec.name} ended unexpectedly (${signal ?? `exit code ${code}`}); starting it again.\n${logTail(spec.logFile)}`,
      );
      restart = setTimeout(() => {
        child = launch(spec);
        watch(child, Date.now());
      }, waitMs);
    });
  }

  const stop = async (): Promise<void> => {
    if (restart !== null) clearTimeout(restart);
    if (child.pid === undefined || hasEnded(child)) return;
    const ended = new Promise<void>((done) => child.once("exit", () => done()));
    child.kill("SIGTERM");
    const kill = setTimeout(() => child.kill("SIGKILL"), stopMsMax);
    await ended;
    clearTimeout(kill);
  };

  return {
    ready: async () => {
      const deadline = Date.now() + spec.readyMsMax;
      while (!(await answers(spec.readyUrl))) {
        if (stopping !== null) return;
        if (hasEnded(child)) throw new CommandFailure(`${spec.name} did not start:\n${logTail(spec.logFile)}`);
        if (Date.now() > deadline) {
          throw new CommandFailure(
            `${spec.name} is not ready after ${spec.readyMsMax / 1000} s:\n${logTail(spec.logFile)}`,
          );
        }
        await pause(50);
      }
      everReady = true;
    },
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

/** The last lines of a log, indented. */
export function logTail(file: string, lines = 25): string {
  try {
    const last = readFileSync(file, "utf8").trimEnd().split("\n").slice(-lines);
    return `${last.map(readable).join("\n").replace(/^/gm, "  | ")}\n  (all of it: ${file})`;
  } catch {
    return `  (no log: ${file})`;
  }
}

/** A line of our structured logs as level, message and cause; any other line as it is. */
function readable(line: string): string {
  if (!line.startsWith("{")) return line;
  try {
    const { level, msg, err } = JSON.parse(line) as { level?: string; msg?: string; err?: { message?: string } };
    return [level, msg, err?.message].filter((part) => part !== undefined).join(": ");
  } catch {
    return line;
  }
}

function launch(spec: ServiceSpec): ChildProcess {
  const log = openLog(spec.logFile);
  try {
    return spawn(process.execPath, spec.args, {
      cwd: spec.cwd,
      env: spec.env,
      stdio: ["ignore", log, log],
      // A process group of its own: Ctrl-C in the terminal is for us, and we stop the parts in order.
      detached: true,
    });
  } finally {
    closeSync(log);
  }
}

function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true });
  try {
    if (statSync(file).size > logBytesMax) truncateSync(file, 0);
  } catch {
    // The first start.
  }
  return openSync(file, "a", 0o600);
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000), redirect: "manual" });
    await response.body?.cancel();
    return response.status < 400;
  } catch {
    return false;
  }
}
