// Measures the memory of end-user sign-in for many projects in one process: our modules compared with one better-auth
// instance per project. In: nothing (it starts an embedded Postgres in a temporary folder). Out: two lines of results,
// for docs/decisions/0003. Run by hand: node scripts/measure-end-user-auth.ts [projects]. It only uses a database that
// it started itself.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Api, openApi } from "../apps/runtime/src/modes/open-api.ts";
import { type Cell, openCell } from "../apps/runtime/src/modes/open-cell.ts";
import { openReleases, type Releases } from "../apps/runtime/src/modes/open-releases.ts";
import { createCursorCodec } from "../apps/runtime/src/query/cursor.ts";
import { provisionProject } from "../apps/runtime/src/release/provision.ts";
import { type PublicationReader, readPublication } from "../apps/runtime/src/release/read-publication.ts";
import { receiveRelease } from "../apps/runtime/src/release/receive.ts";
import { checkBlueprint } from "../packages/blueprint/src/index.ts";
import {
  defaultLimitsMax,
  hashApiKey,
  hashOf,
  newApiKey,
  newControlKeys,
  newId,
  type ProjectId,
  readControlPublicKeys,
  readControlSigner,
  signApproval,
} from "../packages/bundle/src/index.ts";
import { compileModel, planMigration } from "../packages/compiler/src/index.ts";
import { startEmbeddedPostgres } from "../packages/postgres/src/embedded.ts";
import { createLogger } from "../packages/service/src/index.ts";

const logger = createLogger({ name: "measure", level: "warn" });
const kek = Buffer.alloc(32, 7);
const secret = "only for this measurement, on this machine";
const password = "correct horse battery";
const controlKeys = newControlKeys();
const signer = readControlSigner(controlKeys.privateKey);
const trust = { cellId: "measured", controlKeys: readControlPublicKeys(controlKeys.publicKey), secret };
const cursors = createCursorCodec(secret);

// Only control depends on better-auth.
const control = createRequire(new URL("../apps/control/package.json", import.meta.url));
const load = (name: string): Promise<Record<string, never>> => import(pathToFileURL(control.resolve(name)).href);

async function settledMb(): Promise<{ heap: number; rss: number }> {
  for (let i = 0; i < 4; i++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: (heapUsed + external) / 2 ** 20, rss: rss / 2 ** 20 };
}

function report(
  name: string,
  projects: number,
  before: { heap: number; rss: number },
  after: { heap: number; rss: number },
): void {
  const heap = after.heap - before.heap;
  const rss = after.rss - before.rss;
  const each = (heap * 1024) / projects;
  process.stdout.write(
    `${name.padEnd(34)} ${projects} projects: heap +${heap.toFixed(1)} MB, rss +${rss.toFixed(1)} MB; ` +
      `${each.toFixed(1)} kB of heap a project, ${((each * 5000) / 1024).toFixed(0)} MB at 5,000\n`,
  );
}

async function open(databaseUrl: string): Promise<Cell & Api & Releases> {
  const cell = await openCell({
    databaseUrl,
    limitsMax: defaultLimitsMax,
    cacheBytesMax: 128 * 1024 * 1024,
    logger,
  });
  return { ...cell, ...openApi(cell, { kek, publicUrl: "http://127.0.0.1:4000" }), ...openReleases(cell) };
}

/** A project with only the module auth, and a key for it. */
async function prepareOurs(databaseUrl: string, projects: number): Promise<readonly string[]> {
  const { model } = checkBlueprint(
    "project: empty\nmodules: [auth, users]\nentities:\n  note:\n    fields:\n      title: string\n",
  );
  if (model === null) throw new Error("the blueprint of the measurement has a mistake");
  const bundle = compileModel(model);
  const { plan } = planMigration({
    before: null,
    after: bundle.tables,
    renames: { tables: {}, columns: {} },
    setAside: [],
    tag: "measure",
  });
  const cell = await open(databaseUrl);
  const keys: string[] = [];
  for (let i = 0; i < projects; i++) {
    const projectId: ProjectId = newId("prj");
    await provisionProject(cell, projectId, `measured-${i}`);
    const releaseId = newId("rel");
    const approval = signApproval(
      {
        cell: "measured",
        name: `measured-${i}`,
        projectId,
        releaseId,
        baseHash: null,
        bundleHash: hashOf(bundle),
        planHash: hashOf(plan),
        consents: [],
        approvedBy: "measure",
        approvedAt: new Date().toISOString(),
      },
      signer,
      Date.now(),
    );
    const publication = { projectId, releaseId, bundle, plan, approval };
    const read: PublicationReader = async (bytes) => readPublication(bytes);
    await receiveRelease({ ...trust, pool: cell.pool, read }, projectId, Buffer.from(JSON.stringify(publication)));
    cell.migrator.start(releaseId);
    await cell.migrator.idle();
    const key = newApiKey("publishable");
    const hash = hashApiKey(key);
    await cell.keys.put({
      keyId: newId("key"),
      projectId,
      hash,
      kind: "publishable",
      role: null,
      name: "",
      expiresAt: null,
    });
    keys.push(key);
  }
  await cell.close();
  return keys;
}

