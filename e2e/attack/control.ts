// The control plane that authors attack. In: its database. Out: a process as it is shipped, with two people signed up:
// an author who means harm, and somebody else. It has no cell: what is sent to it is only checked.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { freePort } from "@plinth/testkit";
import { until } from "../published-cell.ts";
import type { ConsoleTarget } from "./target.ts";

export interface AttackedControl {
  readonly target: ConsoleTarget;
  readonly pid: number;
  readonly stop: () => void;
}

const root = resolve(import.meta.dirname, "../..");
const consoleUrl = "http://localhost:3000";

export async function startAttackedControl(databaseUrl: string): Promise<AttackedControl> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [join(root, "apps/control/src/main.ts")], {
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      PATH: process.env["PATH"],
      CONTROL_DATABASE_URL: databaseUrl,
      PLINTH_CONTROL_PORT: String(port),
      PLINTH_CONTROL_URL: origin,
      PLINTH_CONSOLE_URL: consoleUrl,
      PLINTH_CELL_SECRET: randomBytes(32).toString("hex"),
      PLINTH_AUTH_SECRET: randomBytes(32).toString("hex"),
      PLINTH_LOG_LEVEL: "warn",
    },
  });
  const stop = (): void => {
    child.kill("SIGTERM");
  };
  try {
    await until(async () => (await fetch(`${origin}/readyz`)).ok, 30);
    const [author, other] = await Promise.all([signUp(origin, "author"), signUp(origin, "other")]);
    return { target: { origin, author, other }, pid: child.pid as number, stop };
  } catch (error) {
    stop();
    throw error;
  }
}

/** What the person's browser sends with each request. */
async function signUp(origin: string, name: string): Promise<Readonly<Record<string, string>>> {
  const headers = { "content-type": "application/json", origin: consoleUrl };
  const reply = await fetch(`${origin}/auth/sign-up/email`, {
    method: "POST",
    headers,
    body: JSON.stringify({ name, email: `${name}@example.com`, password: "correct horse battery" }),
  });
  if (!reply.ok) throw new Error(`sign-up: ${reply.status} ${await reply.text()}`);
  const cookie = reply.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  return { ...headers, cookie };
}
