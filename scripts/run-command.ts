// In: a command. Out: its exit code and everything it wrote, in order. It never prints and never throws on a failure.
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";

export interface CommandResult {
  readonly code: number;
  readonly output: string;
}

export const repository: string = join(import.meta.dirname, "..");

const running = new Set<ChildProcess>();

/** Nothing takes this long unless it hangs; the other parts must still run. A long run has longer tests. */
const runMsMax = (process.argv[2] === "long" ? 80 : 30) * 60_000;

/** Runs `node <script> <args>` in the repository, or in `cwd`. */
export function runNode(script: string, args: readonly string[], cwd: string = repository): Promise<CommandResult> {
  return run(process.execPath, [join(repository, script), ...args], cwd);
}

/** Runs a program from a folder's node_modules/.bin in that folder; the default is the repository's. */
export function runTool(name: string, args: readonly string[], folder: string = repository): Promise<CommandResult> {
  return run(join(folder, "node_modules", ".bin", name), args, folder);
}

/** Ends all running commands, so that an interrupted check leaves nothing behind. */
export function endRunningCommands(): void {
  for (const child of running) signal(child, "SIGTERM");
}

/** To the whole group, because a worker in an endless loop does not notice that its parent has ended. */
function signal(child: ChildProcess, name: "SIGTERM" | "SIGKILL"): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, name);
  } catch {
    // It has just ended.
  }
}

function run(command: string, args: readonly string[], cwd: string): Promise<CommandResult> {
  const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" };
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  running.add(child);
  let output = "";
  const keep = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const limit = setTimeout(() => {
    output += `\nended by force after ${runMsMax / 60_000} minutes\n`;
    signal(child, "SIGTERM");
    setTimeout(() => signal(child, "SIGKILL"), 5000).unref();
  }, runMsMax);
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: 1, output: `${output}${error.message}\n` }));
    child.once("close", (code) => {
      clearTimeout(limit);
      running.delete(child);
      resolve({ code: code ?? 1, output });
    });
  });
}
