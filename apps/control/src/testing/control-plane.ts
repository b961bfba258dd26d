// A control plane under test, with its cell. In: nothing. Out: its URL, people with cookies, clients. For tests only. Everything
// in it is real: two databases, the runtime as its own process, HTTP between them.
import { randomBytes } from "node:crypto";
import { newControlKeys } from "@plinth/bundle";
import { createLogger } from "@plinth/service";
import { createTestDatabase, freePort, startProcess, type TestProcess } from "@plinth/testkit";
import { createTRPCClient, httpLink, type TRPCClient, TRPCClientError } from "@trpc/client";
import pg from "pg";
import type { AppRouter, MemberRole, MemberScope } from "../api.ts";
import { type Config, controlConfig } from "../config.ts";
import type { Proposal } from "../proposals/api.ts";
import { type Control, startControl } from "../server.ts";
import { controlTemplate } from "./control-template.ts";

export const CONSOLE = "http://localhost:3000";
export const PASSWORD = "correct horse battery";

export interface Somebody {
  readonly email: string;
  readonly cookie: string;
  readonly client: TRPCClient<AppRouter>;
  /** The organization that the person got at sign-up. */
  readonly organizationId: string;
}

/** An invitation whose link the inviter gets, because no mail server is set. */
export function shown<Created extends { readonly token: string | null }>(
  created: Created,
): Created & { token: string } {
  if (created.token === null) throw new Error("the link was mailed");
  return { ...created, token: created.token };
}

/** A program that acts for somebody, with a token for programs. */
export async function programOf(world: World, somebody: Somebody): Promise<TRPCClient<AppRouter>> {
  const { token } = await somebody.client.tokens.create.mutate({ name: "program", days: 1, kind: "program" });
  return world.client(null, { authorization: `Bearer ${token}` });
}

/** Invites somebody, who accepts. */
export async function join(
  owner: Somebody,
  invited: Somebody,
  organizationId: string,
  role: MemberRole,
  scope: MemberScope = { kind: "organization" },
): Promise<void> {
  const invitation = { organizationId, email: invited.email, role, scope };
  const { token } = shown(await owner.client.invitations.create.mutate(invitation));
  await invited.client.invitations.accept.mutate({ token });
}

