// Starts one of our programs under test. In: command, arguments, environment. Out: the running process and its output.
// It never leaves it running: a process that a test forgot to stop is killed with the test's process.
import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";

export type ProcessOptions = {
  readonly command: string;
  readonly args: readonly string[];
  /** In addition to the caller's own environment; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Output of either stream that shows that it is ready. Absent: it is ready when it runs. */
  readonly readyPattern?: RegExp;
  /** Default 30000. */
  readonly readyMsMax?: number;
};

export type TestProcess = {
  readonly pid: number;
  /** What readyPattern matched. */
  readonly ready: RegExpMatchArray | null;
  /** Both streams so far, in order of arrival. */
  output(): string;
  stdout(): string;
  /** Resolves with the exit code, or with the signal's name. */
  readonly exited: Promise<number | string>;
  /** Resolves when the output matches (also what came before). */
  waitFor(pattern: RegExp, msMax?: number): Promise<RegExpMatchArray>;
  /** SIGTERM, and SIGKILL if it still runs after the time. Idempotent. */
  stop(signal?: NodeJS.Signals, msMax?: number): Promise<number | string>;
};

const living = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of living) child.kill("SIGKILL");
});

export async function startProcess(options: ProcessOptions): Promise<TestProcess> {
  const env: NodeJS.ProcessEnv = { ...process.env };
  // The test runner's own settings are not for the program under test.
  for (const name of Object.keys(env)) if (/^(VITEST|NODE_ENV$|NODE_OPTIONS$)/.test(name)) delete env[name];
  for (const [name, value] of Object.entries(options.env ?? {})) {
    if (value === undefined) delete env[name];
    else env[name] = value;
  }
  const child = spawn(options.command, options.args, {
    env,
    stdio: ["ignore", "pipe", "pipe"],
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  living.add(child);
  let all = "";
  let stdout = "";
  const watchers = new Set<() => void>();
  const read = (chunk: string): void => {
    all += chunk;
    for (const watcher of watchers) watcher();
  };
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
    read(chunk);
  });
  child.stderr.setEncoding("utf8").on("data", read);
  const exited = new Promise<number | string>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      living.delete(child);
      resolve(code ?? signal ?? "unknown");
    });
  });
  exited.catch(() => living.delete(child));

  const waitFor = (pattern: RegExp, msMax = 30_000): Promise<RegExpMatchArray> =>
    new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        clearTimeout(timer);
        watchers.delete(look);
        act();
      };
      const look = (): void => {
        const match = all.match(pattern);
        if (match !== null) settle(() => resolve(match));
      };
      const fail = (why: string): void =>
        settle(() => reject(new Error(`${options.command} ${options.args.join(" ")}: ${why}\n${all.slice(-4_000)}`)));
      const timer = setTimeout(() => fail(`no ${pattern} within ${msMax} ms`), msMax);
      watchers.add(look);
      look();
      exited.then(
        (code) => fail(`exited (${code}) before ${pattern}`),
        (error: unknown) => fail(String(error)),
      );
    });

  const stop = async (signal: NodeJS.Signals = "SIGTERM", msMax = 16_000): Promise<number | string> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    const timer = setTimeout(() => child.kill("SIGKILL"), msMax);
    try {
      return await exited;
    } finally {
      clearTimeout(timer);
    }
  };

  let ready: RegExpMatchArray | null = null;
  if (options.readyPattern !== undefined) {
    try {
      ready = await waitFor(options.readyPattern, options.readyMsMax);
    } catch (error) {
      await stop("SIGKILL").catch(() => {});
      throw error;
    }
  }
  return { pid: child.pid ?? -1, ready, output: () => all, stdout: () => stdout, exited, waitFor, stop };
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