/** The memory that one sign-in in each project uses, in addition to the releases. */
async function measureOurs(databaseUrl: string, keys: readonly string[]): Promise<void> {
  const cell = await open(databaseUrl);
  const handle = async (
    key: string,
    at: number,
    path: string,
    body: object | null,
    token?: string,
  ): Promise<string> => {
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      ...(token === undefined ? {} : { "plinth-user-token": token }),
    };
    const ip = `10.0.${at >> 8}.${at & 255}`;
    const caller = await cell.authenticator.authenticate(headers, { ip });
    const release = await cell.registry.get(caller.projectId);
    const method = body === null ? "GET" : "POST";
    const match = release === null ? null : cell.modules.match(method, path, release);
    if (release === null || match === null) throw new Error("nothing is deployed");
    const incoming = { id: "m", method, path, query: "", headers, body: body && Buffer.from(JSON.stringify(body)), ip };
    const reply = await match.answer({
      ...caller,
      incoming,
      release,
      organization: null,
      tenant: cell.scopeOf(caller.projectId),
      cursors,
      inner: { serve: () => Promise.reject(new Error("it is made of no others")), spend: () => ({}) },
    });
    return typeof reply.body === "string" ? reply.body : "";
  };
  const signIn = async (key: string, at: number): Promise<void> => {
    const body = { email: "ana@example.com", password };
    const signedUp = JSON.parse(await handle(key, at, "/v1/auth/sign-up", body));
    await handle(key, at, "/v1/users/me", null, signedUp.data.access_token);
  };
  const [first = "", ...rest] = keys;
  await signIn(first, 0);
  for (const key of rest) {
    const caller = await cell.authenticator.authenticate({ authorization: `Bearer ${key}` }, { ip: "10.9.9.9" });
    await cell.registry.get(caller.projectId);
  }
  const before = await settledMb();
  for (const [at, key] of rest.entries()) await signIn(key, at + 1);
  report("own modules (jose, argon2)", rest.length, before, await settledMb());
  await cell.close();
}

async function measureBetterAuth(databaseUrl: string, projects: number): Promise<void> {
  const { betterAuth } = (await load("better-auth")) as unknown as { betterAuth: (options: object) => BetterAuth };
  const { jwt } = (await load("better-auth/plugins")) as unknown as { jwt: () => object };
  const { getMigrations } = (await load("better-auth/db/migration")) as unknown as {
    getMigrations: (options: object) => Promise<{ runMigrations: () => Promise<void> }>;
  };
  const { Kysely, PostgresDialect } = (await load("kysely")) as unknown as {
    Kysely: new (options: object) => { destroy: () => Promise<void>; withSchema: (schema: string) => object };
    PostgresDialect: new (options: object) => object;
  };
  const { default: pg } = (await load("pg")) as unknown as { default: { Pool: new (options: object) => object } };
  const db = new Kysely({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: databaseUrl, max: 5 }) }),
  });
  const optionsOf = (at: number): object => ({
    // One pool for all, with a schema-bound view of it for each project, as in a cell.
    database: { db: db.withSchema("public"), type: "postgres" },
    secret: "one secret, since the projects of this measurement share one table of keys",
    baseURL: `http://127.0.0.1:4000/p/${at}`,
    emailAndPassword: { enabled: true, password: { hash: async (text: string) => text, verify: async () => true } },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
    plugins: [jwt()],
  });
  await (await getMigrations({ ...optionsOf(0), database: { db, type: "postgres" } })).runMigrations();
  const instances: BetterAuth[] = [];
  const signIn = async (at: number): Promise<void> => {
    const auth = betterAuth(optionsOf(at));
    instances.push(auth);
    const body = { email: `ana-${at}@example.com`, password, name: "Ana" };
    const { headers } = await auth.api.signUpEmail({ body, returnHeaders: true });
    const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
    await auth.api.getSession({ headers: new Headers({ cookie }) });
  };
  await signIn(0);
  const before = await settledMb();
  for (let at = 1; at <= projects; at++) await signIn(at);
  report("better-auth, an instance a project", projects, before, await settledMb());
  if (instances.length !== projects + 1) throw new Error("an instance is missing");
  await db.destroy();
}

interface BetterAuth {
  readonly api: {
    signUpEmail(call: object): Promise<{ headers: Headers }>;
    getSession(call: object): Promise<unknown>;
  };
}

/** Each side runs in a separate process, so that neither pays for the other's code. */
function inChild(...args: string[]): void {
  const child = spawnSync(process.execPath, ["--expose-gc", fileURLToPath(import.meta.url), ...args], {
    stdio: "inherit",
  });
  if (child.status !== 0) throw new Error(`the measurement failed: ${args[0]}`);
}

async function main(): Promise<void> {
  const [mode = "200", url = "", rest = ""] = process.argv.slice(2);
  if (mode === "ours") return measureOurs(url, rest.split(","));
  if (mode === "better-auth") return measureBetterAuth(url, Number(rest));
  const projects = Number(mode);
  const home = mkdtempSync(join(tmpdir(), "plinth-measure-"));
  const server = await startEmbeddedPostgres({ home, logger });
  try {
    const keys = await prepareOurs(server.urls.cell, projects + 1);
    inChild("ours", server.urls.cell, keys.join(","));
    inChild("better-auth", server.urls.control, String(projects));
  } finally {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

await main();
