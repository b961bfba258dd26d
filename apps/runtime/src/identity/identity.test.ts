// Credentials on a real database: the rights of a key or token, and how soon a revocation takes effect (guarantee 10).
import { apiKeyIsWellFormed, hashApiKey, newApiKey, newId, type ProjectId } from "@plinth/bundle";
import { createPool, inTransaction } from "@plinth/postgres";
import type { Fault } from "@plinth/service";
import { createLogger } from "@plinth/service";
import { createFaultProxy } from "@plinth/testkit";
import { decodeJwt, SignJWT } from "jose";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { TestCell } from "../modes/testing/cell.ts";
import {
  callModule,
  createTestDatabase,
  dataOf,
  makeKey,
  makeLiveProject,
  makeProject,
  openTestCell,
  type TestDatabase,
} from "../modes/testing/cell.ts";
import type { Caller } from "../project/principal.ts";
import { cellTemplate } from "../release/testing/cell-template.ts";
import { bumpEpoch, followEpoch } from "./epoch.ts";
import { createKeyStore } from "./key-store.ts";
import { createUserTokens } from "./user-token.ts";

let database: TestDatabase;
let cell: TestCell;
let projectId: ProjectId;
const logger = createLogger({ name: "test", level: "silent" });
const clock = (): number => performance.now();

beforeAll(async () => {
  database = await createTestDatabase(cellTemplate);
  cell = await openTestCell(database);
  ({ projectId } = await makeLiveProject(cell));
});
afterAll(async () => {
  await cell?.close();
  await database?.drop();
});

let lastIp = 0;
const newIp = (): string => `198.51.100.${++lastIp}`;

const authenticate = (
  bearer: string,
  headers: Record<string, string> = {},
  on: TestCell = cell,
  ip = newIp(),
): Promise<Caller> => on.authenticator.authenticate({ authorization: `Bearer ${bearer}`, ...headers }, { ip });

async function signUp(project: ProjectId = projectId): Promise<{ token: string; userId: string; refresh: string }> {
  const { key } = await makeKey(cell, project, { kind: "publishable" });
  const body = { email: `${newId("usr")}@example.com`, password: "long enough" };
  const reply = dataOf(await callModule(cell, { path: "/v1/auth/sign-up", key, body, ip: newIp() }));
  return { token: reply.access_token, userId: reply.user.id, refresh: reply.refresh_token };
}

