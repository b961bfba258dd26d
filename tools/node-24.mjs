// Finds or fetches Node 24. In: the caller's Node (18 or newer). Out: the path of a Node 24, and the environment for
// child processes. It never changes the caller's own Node or anything outside this repository. Plain JavaScript without
// dependencies, because it runs before anything is installed.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const repository = dirname(dirname(fileURLToPath(import.meta.url)));

const nodeFolder = join(repository, "tools", "node");
const pnpmFolder = join(repository, "tools", "pnpm");
export const pnpmScript = join(pnpmFolder, "node_modules", "pnpm", "bin", "pnpm.mjs");

/** A failure whose text is all that the user needs. */
export class SetupError extends Error {}

/** A progress line, on stderr, because the commands' stdout belongs to their result. */
export function say(text) {
  process.stderr.write(`${text}\n`);
}

/** The path of a Node 24 or newer; fetched from the npm registry into tools/node if the caller's is older. */
export async function findNode() {
  if (Number(process.versions.node.split(".")[0]) >= 24) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  const wanted = readJson(join(nodeFolder, "package.json")).optionalDependencies;
  if (!(name in wanted)) {
    throw new SetupError(
      `Plinth runs on Node 24 or newer; this is Node ${process.versions.node}.\n` +
        `For ${process.platform} on ${process.arch} it can't be fetched: please install Node 24 from nodejs.org.`,
    );
  }
  const folder = join(nodeFolder, "node_modules", name);
  const binary = join(folder, "bin", "node");
  if (!existsSync(binary) || readJson(join(folder, "package.json")).version !== wanted[name]) {
    await npmCi(nodeFolder, `Fetching Node ${wanted[name]} (yours is ${process.versions.node})`);
    if (!existsSync(binary)) throw new SetupError(`npm installed no ${name}: is optional=false set in your .npmrc?`);
  }
  return binary;
}

/** Fetches the pinned pnpm into tools/pnpm, if it is missing or has another version. */
export async function ensurePnpm() {
  const wanted = readJson(join(pnpmFolder, "package.json")).dependencies.pnpm;
  const manifest = join(pnpmFolder, "node_modules", "pnpm", "package.json");
  if (existsSync(manifest) && readJson(manifest).version === wanted) return;
  await npmCi(pnpmFolder, `Fetching pnpm ${wanted}`);
}

/**
 * The environment for our processes: the right Node and the pinned pnpm first on PATH, the system's certificates
 * trusted, and no settings of the npm that called us (they would reach every npm and pnpm below).
 */
export function environmentFor(node) {
  const environment = {};
  for (const [name, value] of Object.entries(process.env)) if (!/^npm_/i.test(name)) environment[name] = value;
  environment.NODE_USE_SYSTEM_CA = "1";
  // Halves the time that a process needs to load our sources.
  environment.NODE_COMPILE_CACHE ??= join(repository, "node_modules", ".cache", "compile");
  environment.PATH = [dirname(node), join(pnpmFolder, "node_modules", ".bin"), process.env.PATH ?? ""].join(delimiter);
  return environment;
}

/** Like `environmentFor`, but registry, proxy and cache settings stay: an installation needs them. */
export function installEnvironment(node) {
  const environment = environmentFor(node);
  for (const [name, value] of Object.entries(process.env)) {
    if (/^npm_config_(registry|userconfig|cache|cafile|proxy|https_proxy|noproxy)$/i.test(name)) {
      environment[name] = value;
    }
  }
  return environment;
}

/** Runs a command quietly, with a line if it takes long; throws with its whole output if it fails. */
export async function runQuietly(title, command, args, options) {
  const started = Date.now();
  say(`${title} ...`);
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const keep = (chunk) => {
    output += chunk;
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const ticker = setInterval(() => say(`  still at it, ${seconds(started)}`), 20_000);
  const stop = () => child.kill("SIGTERM");
  process.once("exit", stop);
  const code = await new Promise((resolve) => {
    child.once("error", (error) => {
      output += error.message;
      resolve(1);
    });
    child.once("close", resolve);
  });
  clearInterval(ticker);
  process.removeListener("exit", stop);
  if (code !== 0) throw new SetupError(`${title}: failed after ${seconds(started)}\n${output.trimEnd()}`);
  say(`  done in ${seconds(started)}`);
}

/**
 * Runs a command in the foreground and returns its exit code. Signals are passed on. If our parent ends (npm dies of a
 * SIGTERM without telling its child), the command is asked to stop.
 */
export function runInForeground(command, args, options) {
  const child = spawn(command, args, { ...options, stdio: "inherit" });
  // A terminal sends Ctrl-C to the child as well; sending it twice would mean "stop at once".
  process.on("SIGINT", () => {
    if (!process.stdin.isTTY) child.kill("SIGINT");
  });
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid !== parent) child.kill("SIGTERM");
  }, 200);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      clearInterval(watch);
      resolve(code ?? (signal === "SIGINT" ? 130 : 143));
    });
  });
}

/** Runs a task, and converts its failure to a message and an exit code. */
export async function exitWith(task) {
  try {
    process.exit(await task());
  } catch (error) {
    say(error instanceof SetupError ? error.message : String(error?.stack ?? error));
    process.exit(1);
  }
}

function npmCi(folder, title) {
  // Under `npm start` this is the npm that called us; otherwise the one on PATH.
  const script = process.env.npm_execpath;
  const [command, first] = script?.endsWith("npm-cli.js") ? [process.execPath, [script]] : ["npm", []];
  const args = [...first, "ci", "--ignore-scripts", "--no-audit", "--no-fund"];
  return runQuietly(title, command, args, { cwd: folder, env: installEnvironment(process.execPath) });
}

function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
