// An app that uses the SDK, outside the workspace: the packed SDK, installed by npm, with its usual packages in one
// flat folder, as npm installs them. Out: the app's folder, and the compiler's output for its sources.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { packSdk } from "../scripts/sdk-package.ts";

const run = promisify(execFile);
const installed = resolve(import.meta.dirname, "node_modules");

export interface SdkApp {
  readonly folder: string;
  /** Compiles its sources to `dist`, with only the given options. @throws Error with the compiler's output. */
  readonly compile: (typescript: "6" | "7", options?: Readonly<Record<string, unknown>>) => Promise<void>;
  readonly remove: () => void;
}

export async function makeSdkApp(type: "module" | "commonjs"): Promise<SdkApp> {
  const folder = mkdtempSync(join(tmpdir(), "plinth-sdk-app-"));
  await packSdk(join(folder, "plinth-sdk.tgz"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "app", version: "1.0.0", type }));
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", "./plinth-sdk.tgz"], { cwd: folder });
  for (const name of ["@tanstack/react-query", "@types/react", "react"]) install(folder, join(installed, name), name);
  writeSources(folder);
  return {
    folder,
    compile: async (typescript, options = {}) => {
      const compilerOptions = { module: "NodeNext", strict: true, skipLibCheck: false, rootDir: "src", outDir: "dist" };
      const config = { compilerOptions: { ...compilerOptions, jsx: "react-jsx", ...options }, include: ["src"] };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
      const at = typescript === "7" ? resolve(import.meta.dirname, "../node_modules") : installed;
      const compiler = join(at, "typescript/bin/tsc");
      await run(process.execPath, [compiler, "-p", folder, "--pretty", "false"]).catch(({ stdout }) => {
        throw new Error(stdout);
      });
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** With its own dependencies, which pnpm stores next to it. */
function install(folder: string, link: string, name: string): void {
  const from = realpathSync(link);
  const to = join(folder, "node_modules", name);
  cpSync(from, to, { recursive: true, dereference: true });
  const { dependencies = {} } = JSON.parse(readFileSync(join(to, "package.json"), "utf8")) as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
  const beside = name.startsWith("@") ? dirname(dirname(from)) : dirname(from);
  for (const each of Object.keys(dependencies)) install(folder, join(beside, each), each);
}

/** The tour, which uses everything that a browser can use, and a module for each other entry. */
function writeSources(folder: string): void {
  mkdirSync(join(folder, "src"));
  // An app that compiles to JavaScript imports files by their compiled names.
  const source = (name: string): string =>
    readFileSync(resolve(import.meta.dirname, name), "utf8").replaceAll(/(from "\.\/[^"]+)\.ts"/g, '$1.js"');
  for (const name of ["sdk-tour.ts", "sdk-types.gen.ts"]) writeFileSync(join(folder, "src", name), source(name));
  writeFileSync(join(folder, "src/hooks.tsx"), hooks);
  writeFileSync(join(folder, "src/inbound.ts"), inbound);
}

const hooks = `import { type Client, Conflict } from "@plinth/sdk";
import { createHooks } from "@plinth/sdk/react";
import type { TodoDesk } from "./sdk-types.gen.js";

export function tasksOf(db: Client<TodoDesk>) {
  const { useCreate, useFindMany, useLive } = createHooks(db);
  return function Tasks() {
    const open = useFindMany("task", { where: { status: "open" }, sort: "-rank", expand: { board: { fields: ["name"] } } });
    const live = useLive("task", { where: { status: "open" } });
    const create = useCreate("task");
    // @ts-expect-error: there is no such status.
    useFindMany("task", { where: { status: "closed" } });
    if (create.error instanceof Conflict) return <p>{create.error.errors.map(({ path }) => path).join()}</p>;
    return <ul>{open.data?.map(({ id, board }) => <li key={id}>{board?.name} {live.records.length}</li>)}</ul>;
  };
}
`;

const inbound = `import { createInbound, type InboundSource } from "@plinth/sdk/inbound";

export function sourcesOf(apiKey: string, baseUrl: string): Promise<readonly InboundSource[]> {
  return createInbound({ project: "todo-desk", apiKey, baseUrl }).sources();
}
`;
