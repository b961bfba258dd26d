// A runtime with projects whose blueprints are published as control does it. In: a cell's database. Out: its process,
// and a function that publishes one text after the other. It is the real runtime with its whole pipeline; only control
// is missing.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { checkBlueprint, type Model } from "@plinth/blueprint";
import {
  type Approval,
  type Bundle,
  type ControlSigner,
  hashApiKey,
  hashOf,
  type MigrationPlan,
  newApiKey,
  newControlKeys,
  newId,
  readControlSigner,
  signApproval,
} from "@plinth/bundle";
import { compileModel, proposeChange } from "@plinth/compiler";
import { leanNodeFlags } from "@plinth/service";
import { freePort } from "@plinth/testkit";

const root = resolve(import.meta.dirname, "..");

export interface PublishedProject {
  /** The name of the project's schema. */
  readonly schema: string;
  readonly makeKey: (kind: "publishable" | "secret") => Promise<string>;
  /** Resolves when the release is active and its last step has run. @throws Error if it fails. */
  readonly publish: (text: string, background?: Bundle["background"]) => Promise<MigrationPlan>;
}

export type RuntimeMode = "web" | "worker" | "scheduler" | "webhook" | "all";
type Settings = Readonly<Record<string, string>>;

export interface BareCell {
  readonly origin: string;
  /** The internal listener, and the secret that it shares with control. */
  readonly internal: {
    readonly url: string;
    readonly secret: string;
    readonly cellId: string;
    /** Control's private key, with which the test signs. */
    readonly signingKey: string;
  };
  readonly process: ChildProcess;
  /** Another process of the runtime on the same database, with the same secrets. */
  readonly start: (mode: RuntimeMode, settings?: Settings) => ChildProcess;
  /** Calls the internal listener, as control does; the path starts after `/internal`. @throws Error if it refuses. */
  readonly call: Call;
  readonly addProject: (slug: string) => Promise<PublishedProject>;
}

export interface PublishedCell extends BareCell, PublishedProject {}

/** A cell with one project. */
export async function startPublishedCell(cellUrl: string, slug: string): Promise<PublishedCell> {
  const cell = await startBareCell(cellUrl);
  return { ...cell, ...(await cell.addProject(slug)) };
}

/** The limit is counted for each request as usual, but it is so high that no test reaches it. */
const highLimit = {
  PLINTH_RATE_LIMIT: "1000000",
  PLINTH_RATE_BURST: "1000000",
  PLINTH_PROJECT_RATE_LIMIT: "1000000",
};

/**
 * @param settings Environment variables of the runtime, in addition to the required ones. @param serving The mode of
 * the process that answers requests.
 */
export async function startBareCell(
  cellUrl: string,
  settings: Settings = highLimit,
  serving: "web" | "all" = "web",
): Promise<BareCell> {
  const secret = randomBytes(32).toString("hex");
  const keys = newControlKeys();
  const [apiPort, internalPort] = await Promise.all([freePort(), freePort()]);
  const env = {
    PATH: process.env["PATH"],
    NODE_COMPILE_CACHE: join(root, "node_modules/.cache/compile"),
    CELL_DATABASE_URL: cellUrl,
    PLINTH_API_PORT: String(apiPort),
    PLINTH_INTERNAL_PORT: String(internalPort),
    PLINTH_CELL_SECRET: secret,
    PLINTH_CELL_ID: CELL,
    PLINTH_CONTROL_PUBLIC_KEYS: keys.publicKey,
    PLINTH_KEK: randomBytes(32).toString("base64"),
    PLINTH_LOG_LEVEL: "warn",
    PLINTH_MAILBOX: "on",
    ...settings,
  };
  const start: BareCell["start"] = (mode, more = {}) =>
    spawn(process.execPath, [...leanNodeFlags, join(root, "apps/runtime/src/main.ts"), mode], {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...env, ...more },
    });
  const child = start(serving);
  const origin = `http://127.0.0.1:${apiPort}`;
  const internal = { url: `http://127.0.0.1:${internalPort}`, secret, cellId: CELL, signingKey: keys.privateKey };
  const call = caller(`${internal.url}/internal`, secret);
  await until(async () => (await fetch(`${origin}/readyz`)).ok, 20);
  const signer = readControlSigner(keys.privateKey);
  return { origin, internal, process: child, start, call, addProject: (slug) => addProject(slug, call, signer) };
}