/** How long another replica still accepts a credential after the answer to `revoke`. */
async function msUntilRefused(use: () => Promise<unknown>, revoke: () => Promise<unknown>): Promise<number> {
  await use();
  await revoke();
  const from = performance.now();
  for (;;) {
    const refused = await use().then(
      () => false,
      (error) => error.code === "unauthenticated",
    );
    if (refused) return performance.now() - from;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const LAST = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

describe("an API key", () => {
  it("is named together with the access token in the error for a text that is neither", async () => {
    await expect(authenticate("nonsense")).rejects.toThrow("API key or access token in Authorization is invalid");
  });

  it("acts with its own role", async () => {
    const rolesOf = async (key: Parameters<typeof makeKey>[2]): Promise<readonly string[]> => {
      const caller = await authenticate((await makeKey(cell, projectId, key)).key);
      expect(caller).toMatchObject({ projectId, principal: { kind: "key", user: null } });
      return caller.principal.roles;
    };
    expect(await rolesOf({ kind: "publishable" })).toEqual(["public"]);
    expect(await rolesOf({ kind: "secret" })).toEqual(["admin", "public"]);
    expect(await rolesOf({ kind: "secret", role: "chief" })).toEqual(["chief", "editor", "public"]);
    expect(await rolesOf({ kind: "secret", role: "no_longer_declared" })).toEqual(["public"]);
  });

  it("is refused when it is garbage, unknown, expired or not a key at all", async () => {
    const expired = await makeKey(cell, projectId, { expiresAt: new Date(Date.now() - 1000).toISOString() });
    const unknown = newApiKey("secret");
    for (const bearer of [expired.key, unknown, `${unknown.slice(0, -1)}x`, "plk_sec_", "nonsense", ""]) {
      await expect(authenticate(bearer)).rejects.toMatchObject({ code: "unauthenticated" });
    }
    await expect(cell.authenticator.authenticate({}, { ip: newIp() })).rejects.toMatchObject({ status: 401 });
  });

  it("is refused for another project, in the same way whether that project exists or not", async () => {
    const { key } = await makeKey(cell, projectId);
    const slug = (await cell.registry.get(projectId))?.slug ?? "";
    const other = await makeProject(cell, "another-slug");
    for (const named of [slug, projectId]) await authenticate(key, { "plinth-project": named });
    for (const named of ["another-slug", other, "nobody", ""]) {
      await expect(authenticate(key, { "plinth-project": named })).rejects.toMatchObject({ code: "project_mismatch" });
    }
  });

  it("only counts against an address if it is unknown", async () => {
    const ip = newIp();
    const { key } = await makeKey(cell, projectId);
    const refusals: Fault[] = [];
    // All at once, because attempts come back with time, and this machine may be slow.
    const guesses = Array.from({ length: 100 }, () => authenticate(newApiKey("secret"), {}, cell, ip));
    await Promise.all(guesses.map((guess) => guess.catch((error) => refusals.push(error))));
    const codes = refusals.map(({ code }) => code);
    expect(codes.filter((code) => code === "unauthenticated").length).toBeGreaterThanOrEqual(50);
    expect(refusals.find(({ code }) => code === "rate_limited")).toMatchObject({ headers: { "Retry-After": "1" } });
    // A valid one that is still unknown, from the same address, during a flood of forged ones.
    const forged = Promise.allSettled(
      Array.from({ length: 100 }, () => authenticate(newApiKey("secret"), {}, cell, ip)),
    );
    await authenticate(key, {}, cell, ip);
    expect((await forged).every((each) => each.status === "rejected")).toBe(true);
    await authenticate(key, {}, cell, ip);
    for (let i = 0; i < 60; i++) await authenticate((await makeKey(cell, projectId)).key, {}, cell, "203.0.113.9");
  });

  it("is looked up once while it is unknown, and is valid as soon as it is stored", async () => {
    const key = newApiKey("secret");
    const queries = vi.spyOn(Client.prototype, "query");
    const lookUps = (): number =>
      queries.mock.calls.filter(([query]) => (query as { readonly name?: string } | null)?.name === "keys-by-hash")
        .length;
    try {
      for (let i = 0; i < 5; i++) {
        await expect(authenticate(key, {}, cell, newIp())).rejects.toMatchObject({ code: "unauthenticated" });
      }
      expect(lookUps()).toBe(1);
    } finally {
      queries.mockRestore();
    }
    const hash = hashApiKey(key);
    const stored = {
      keyId: newId("key"),
      projectId,
      hash,
      kind: "secret",
      role: "admin",
      name: "late",
      expiresAt: null,
    };
    await cell.keys.put({ ...stored, kind: "secret" });
    await authenticate(key, {}, cell, newIp());
  });

  it("records when it was used and when a project was first called", async () => {
    const fresh = await makeLiveProject(cell);
    const { key, keyId } = await makeKey(cell, fresh.projectId);
    for (let i = 0; i < 3; i++) await authenticate(key);
    await cell.usage.flush();
    const { rows } = await cell.pool.query(
      `SELECT p.requests::int, p.first_request_at, k.last_used_at FROM plinth.projects p
       JOIN plinth.api_keys k ON k.project_id = p.id WHERE k.id = $1`,
      [keyId],
    );
    expect(rows[0]).toEqual({ requests: 3, first_request_at: expect.any(Date), last_used_at: expect.any(Date) });
  });

  it("is only stored as its hash", async () => {
    const { key, keyId } = await makeKey(cell, projectId);
    expect(apiKeyIsWellFormed(key)).toBe(true);
    const { rows } = await cell.pool.query("SELECT to_jsonb(k)::text AS row FROM plinth.api_keys k WHERE id = $1", [
      keyId,
    ]);
    expect(rows[0].row).toContain(hashApiKey(key));
    expect(rows[0].row).not.toContain(key.slice(8, 30));
  });
});

describe("a user's token", () => {
  it("names the user, with a key or alone; the user's roles decide", async () => {
    const { token, userId } = await signUp();
    const { key, keyId } = await makeKey(cell, projectId);
    const roles = ["owner", "public", "user"];
    expect((await authenticate(token)).principal).toMatchObject({ kind: "user", userId, roles, keyId: null });
    const beside = await authenticate(key, { "plinth-user-token": token });
    expect(beside.principal).toMatchObject({ kind: "user", userId, roles, keyId });
  });

  it("is refused with a key of another project", async () => {
    const other = await makeLiveProject(cell);
    const { token } = await signUp(other.projectId);
    const { key } = await makeKey(cell, projectId);
    await expect(authenticate(key, { "plinth-user-token": token })).rejects.toMatchObject({ code: "project_mismatch" });
    await expect(authenticate(token, { "plinth-project": projectId })).rejects.toMatchObject({ status: 403 });
  });

  it("is refused when it was altered, has expired, or was signed by anybody else", async () => {
    const { token, userId } = await signUp();
    const other = await makeLiveProject(cell);
    const [head, , signature] = token.split(".") as [string, string, string];
    const claims = decodeJwt(token);
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: newId("usr") })).toString("base64url");
    const none = Buffer.from(JSON.stringify({ alg: "none", kid: "x" })).toString("base64url");
    const theirs = (await cell.signingKeys.of(other.projectId))[0];
    const signedByOther = await new SignJWT(claims)
      .setProtectedHeader({ alg: "EdDSA", kid: theirs?.kid ?? "" })
      .sign(theirs?.privateKey() as never);
    const hmac = await new SignJWT(claims)
      .setProtectedHeader({ alg: "HS256", kid: JSON.parse(Buffer.from(head, "base64url").toString()).kid })
      .sign(Buffer.from(JSON.stringify((await cell.signingKeys.of(projectId))[0]?.publicJwk)));
    const early = createUserTokens({
      signingKeys: cell.signingKeys,
      publicUrl: "http://127.0.0.1:4000",
      nowSeconds: () => Math.floor(Date.now() / 1000) - 901,
    });
    const expired = await early.sign({ projectId, userId, sessionId: String(claims.sid) });
    const elsewhere = createUserTokens({
      signingKeys: cell.signingKeys,
      publicUrl: "http://elsewhere",
      nowSeconds: () => Math.floor(Date.now() / 1000),
    });
    const otherIssuer = await elsewhere.sign({ projectId, userId, sessionId: String(claims.sid) });
    const bad = [
      `${token}=`,
      `${token}==`,
      // The last of 86 characters has four unused bits.
      `${token.slice(0, -1)}${LAST[LAST.indexOf(token.at(-1) ?? "") + 1]}`,
      `${head}.${forged}.${signature}`,
      `${none}.${token.split(".")[1]}.`,
      signedByOther,
      hmac,
      expired,
      otherIssuer,
    ];
    for (const bearer of [...bad, "a.b.c", `${token}x`, "x".repeat(5000)]) {
      await expect(authenticate(bearer)).rejects.toMatchObject({ code: "unauthenticated" });
    }
    await authenticate(token);
  });

  it("that is invalid next to a valid key gets an error that names its header", async () => {
    const { token, refresh } = await signUp();
    const { key: app } = await makeKey(cell, projectId, { kind: "publishable" });
    const beside = (text: string) => authenticate(app, { "plinth-user-token": text }, cell, newIp());
    await expect(beside("nonsense")).rejects.toMatchObject({
      detail: "The access token in Plinth-User-Token is invalid or has expired. Refresh it, or sign in again.",
    });
    await beside(token);
    await callModule(cell, { path: "/v1/auth/sign-out", key: app, body: { refresh_token: refresh } });
    await expect(beside(token)).rejects.toMatchObject({
      detail: "The session of the token in Plinth-User-Token has ended. Sign in again.",
    });
  });

  it("of an ended session is looked up once, and then counts against its sender", async () => {
    const { token, refresh } = await signUp();
    const ip = newIp();
    await authenticate(token, {}, cell, ip);
    const { key: app } = await makeKey(cell, projectId, { kind: "publishable" });
    await callModule(cell, { path: "/v1/auth/sign-out", key: app, body: { refresh_token: refresh } });
    await expect(authenticate(token, {}, cell, ip)).rejects.toMatchObject({ detail: "This session has ended." });
    const lookUps = vi.spyOn(cell.scope, "forProject");
    const uses = Array.from({ length: 80 }, () => authenticate(token, {}, cell, ip).catch((error) => error.code));
    const codes = await Promise.all(uses);
    expect(codes.slice(0, 40)).toEqual(Array(40).fill("unauthenticated"));
    expect(codes.at(-1)).toBe("rate_limited");
    expect(lookUps).not.toHaveBeenCalled();
    lookUps.mockRestore();
    // Somebody else's valid token from the same address is still verified.
    const { token: other } = await signUp();
    await authenticate(other, {}, cell, ip);
  });

  it("doesn't contain the roles: a new role works at once here, within a second elsewhere", async () => {
    const { token, userId } = await signUp();
    const { key } = await makeKey(cell, projectId);
    const replica = await openTestCell(database);
    try {
      await authenticate(token, {}, replica);
      const path = `/v1/users/${userId}/roles`;
      await callModule(cell, { method: "PUT", path, key, body: { roles: ["chief"] } });
      const roles = ["chief", "editor", "owner", "public", "user"];
      expect((await authenticate(token)).principal.roles).toEqual(roles);
      await expect
        .poll(async () => (await authenticate(token, {}, replica)).principal.roles, { timeout: 1_000, interval: 20 })
        .toEqual(roles);
    } finally {
      await replica.close();
    }
  });
});

