// The control plane that authors attack. In: its database and a cell. Out: a process as shipped, with two people: a
// hostile author with a live project, and another person.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { freePort } from "@plinth/testkit";
import { type BareCell, until } from "../published-cell.ts";
import { intricateBlueprint } from "./intricate-blueprint.ts";
import { openConsole, type Person, publishText } from "./publish.ts";
import type { ConsoleTarget, Size } from "./target.ts";

export interface AttackedControl {
  readonly target: ConsoleTarget;
  readonly pid: number;
  readonly stop: () => void;
}

const root = resolve(import.meta.dirname, "../..");
const consoleUrl = "http://localhost:3000";

export async function startAttackedControl(
  databaseUrl: string,
  cell: BareCell,
  { casesPerRule }: Size,
): Promise<AttackedControl> {
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
      PLINTH_CELL_SECRET: cell.internal.secret,
      PLINTH_CELL_ID: cell.internal.cellId,
      PLINTH_SIGNING_KEY: cell.internal.signingKey,
      PLINTH_CONSOLE_SECRET: randomBytes(32).toString("hex"),
      PLINTH_CELL_URL: cell.internal.url,
      PLINTH_PUBLIC_API_URL: cell.origin,
      PLINTH_AUTH_SECRET: randomBytes(32).toString("hex"),
      PLINTH_PARENT_PID: String(process.pid),
      PLINTH_LOG_LEVEL: "fatal",
    },
  });
  const stop = (): void => {
    child.kill("SIGTERM");
  };
  try {
    await until(async () => (await fetch(`${origin}/readyz`)).ok, 30);
    const [author, other] = await Promise.all([signUp(origin, "author"), signUp(origin, "other")]);
    const [projectId, largeProjectId] = await addProjects(origin, author, intricateBlueprint(casesPerRule, 0));
    return { target: { origin, projectId, largeProjectId, author, other }, pid: child.pid as number, stop };
  } catch (error) {
    stop();
    throw error;
  }
}

/** Two projects of the author's: one with a live text, and one without. */
async function addProjects(origin: string, person: Person, text: string): Promise<[live: string, empty: string]> {
  const console = openConsole(origin, person);
  const { organizations } = await console.call("GET", "me.get", {});
  const add = async (slug: string): Promise<string> =>
    (await console.call("POST", "projects.create", { organizationId: organizations[0].id, slug })).id;
  const projects: [string, string] = [await add("intricate"), await add("large")];
  await publishText(console, projects[0], text);
  console.close();
  return projects;
}

/** The headers of the person's browser. */
async function signUp(origin: string, name: string): Promise<Person> {
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
