// A whole Plinth on this machine, as a user starts it. In: what to start. Out: its addresses, and how to end it. It
// only uses the command line, in a separate home, and only ends what it has started.
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { freePort } from "@plinth/testkit";

const root = resolve(import.meta.dirname, "..");

export interface Stack {
  readonly apiUrl: string;
  readonly consoleUrl: string;
  readonly controlUrl: string;
  /** The cell's internal listener. */
  readonly internalUrl: string;
  readonly home: string;
  /**
   * The process id of the part whose command line contains this text (`apps/runtime/`); null while it is not running.
   */
  readonly pidOf: (part: string) => number | null;
  /** All processes that it has started and that are still running. */
  readonly processes: () => readonly number[];
  /** Its terminal output. */
  readonly output: () => string;
  readonly stop: () => Promise<void>;
}

export interface DevStack extends Stack {
  readonly project: string;
  readonly keys: { readonly secret: string; readonly publishable: string };
}

/** `plinth up` with an embedded Postgres. Resolves when all parts, including the console, are ready. */
export async function startUp(): Promise<Stack> {
  const { child, stack } = await launch(["up"]);
  await lineOf(child, (line) => (line.includes(stack.consoleUrl) ? line : null));
  await answers(`${stack.consoleUrl}/sign-in`);
  return stack;
}

/**
 * `plinth dev FILE --json`: the same with a deployed project and its keys. @param home The folder for all its data,
 * which is removed at the end; by default a new one.
 */
export async function startDev(
  file: string,
  home?: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<DevStack> {
  const { child, stack } = await launch(["dev", resolve(root, file), "--json", "--no-types"], home, settings);
  const ready = await lineOf(child, (line) => (line.startsWith("{") ? (JSON.parse(line) as DevLine) : null));
  return { ...stack, apiUrl: ready.api, project: ready.project, keys: ready.keys };
}

interface DevLine {
  readonly api: string;
  readonly project: string;
  readonly keys: DevStack["keys"];
}

async function launch(
  args: readonly string[],
  home: string = mkdtempSync(join(tmpdir(), "plinth-e2e-")),
  settings: Readonly<Record<string, string>> = {},
): Promise<{ child: ChildProcess; stack: Stack }> {
  // As root, the database runs as another user, who needs access. Otherwise its data would be outside this folder.
  chmodSync(home, 0o755);
  const [api, internal, control, console] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const child = spawn(process.execPath, [join(root, "apps/cli/bin.mjs"), ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      PLINTH_HOME: home,
      PLINTH_API_PORT: String(api),
      PLINTH_INTERNAL_PORT: String(internal),
      PLINTH_CONTROL_PORT: String(control),
      PLINTH_CONSOLE_PORT: String(console),
      ...settings,
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (output += chunk));
  const exited = new Promise<void>((done) => child.once("exit", () => done()));
  const stack: Stack = {
    apiUrl: `http://127.0.0.1:${api}`,
    consoleUrl: `http://127.0.0.1:${console}`,
    controlUrl: `http://127.0.0.1:${control}`,
    internalUrl: `http://127.0.0.1:${internal}`,
    home,
    pidOf: (part) => descendantsOf(child.pid ?? -1).find((pid) => commandLineOf(pid).includes(part)) ?? null,
    processes: () => descendantsOf(child.pid ?? -1),
    output: () => output,
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
      rmSync(home, { recursive: true, force: true });
    },
  };
  return { child, stack };
}

/** The first line of stdout that `read` accepts. @throws Error with all output if the process ends before. */
function lineOf<Found>(child: ChildProcess, read: (line: string) => Found | null): Promise<Found> {
  return new Promise((found, failed) => {
    let pending = "";
    let output = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk;
      pending += chunk;
      const lines = pending.split("\n");
      pending = lines.pop() ?? "";
      for (const line of lines) {
        const result = read(line);
        if (result !== null) found(result);
      }
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      output += chunk;
    });
    child.once("exit", (code) => failed(new Error(`plinth ended with ${code} before it was ready:\n${output}`)));
  });
}

/** Polls until the address answers with a status below 500. */
export async function answers(url: string, seconds = 120): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const status = await fetch(url).then(
      (response) => response.status,
      () => 599,
    );
    if (status < 500) return;
    if (Date.now() > deadline) throw new Error(`${url} did not answer within ${seconds} s (last: ${status})`);
    await new Promise((done) => setTimeout(done, 200));
  }
}

function descendantsOf(parent: number): number[] {
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
  return children.flatMap((pid) => [pid, ...descendantsOf(pid)]);
}

function parentOf(pid: number): number | null {
  const status = read(`/proc/${pid}/status`);
  return Number(/PPid:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) || null;
}

function commandLineOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