describe("a revocation takes effect on another replica within 1 s", () => {
  it.each([true, false])("of a key and of a session (LISTEN works: %s)", async (works) => {
    const proxy = await createFaultProxy({ target: database.url });
    const replica = await openTestCell(database, { listenUrl: proxy.through(database.url) });
    try {
      if (!works) proxy.cut();
      const { key, keyId } = await makeKey(cell, projectId);
      const revokeKey = (): Promise<unknown> => cell.keys.revoke(projectId, keyId);
      expect(await msUntilRefused(() => authenticate(key, {}, replica), revokeKey)).toBeLessThan(1_000);

      const { token, refresh } = await signUp();
      const { key: app } = await makeKey(cell, projectId);
      const body = { refresh_token: refresh };
      const signOut = (): Promise<unknown> => callModule(cell, { path: "/v1/auth/sign-out", key: app, body });
      expect(await msUntilRefused(() => authenticate(token, {}, replica), signOut)).toBeLessThan(1_000);
    } finally {
      await replica.close();
      await proxy.close();
    }
  });

  it.each(["cut", "freeze"] as const)(
    "also where the epoch can't be read (%s): credentials are then looked up",
    async (fault) => {
      const proxy = await createFaultProxy({ target: database.url });
      const pool = createPool({
        connectionString: proxy.through(database.url),
        max: 1,
        applicationName: "test",
        statementTimeoutMs: 700,
        connectTimeoutMs: 700,
      });
      const epoch = await followEpoch({ pool, logger, clock });
      const keys = createKeyStore({ pool: cell.pool, epoch, clock });
      try {
        const { key, keyId } = await makeKey(cell, projectId);
        const hash = hashApiKey(key);
        await keys.load(hash);
        expect(keys.peek(hash)).toBeDefined();
        proxy[fault]();
        await cell.keys.revoke(projectId, keyId);
        const from = performance.now();
        while (keys.peek(hash) !== undefined) await new Promise((resolve) => setTimeout(resolve, 10));
        expect(performance.now() - from).toBeLessThan(1_010);
        expect(await keys.load(hash)).toBeNull();
      } finally {
        proxy.restore();
        await epoch.stop();
        await pool.end();
        await proxy.close();
      }
    },
  );

  it("can't be overtaken: values become visible in their order", async () => {
    const other = await makeProject(cell);
    const slow = await cell.pool.connect();
    await slow.query("BEGIN");
    await bumpEpoch(slow, projectId);
    let quickIsDone = false;
    const quick = inTransaction(cell.pool, (client) => bumpEpoch(client, other)).then(() => {
      quickIsDone = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(quickIsDone).toBe(false);
    await slow.query("COMMIT");
    slow.release();
    await quick;
    await cell.epoch.refresh();
    expect(cell.epoch.of(other)).toBe(cell.epoch.of(projectId) + 1);
  });
});
