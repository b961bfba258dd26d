// One child process of a local Plinth. In: a program and its environment. Out: a part for `supervise`: it reports when it is
// ready, and its exit code or signal when it ends. It never leaves a process behind after a stop.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CommandFailure } from "../failure.ts";
import { boundLog, keepLogBounded, olderLog } from "./bounded-log.ts";
import type { Part, RunningPart } from "./supervise.ts";

export interface ServiceSpec {
  readonly name: string;
  /** Arguments of `node`. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** At this size, the log begins again, and its previous content is kept once. Default 10 MB. */
  readonly logBytesMax?: number;
  /** Answers 200 when the service is ready. */
  readonly readyUrl: string;
  readonly readyMsMax: number;
}

const stopMsMax = 15_000;

export function servicePart(spec: ServiceSpec): Part {
  return {
    name: spec.name,
    start: (signal) => startService(spec, signal),
    logTail: () => logTail(spec.logFile),
  };
}

/** @throws CommandFailure, with the end of its log, if it ends or doesn't answer in time. Then it is stopped. */
async function startService(spec: ServiceSpec, signal: AbortSignal): Promise<RunningPart> {
  const child = launch(spec);
  const stopBounding = keepLogBounded(spec.logFile, spec.logBytesMax);
  const ended = new Promise<string>((done) => {
    child.once("exit", (code, by) => done(by ?? `exit code ${code}`));
    child.once("error", (error) => done(error.message));
  });
  void ended.then(stopBounding);
  const stop = (): Promise<void> => stopChild(child);
  const deadline = Date.now() + spec.readyMsMax;
  while (!(await answers(spec.readyUrl))) {
    if (signal.aborted) break;
    const failed = hasEnded(child)
      ? `the ${spec.name} did not start (${await ended})`
      : Date.now() > deadline && `the ${spec.name} is not ready after ${spec.readyMsMax / 1000} s`;
    if (failed !== false) {
      await stop();
      throw new CommandFailure(`${failed}:\n${logTail(spec.logFile)}`);
    }
    await pause(50);
  }
  return { ended, stop };
}

/** SIGTERM, and after 15 s SIGKILL. Idempotent. */
async function stopChild(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  child.kill("SIGTERM");
  const kill = setTimeout(() => child.kill("SIGKILL"), stopMsMax);
  await ended;
  clearTimeout(kill);
}

/** The last lines of a log, indented. */
export function logTail(file: string, lines = 25): string {
  const text = readLog(file);
  if (text === null) return `  (no log: ${file})`;
  const last = linesOf(text).slice(-lines);
  // A log that has just begun again has too few lines.
  if (last.length < lines) last.unshift(...linesOf(readLog(olderLog(file)) ?? "").slice(last.length - lines));
  return `${last.map(readable).join("\n").replace(/^/gm, "  | ")}\n  (all of it: ${file})`;
}

function readLog(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

function linesOf(text: string): string[] {
  const trimmed = text.trimEnd();
  return trimmed === "" ? [] : trimmed.split("\n");
}

/** A line of our structured logs as level, message and cause. Any other line unchanged. */
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
  boundLog(spec.logFile, spec.logBytesMax);
  const log = openLog(spec.logFile);
  try {
    return spawn(process.execPath, spec.args, {
      cwd: spec.cwd,
      env: spec.env,
      stdio: ["ignore", log, log],
      // Its own process group, so that Ctrl-C in the terminal only reaches us, and we stop the parts in order.
      detached: true,
    });
  } finally {
    if (log !== "ignore") closeSync(log);
  }
}

/** If the log can't be opened (a full disk), the process runs without it. */
function openLog(file: string): number | "ignore" {
  try {
    mkdirSync(dirname(file), { recursive: true });
    return openSync(file, "a", 0o600);
  } catch {
    return "ignore";
  }
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
