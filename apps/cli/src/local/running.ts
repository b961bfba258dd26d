// The addresses of the running Plinth of a home, for other commands. In: the home. Out: a file there, written by the command that
// starts it. The file of a killed Plinth has addresses at which nothing answers.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type LocalSettings, localUrl, usualPorts } from "./settings.ts";

export interface RunningAddresses {
  readonly control: string;
  /** The origin that the control API expects of its callers. */
  readonly console: string;
}

export function writeRunning(home: string, addresses: RunningAddresses): void {
  mkdirSync(home, { recursive: true });
  const temporary = `${fileOf(home)}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(addresses)}\n`, { mode: 0o600 });
  renameSync(temporary, fileOf(home));
}

export function removeRunning(home: string): void {
  rmSync(fileOf(home), { force: true });
}

/** The environment comes first, then the file of the running Plinth, then the usual ports. */
export function runningAddresses({ home, ports, urls }: LocalSettings): RunningAddresses {
  if (ports.control !== null) return { control: localUrl(ports.control), console: urls.console };
  return read(home) ?? { control: localUrl(usualPorts.control), console: urls.console };
}

function read(home: string): RunningAddresses | null {
  try {
    const { control, console } = JSON.parse(readFileSync(fileOf(home), "utf8")) as Partial<RunningAddresses>;
    return typeof control === "string" && typeof console === "string" ? { control, console } : null;
  } catch {
    return null;
  }
}

function fileOf(home: string): string {
  return join(home, "running.json");
}
