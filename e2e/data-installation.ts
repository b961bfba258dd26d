// Control and a cell on a real Postgres, with a home for the command line, for tests without the console. In: nothing.
// Out: commands, projects, and the cell's process, which can be killed and restarted.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { newControlKeys } from "@plinth/bundle";
import { leanNodeFlags } from "@plinth/service";
import { createTestDatabase, freePort, startProcess, type TestProcess } from "@plinth/testkit";
import pg from "pg";
import { deploy } from "../apps/cli/src/local/deploy.ts";
import { openControl } from "../apps/cli/src/local/open-control.ts";
import { readLocalSettings } from "../apps/cli/src/local/settings.ts";
import { answers } from "./stack.ts";

const root = resolve(import.meta.dirname, "..");

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface DataInstallation {
  readonly apiUrl: string;
  /** The folder where commands run and write their files. */
  readonly home: string;
  /** The process id of a part. */
  readonly pidOf: (part: "cell" | "control") => number;
  /** The cell's database, as its owner. */
  readonly cellPool: pg.Pool;
  readonly controlPool: pg.Pool;
  /** Runs `plinth` with these arguments. */
  readonly plinth: (...words: readonly string[]) => Promise<Ended>;
  /** The same, still running. */
  readonly start: (...words: readonly string[]) => ChildProcess;
  /** Out: the project's schema in the cell. */
  readonly deploy: (
    slug: string,
    text: string,
  ) => Promise<{ readonly id: string; readonly schema: string; readonly key: string }>;
  /** The logs of control and the cell. */
  readonly output: () => string;
  /** A file in the home, where commands run. */
  readonly read: (file: string) => Promise<string>;
  /** A report in the home: entity, key, field and code of each line. */
  readonly refusals: (file: string) => Promise<readonly (readonly string[])[]>;
  readonly killCell: () => Promise<void>;
  readonly startCell: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** The databases of control and the cell, with their own roles and as an administrator. */
export interface Databases {
  readonly control: Database;
  readonly cell: Database;
}

type Database = { readonly url: string; readonly adminUrl: string; readonly drop?: () => Promise<void> };

async function createTestDatabases(): Promise<Databases> {
  const [control, cell] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  return { control, cell };
}

export async function startDataInstallation(databases?: Databases): Promise<DataInstallation> {
  const { control: controlDatabase, cell: cellDatabase } = databases ?? (await createTestDatabases());
  const home = mkdtempSync(join(tmpdir(), "plinth-data-"));
  const [api = 0, internal = 0, control = 0, console = 0] = await Promise.all(Array.from({ length: 4 }, freePort));
  const url = (port: number): string => `http://127.0.0.1:${port}`;
  const secret = (): string => randomBytes(32).toString("hex");
  const keys = newControlKeys();
  const common = { PLINTH_CELL_SECRET: secret(), PLINTH_PUBLIC_API_URL: url(api), PLINTH_LOG_LEVEL: "warn" };
  const cellEnv = {
    ...common,
    CELL_DATABASE_URL: cellDatabase.url,
    PLINTH_API_PORT: String(api),
    PLINTH_INTERNAL_PORT: String(internal),
    PLINTH_CONTROL_PUBLIC_KEYS: keys.publicKey,
    PLINTH_KEK: randomBytes(32).toString("base64"),
  };
  const running = new Map<string, TestProcess>();
  const run = async (name: string, args: string[], env: Readonly<Record<string, string>>, ready: string) => {
    running.set(name, await startProcess({ command: process.execPath, args, env }));
    await answers(`${ready}/readyz`, 60);
  };
  const startCell = (): Promise<void> =>
    run("cell", [...leanNodeFlags, join(root, "apps/runtime/src/main.ts"), "web"], cellEnv, url(api));
  await Promise.all([
    startCell(),
    run(
      "control",
      [join(root, "apps/control/src/main.ts")],
      {
        ...common,
        CONTROL_DATABASE_URL: controlDatabase.url,
        PLINTH_CONTROL_PORT: String(control),
        PLINTH_CONTROL_URL: url(control),
        PLINTH_CONSOLE_URL: url(console),
        PLINTH_CELL_URL: url(internal),
        PLINTH_SIGNING_KEY: keys.privateKey,
        PLINTH_AUTH_SECRET: secret(),
        PLINTH_CONSOLE_SECRET: secret(),
      },
      url(control),
    ),
  ]);
  const env = {
    PATH: process.env["PATH"],
    HOME: process.env["HOME"],
    PLINTH_HOME: home,
    PLINTH_API_PORT: String(api),
    PLINTH_INTERNAL_PORT: String(internal),
    PLINTH_CONTROL_PORT: String(control),
    PLINTH_CONSOLE_PORT: String(console),
  };
  const cli = join(root, "apps/cli/bin.mjs");
  const main = join(root, "apps/cli/src/main.ts");
  const pools = [cellDatabase, controlDatabase].map(
    ({ adminUrl }) => new pg.Pool({ connectionString: adminUrl, max: 2 }),
  );
  for (const pool of pools) pool.on("error", () => {});
  const [cellPool, controlPool] = pools as [pg.Pool, pg.Pool];
  return {
    apiUrl: url(api),
    home,
    pidOf: (part) => running.get(part)?.pid ?? 0,
    cellPool,
    controlPool,
    plinth: (...words) =>
      new Promise((done) => {
        execFile(
          process.execPath,
          [cli, ...words],
          { env, cwd: home, maxBuffer: 64 * 1024 * 1024 },
          (error, stdout, stderr) => done({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
        );
      }),
    // Not through `bin.mjs`: a killed wrapper would leave the command running.
    start: (...words) =>
      spawn(process.execPath, [main, ...words], { env, cwd: home, stdio: ["ignore", "pipe", "pipe"] }),
    deploy: (slug, text) =>
      openControl(readLocalSettings(env), async (client) => {
        const { organizations } = await client.me.get.query();
        const organizationId = organizations[0]?.id ?? "";
        const { id } = await client.projects.create.mutate({ organizationId, slug });
        const deployed = await deploy(client, id, text);
        if (deployed.kind !== "deployed") throw new Error(`${slug}: ${JSON.stringify(deployed)}`);
        const { key } = await client.keys.create.mutate({ projectId: id, name: "test", kind: "secret", role: "admin" });
        return { id, schema: `t_${id.slice("prj_".length)}`, key };
      }),
    output: () => [...running.values()].map((each) => each.output()).join("\n"),
    read: (file) => readFile(join(home, file), "utf8"),
    refusals: async (file) =>
      (await readFile(join(home, file), "utf8"))
        .trim()
        .split("\n")
        .map((line) => {
          const { entity, key, field, code } = JSON.parse(line);
          return [entity, key, field, code];
        }),
    killCell: async () => void (await running.get("cell")?.stop("SIGKILL")),
    startCell,
    stop: async () => {
      await Promise.all([...running.values()].map((each) => each.stop()));
      await Promise.all(pools.map((pool) => pool.end()));
      await Promise.all([controlDatabase.drop?.(), cellDatabase.drop?.()]);
      rmSync(home, { recursive: true, force: true });
    },
  };
}
