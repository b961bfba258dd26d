// A whole installation with each part in a separate process: control, and a cell as `web`, `worker`, `scheduler` and
// `webhook`, on a real Postgres. In: nothing. Out: the addresses of the parts, and projects that are deployed through
// the control API, as its clients do it.
import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { newControlKeys } from "@plinth/bundle";
import { leanNodeFlags } from "@plinth/service";
import { createTestDatabase, freePort, startProcess, type TestProcess } from "@plinth/testkit";
import { until } from "./published-cell.ts";
import { answers } from "./stack.ts";

const root = resolve(import.meta.dirname, "..");
const modes = ["web", "worker", "scheduler", "webhook"] as const;
export type Mode = (typeof modes)[number];

export interface DeployedProject {
  readonly id: string;
  readonly keys: { readonly secret: string; readonly publishable: string };
  /** Control's diagnostics about the blueprint that don't refuse it. */
  readonly warnings: readonly string[];
}

export interface Installation {
  readonly apiUrl: string;
  /** The address of the mode `webhook`, which receives inbound webhooks. */
  readonly hooksUrl: string;
  /** @throws Error if control or the cell refuses. */
  readonly deploy: (slug: string, text: string) => Promise<DeployedProject>;
  readonly kill: (mode: Mode) => Promise<void>;
  readonly start: (mode: Mode) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export async function startInstallation(): Promise<Installation> {
  const [controlDatabase, cellDatabase] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const ports = await Promise.all(Array.from({ length: 6 }, freePort));
  const [api = 0, internal = 0, control = 0, hooks = 0, workerHealth = 0, schedulerHealth = 0] = ports;
  const url = (port: number): string => `http://127.0.0.1:${port}`;
  const secret = (): string => randomBytes(32).toString("hex");
  const keys = newControlKeys();
  const common = {
    PLINTH_CELL_SECRET: secret(),
    PLINTH_PUBLIC_API_URL: url(api),
    PLINTH_LOG_LEVEL: "warn",
  };
  const runtime = {
    ...common,
    CELL_DATABASE_URL: cellDatabase.url,
    PLINTH_API_PORT: String(api),
    PLINTH_INTERNAL_PORT: String(internal),
    PLINTH_WEBHOOK_PORT: String(hooks),
    PLINTH_CONTROL_PUBLIC_KEYS: keys.publicKey,
    PLINTH_KEK: randomBytes(32).toString("base64"),
    PLINTH_OUTBOUND_ALLOW: "127.0.0.1",
  };
  const running = new Map<string, TestProcess>();
  const run = async (name: string, entry: string[], env: Readonly<Record<string, string>>, ready: string) => {
    const args = entry.map((part) => (part.endsWith(".ts") ? join(root, part) : part));
    running.set(name, await startProcess({ command: process.execPath, args, env }));
    await answers(ready, 60);
  };
  const start = async (mode: Mode): Promise<void> => {
    const health = mode === "scheduler" ? schedulerHealth : workerHealth;
    const ready = mode === "web" ? api : mode === "webhook" ? hooks : health;
    const env = { ...runtime, PLINTH_HEALTH_PORT: String(health) };
    await run(mode, [...leanNodeFlags, "apps/runtime/src/main.ts", mode], env, `${url(ready)}/readyz`);
  };
  const stop = async (): Promise<void> => {
    await Promise.all([...running.values()].map((each) => each.stop()));
    await Promise.all([controlDatabase.drop(), cellDatabase.drop()]);
  };
  const consoleUrl = "http://127.0.0.1:3000";
  try {
    const env = {
      ...common,
      CONTROL_DATABASE_URL: controlDatabase.url,
      PLINTH_CONTROL_PORT: String(control),
      PLINTH_CONTROL_URL: url(control),
      PLINTH_CONSOLE_URL: consoleUrl,
      PLINTH_CELL_URL: url(internal),
      PLINTH_SIGNING_KEY: keys.privateKey,
      PLINTH_AUTH_SECRET: secret(),
      PLINTH_CONSOLE_SECRET: secret(),
    };
    // The first process of a cell creates its tables.
    await Promise.all([run("control", ["apps/control/src/main.ts"], env, `${url(control)}/readyz`), start("web")]);
    await Promise.all(modes.filter((mode) => mode !== "web").map(start));
    const ask = await signUpPerson(url(control), consoleUrl);
    return {
      apiUrl: url(api),
      hooksUrl: url(hooks),
      deploy: (slug, text) => deploy(ask, slug, text),
      kill: async (mode) => void (await running.get(mode)?.stop("SIGKILL")),
      start,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Calls a procedure of the control API. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
type Ask = (how: "query" | "mutation", procedure: string, input?: object) => Promise<any>;

async function signUpPerson(controlUrl: string, origin: string): Promise<Ask> {
  const json = { "content-type": "application/json", origin };
  const person = { name: "Olga", email: "olga@example.com", password: "correct horse battery staple" };
  const signedUp = await fetch(`${controlUrl}/auth/sign-up/email`, {
    method: "POST",
    headers: json,
    body: JSON.stringify(person),
  });
  if (!signedUp.ok) throw new Error(`sign-up: ${signedUp.status} ${await signedUp.text()}`);
  const cookie = signedUp.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
  return async (how, procedure, input = {}) => {
    const text = JSON.stringify(input);
    const path = `${controlUrl}/trpc/${procedure}`;
    const reply = await (how === "query"
      ? fetch(`${path}?input=${encodeURIComponent(text)}`, { headers: { cookie, origin } })
      : fetch(path, { method: "POST", headers: { ...json, cookie }, body: text }));
    const { result, error } = await reply.json();
    if (error !== undefined) throw new Error(`${procedure}: ${JSON.stringify(error)}`);
    return result.data;
  };
}

async function deploy(ask: Ask, slug: string, text: string): Promise<DeployedProject> {
  const { organizations } = await ask("query", "me.get");
  const { id: projectId } = await ask("mutation", "projects.create", { organizationId: organizations[0].id, slug });
  const {
    id: proposalId,
    hash,
    consents,
    diagnostics,
  } = await ask("mutation", "proposals.create", { projectId, text });
  await ask("mutation", "proposals.approve", { proposalId, hash, consents });
  const { deploymentId } = await ask("mutation", "deployments.create", { proposalId });
  await until(async () => {
    const { status, error, finishedAt } = await ask("query", "deployments.get", { deploymentId });
    if (status === "failed" || error !== null) throw new Error(`${slug}: ${error}`);
    return status === "active" && finishedAt !== null;
  }, 60);
  const keyOf = async (kind: string): Promise<string> =>
    (await ask("mutation", "keys.create", { projectId, name: kind, kind })).key;
  const keys = { secret: await keyOf("secret"), publishable: await keyOf("publishable") };
  return { id: projectId, keys, warnings: diagnostics.map((each: { readonly message: string }) => each.message) };
}
