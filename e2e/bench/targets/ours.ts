// Our own runtime, with the benchmark's project published to it as control would. In: a cell database, a port.
// Out: its process, a user's token, a key. The whole pipeline stands in front: key, token, permission, limit, audit.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { checkBlueprint } from "@plinth/blueprint";
import { type Approval, hashApiKey, hashOf, newApiKey, newId, signApproval } from "@plinth/bundle";
import { compileModel, planMigration } from "@plinth/compiler";

const root = join(import.meta.dirname, "../../..");

export interface Ours {
  readonly origin: string;
  readonly process: ChildProcess;
  readonly schema: string;
  readonly userId: string;
  readonly headers: Readonly<Record<string, string>>;
}

export async function startOurs(cellUrl: string, apiPort: number, internalPort: number): Promise<Ours> {
  const secret = randomBytes(32).toString("hex");
  const child = spawn(process.execPath, [join(root, "apps/runtime/src/main.ts"), "web"], {
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      PATH: process.env["PATH"],
      CELL_DATABASE_URL: cellUrl,
      PLINTH_API_PORT: String(apiPort),
      PLINTH_INTERNAL_PORT: String(internalPort),
      PLINTH_CELL_SECRET: secret,
      PLINTH_KEK: randomBytes(32).toString("base64"),
      PLINTH_LOG_LEVEL: "warn",
      // The limit is counted for each request as ever; only its height is out of the way.
      PLINTH_RATE_LIMIT: "1000000",
      PLINTH_RATE_BURST: "1000000",
    },
  });
  const origin = `http://127.0.0.1:${apiPort}`;
  const internal = `http://127.0.0.1:${internalPort}/internal`;
  await until(async () => (await fetch(`${origin}/readyz`)).ok);

  const projectId = newId("prj");
  await call(internal, secret, "PUT", `/projects/${projectId}`, { slug: "bench" });
  await publish(internal, secret, projectId);
  const key = newApiKey("publishable");
  await call(internal, secret, "PUT", `/projects/${projectId}/keys/${newId("key")}`, {
    hash: hashApiKey(key),
    kind: "publishable",
    role: null,
    name: "bench",
    expiresAt: null,
  });
  const signedUp = await fetch(`${origin}/v1/auth/sign-up`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ email: "bench@example.com", password: randomBytes(16).toString("hex") }),
  });
  if (!signedUp.ok) throw new Error(`sign-up: ${signedUp.status} ${await signedUp.text()}`);
  const { data } = (await signedUp.json()) as { data: { user: { id: string }; access_token: string } };
  return {
    origin,
    process: child,
    schema: `t_${projectId.slice("prj_".length)}`,
    userId: data.user.id,
    headers: {
      authorization: `Bearer ${key}`,
      "plinth-user-token": data.access_token,
      "content-type": "application/json",
    },
  };
}

async function publish(internal: string, secret: string, projectId: string): Promise<void> {
  const { model } = checkBlueprint(readFileSync(join(import.meta.dirname, "../blueprint.yaml"), "utf8"));
  if (model === null) throw new Error("the benchmark's blueprint has errors");
  const bundle = compileModel(model);
  const { plan } = planMigration(null, bundle.tables);
  const releaseId = newId("rel");
  const approval: Approval = signApproval(
    {
      projectId,
      releaseId,
      baseHash: null,
      bundleHash: hashOf(bundle),
      planHash: hashOf(plan),
      approvedBy: "bench",
      approvedAt: new Date().toISOString(),
    },
    secret,
  );
  const path = `/projects/${projectId}/releases`;
  await call(internal, secret, "POST", path, { projectId, releaseId, bundle, plan, approval });
  await until(async () => {
    const state = (await call(internal, secret, "GET", `${path}/${releaseId}`)) as { status: string; error: string };
    if (state.status === "failed") throw new Error(state.error);
    return state.status === "active";
  });
}

async function call(internal: string, secret: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(internal + path, {
    method,
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === "" ? null : JSON.parse(text);
}

/** Polls for at most 20 s; what is refused meanwhile counts as "not yet", but an error that we threw ends it. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 200; i++) {
    const met = await holds().catch((error: unknown) => {
      if (error instanceof TypeError) return false;
      throw error;
    });
    if (met) return;
    await pause(100);
  }
  throw new Error("not ready within 20 s");
}
