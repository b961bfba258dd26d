// In: a command. Out: its exit code and everything it wrote, in order. It never prints and never throws on a failure.
import { spawn } from "node:child_process";
import { join } from "node:path";

export interface CommandResult {
  readonly code: number;
  readonly output: string;
}

export const repository: string = join(import.meta.dirname, "..");

const running = new Set<ReturnType<typeof spawn>>();

/** Runs `node <script> <args>` in the repository, or in `cwd`. */
export function runNode(script: string, args: readonly string[], cwd: string = repository): Promise<CommandResult> {
  return run(process.execPath, [join(repository, script), ...args], cwd);
}

/** Runs a program of the workspace's node_modules/.bin. */
export function runTool(name: string, args: readonly string[], cwd: string = repository): Promise<CommandResult> {
  return run(join(repository, "node_modules", ".bin", name), args, cwd);
}

/** Ends what still runs, so that an interrupted check leaves nothing behind. */
export function endRunningCommands(): void {
  for (const child of running) child.kill("SIGTERM");
}

function run(command: string, args: readonly string[], cwd: string): Promise<CommandResult> {
  const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" };
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  let output = "";
  const keep = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: 1, output: `${output}${error.message}\n` }));
    child.once("close", (code) => {
      running.delete(child);
      resolve({ code: code ?? 1, output });
    });
  });
}