const CELL = "published";

async function addProject(slug: string, call: Call, signer: ControlSigner): Promise<PublishedProject> {
  const projectId = newId("prj");
  await call("PUT", `/projects/${projectId}`, { slug });
  let live: { readonly model: Model; readonly bundle: Bundle } | null = null;
  return {
    schema: `t_${projectId.slice("prj_".length)}`,
    makeKey: async (kind) => {
      const key = newApiKey(kind);
      const role = kind === "secret" ? "admin" : null;
      const body = { hash: hashApiKey(key), kind, role, name: slug, expiresAt: null };
      await call("PUT", `/projects/${projectId}/keys/${newId("key")}`, body);
      return key;
    },
    publish: async (text, background) => {
      const { model, diagnostics } = checkBlueprint(text);
      if (model === null) throw new Error(`the blueprint has errors: ${JSON.stringify(diagnostics.slice(0, 3))}`);
      const compiled = compileModel(model);
      const bundle = background === undefined ? compiled : { ...compiled, background };
      const tag = newId("rel").slice(4, 12);
      const { plan, refused } = proposeChange({ before: live, after: model, setAside: [], tag, author: "person" });
      if (refused.length > 0) throw new Error(`refused: ${JSON.stringify(refused)}`);
      const releaseId = newId("rel");
      const baseHash = live === null ? null : hashOf(live.bundle);
      const approval = approve({ projectId, releaseId, baseHash, bundle, plan }, signer);
      const path = `/projects/${projectId}/releases`;
      await call("POST", path, { projectId, releaseId, bundle, plan, approval });
      await until(async () => isDone((await call("GET", `${path}/${releaseId}`)) as ReleaseState), 300);
      live = { model, bundle };
      return plan;
    },
  };
}

interface ReleaseState {
  readonly status: string;
  readonly error: string | null;
  readonly steps: readonly { readonly status: string; readonly error: string | null }[];
}

function isDone({ status, error, steps }: ReleaseState): boolean {
  const failed = steps.find((step) => step.status === "failed");
  if (status === "failed" || failed !== undefined) throw new Error(error ?? failed?.error ?? "a step failed");
  return status === "active" && steps.every((step) => step.status === "done");
}

function approve(
  release: {
    readonly projectId: string;
    readonly releaseId: string;
    readonly baseHash: string | null;
    readonly bundle: Bundle;
    readonly plan: MigrationPlan;
  },
  signer: ControlSigner,
): Approval {
  const { projectId, releaseId, baseHash, bundle, plan } = release;
  return signApproval(
    {
      cell: CELL,
      name: bundle.project,
      projectId,
      releaseId,
      baseHash,
      bundleHash: hashOf(bundle),
      planHash: hashOf(plan),
      consents: [],
      approvedBy: "test",
      approvedAt: new Date().toISOString(),
    },
    signer,
    Date.now(),
  );
}

type Call = (method: string, path: string, body?: unknown) => Promise<unknown>;

function caller(internal: string, secret: string): Call {
  return async (method, path, body) => {
    const response = await fetch(internal + path, {
      method,
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? null : JSON.parse(text);
  };
}

/** Polls. A refusal counts as "not yet", but an error that we throw ends it. */
export async function until(holds: () => Promise<boolean>, seconds: number): Promise<void> {
  for (let i = 0; i < seconds * 10; i++) {
    const met = await holds().catch((error: unknown) => {
      if (error instanceof TypeError) return false;
      throw error;
    });
    if (met) return;
    await pause(100);
  }
  throw new Error(`the condition was not true within ${seconds} s`);
}
