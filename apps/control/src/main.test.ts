// The process: the configuration that it needs, its log, and how it ends. Guarantee 15: no secret in the log, at any level.
import { randomBytes } from "node:crypto";
import { newControlKeys } from "@plinth/bundle";
import { createTestDatabase, freePort, startProcess, type TestDatabase, type TestProcess } from "@plinth/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const main = new URL("./main.ts", import.meta.url).pathname;
const CONSOLE = "http://localhost:3000";
const PASSWORD = "a password that must not be logged";

describe("the process", () => {
  let database: TestDatabase;
  let control: TestProcess | null = null;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterAll(async () => {
    await control?.stop();
    await database?.drop();
  });

  it("names everything that is missing or wrong, and repeats no value", async () => {
    const env = {
      CONTROL_DATABASE_URL: "mysql://u:hidden@h/d",
      PLINTH_CELL_SECRET: "too short",
      PLINTH_SIGNING_KEY: "bm8ga2V5",
      PLINTH_AUTH_SECRET: undefined,
    };
    const failed = await startProcess({ command: process.execPath, args: [main], env });
    expect(await failed.exited).toBe(1);
    const names = ["CELL_SECRET", "SIGNING_KEY", "AUTH_SECRET", "CONSOLE_SECRET"].map((name) => `PLINTH_${name}`);
    for (const name of ["CONTROL_DATABASE_URL", ...names]) {
      expect(failed.output()).toContain(name);
    }
    expect(failed.output()).not.toMatch(/hidden|too short|bm8ga2V5/);
  });

  it("starts, logs no secret, reports an unreachable database, and stops on SIGTERM", async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const secret = (): string => randomBytes(24).toString("hex");
    const secrets = { cell: secret(), auth: secret(), console: secret(), signing: newControlKeys().privateKey };
    control = await startProcess({
      command: process.execPath,
      args: [main],
      readyPattern: /control is ready/,
      env: {
        CONTROL_DATABASE_URL: database.url,
        PLINTH_CONTROL_PORT: String(port),
        PLINTH_CONTROL_URL: url,
        PLINTH_CONSOLE_URL: CONSOLE,
        // Nothing listens at this address: the log must not contain a secret of a failed call either.
        PLINTH_CELL_URL: `http://127.0.0.1:${await freePort()}`,
        PLINTH_CELL_SECRET: secrets.cell,
        PLINTH_SIGNING_KEY: secrets.signing,
        PLINTH_AUTH_SECRET: secrets.auth,
        PLINTH_CONSOLE_SECRET: secrets.console,
        PLINTH_LOG_LEVEL: "trace",
      },
    });
    const headers = { "content-type": "application/json", origin: CONSOLE, "x-plinth-console": secrets.console };
    const body = JSON.stringify({ name: "Ana", email: "ana@example.com", password: PASSWORD });
    const signedUp = await fetch(`${url}/auth/sign-up/email`, { method: "POST", headers, body });
    const cookie = signedUp.headers
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ");
    const token = decodeURIComponent(/session_token=([^;]+)/.exec(cookie)?.[1] ?? "");
    expect(token.length).toBeGreaterThan(32);
    const me = (await (await fetch(`${url}/trpc/me.get`, { headers: { cookie } })).json()) as {
      result: { data: { organizations: { id: string }[] } };
    };
    const organizationId = me.result.data.organizations[0]?.id;
    const post = (path: string, input: object): Promise<Response> =>
      fetch(`${url}/trpc/${path}`, { method: "POST", headers: { ...headers, cookie }, body: JSON.stringify(input) });
    const created = (await (await post("projects.create", { organizationId, slug: "logged" })).json()) as {
      result: { data: { id: string } };
    };
    const projectId = created.result.data.id;
    expect((await post("keys.create", { projectId, name: "k", kind: "secret" })).status).toBe(503);
    const filters = encodeURIComponent(JSON.stringify({ projectId, entity: "note", filters: { title: "a customer" } }));
    expect((await fetch(`${url}/trpc/data.rows?input=${filters}`, { headers: { cookie } })).status).toBe(404);

    await fetch(`${url}/trpc/nothing.more`);
    await control.waitFor(/nothing\.more/);
    const log = control.output();
    expect(log).toContain("data.rows");
    const databasePassword = new URL(database.url).password;
    for (const secret of [
      PASSWORD,
      token,
      token.split(".")[0] ?? "",
      secrets.cell,
      secrets.auth,
      secrets.console,
      databasePassword,
    ]) {
      expect(log).not.toContain(secret);
    }
    expect(log).not.toMatch(/plk_sec_|customer/);
    for (const line of control.stdout().trim().split("\n")) expect(() => JSON.parse(line)).not.toThrow();

    await database.drop();
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/trpc/me.get`, { headers: { cookie } })).status).toBe(500);
    const started = Date.now();
    expect(await control.stop()).toBe(0);
    expect(Date.now() - started).toBeLessThan(5_000);
  });
});