/** Sends requests about records to a project's public API, with a secret key of its own. */
export async function recordRequests(
  world: World,
  owner: Somebody,
  projectId: string,
): Promise<(method: string, path: string, body?: unknown) => Promise<Response>> {
  const { key } = await owner.client.keys.create.mutate({ projectId, name: "test", kind: "secret" });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return (method, path, body) =>
    fetch(`${world.apiUrl}/v1/resources/${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
}

export interface World {
  readonly url: string;
  readonly config: Config;
  readonly pool: pg.Pool;
  /** The cell's database, as the user who owns it. */
  readonly cellPool: pg.Pool;
  /** The cell's public API. */
  readonly apiUrl: string;
  readonly nobody: TRPCClient<AppRouter>;
  /** With a new address, unless one is named. */
  signUp(name: string, address?: string): Promise<Somebody>;
  client(cookie: string | null, headers?: Record<string, string>): TRPCClient<AppRouter>;
  restartControl(): Promise<void>;
  stopCell(): Promise<void>;
  startCell(): Promise<void>;
  stop(): Promise<void>;
}

export async function createWorld(options: {
  readonly cell: boolean;
  /** Variables of an operator, such as PLINTH_MAX_PAGE. */
  readonly env?: Readonly<Record<string, string>>;
}): Promise<World> {
  const [controlDatabase, cellDatabase] = await Promise.all([
    createTestDatabase(controlTemplate),
    createTestDatabase(),
  ]);
  const [apiPort, internalPort] = [await freePort(), await freePort()];
  const cellSecret = randomBytes(24).toString("hex");
  const keys = newControlKeys();
  const cellEnv = {
    PLINTH_CELL_ID: "test",
    PLINTH_CONTROL_PUBLIC_KEYS: keys.publicKey,
    CELL_DATABASE_URL: cellDatabase.url,
    PLINTH_API_PORT: String(apiPort),
    PLINTH_API_HOST: "127.0.0.1",
    PLINTH_INTERNAL_PORT: String(internalPort),
    PLINTH_CELL_SECRET: cellSecret,
    PLINTH_KEK: randomBytes(32).toString("base64"),
    PLINTH_PARENT_PID: String(process.pid),
    PLINTH_LOG_LEVEL: "warn",
  };
  const apiUrl = `http://127.0.0.1:${apiPort}`;
  const config: Config = {
    ...controlConfig({
      PLINTH_CONTROL_PORT: "0",
      CONTROL_DATABASE_URL: controlDatabase.url,
      PLINTH_CELL_SECRET: cellSecret,
      PLINTH_SIGNING_KEY: keys.privateKey,
      PLINTH_CELL_ID: "test",
      PLINTH_CELL_URL: `http://127.0.0.1:${internalPort}`,
      PLINTH_PUBLIC_API_URL: apiUrl,
      PLINTH_CONSOLE_URL: CONSOLE,
      PLINTH_AUTH_SECRET: randomBytes(24).toString("hex"),
      PLINTH_CONSOLE_SECRET: randomBytes(24).toString("hex"),
      PLINTH_SIGN_IN_LIMIT: "1000",
      ...options.env,
    }),
    // The port stays the same after a restart.
    port: await freePort(),
  };
  const logger = createLogger({ name: "control", level: "silent" });
  const pool = new pg.Pool({ connectionString: controlDatabase.url, max: 2 });
  pool.on("error", () => {});
  const cellPool = new pg.Pool({ connectionString: cellDatabase.url, max: 2 });
  cellPool.on("error", () => {});
  let cell: TestProcess | null = null;
  let control: Control = await startControl(config, logger);
  let people = 0;

  const client: World["client"] = (cookie, headers = {}) =>
    createTRPCClient<AppRouter>({
      links: [
        httpLink({
          url: `${control.url}/trpc`,
          headers: { origin: CONSOLE, ...(cookie === null ? {} : { cookie }), ...headers },
        }),
      ],
    });

  const startCell = async (): Promise<void> => {
    const main = new URL("../../../runtime/src/main.ts", import.meta.url).pathname;
    const started = await startProcess({ command: process.execPath, args: [main, "all"], env: cellEnv });
    cell = started;
    let ended = false;
    void started.exited.then(() => {
      ended = true;
    });
    await until(
      async () => {
        if (ended) throw new Error(`The cell did not start: ${started.output()}`);
        return (await fetch(`${apiUrl}/readyz`).catch(() => null))?.ok === true;
      },
      () => started.output(),
    );
  };
  if (options.cell) await startCell();

  return {
    url: control.url,
    config,
    pool,
    cellPool,
    apiUrl,
    nobody: client(null),
    client,
    signUp: async (name, email = `${name}-${++people}@example.com`) => {
      const response = await fetch(`${control.url}/auth/sign-up/email`, {
        method: "POST",
        headers: { "content-type": "application/json", origin: CONSOLE },
        body: JSON.stringify({ name, email, password: PASSWORD }),
      });
      if (!response.ok) throw new Error(`sign-up failed: ${response.status} ${await response.text()}`);
      const cookie = response.headers
        .getSetCookie()
        .map((line) => line.split(";")[0])
        .join("; ");
      const own = client(cookie);
      const [organization] = (await own.me.get.query()).organizations;
      if (organization === undefined) throw new Error(`${email} is in no organization`);
      return { email, cookie, client: own, organizationId: organization.id };
    },
    restartControl: async () => {
      await control.stop();
      control = await startControl(config, logger);
    },
    startCell,
    stopCell: async () => {
      await cell?.stop();
      cell = null;
    },
    stop: async () => {
      await control.stop();
      await cell?.stop();
      await pool.end();
      await cellPool.end();
      await Promise.all([controlDatabase.drop(), cellDatabase.drop()]);
    },
  };
}

/** Waits until the condition is true. The error contains the text of `hint`. */
export async function until(holds: () => Promise<boolean>, hint: () => string = () => ""): Promise<void> {
  const end = Date.now() + 30_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`It did not happen in time. ${hint()}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The message of a refusal; empty if the call succeeds. */
export function failureOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "",
    (error: Error) => error.message,
  );
}

/** The result of a call: null if it succeeded, otherwise tRPC's code. */
export async function codeOf(call: Promise<unknown>): Promise<string | null> {
  try {
    await call;
    return null;
  } catch (error) {
    if (error instanceof TRPCClientError && error.data !== null)
      return (error as TRPCClientError<AppRouter>).data?.code ?? "unknown";
    throw error;
  }
}

/** Proposes, approves and deploys a text, and waits until it is live. */
export async function goLive(
  owner: Somebody,
  projectId: string,
  text: string,
): Promise<{ proposalId: string; deploymentId: string }> {
  const proposal = await owner.client.proposals.create.mutate({ projectId, text });
  const deploymentId = await approveAndDeploy(owner, proposal);
  await finished(owner, deploymentId);
  return { proposalId: proposal.id, deploymentId };
}

/** Gives all required consents and starts the deployment. Returns its id without waiting for it. */
export async function approveAndDeploy(owner: Somebody, { id: proposalId, hash, consents }: Proposal): Promise<string> {
  await owner.client.proposals.approve.mutate({ proposalId, hash, consents: [...consents] });
  return (await owner.client.deployments.create.mutate({ proposalId })).deploymentId;
}

/** @throws if the deployment didn't become active. */
export async function finished(owner: Somebody, deploymentId: string): Promise<void> {
  let last = "";
  await until(
    async () => {
      const deployment = await owner.client.deployments.get.query({ deploymentId });
      last = `${deployment.status}: ${deployment.error}`;
      return deployment.finishedAt !== null;
    },
    () => last,
  );
  if (!last.startsWith("active")) throw new Error(`The deployment ended as ${last}`);
}
