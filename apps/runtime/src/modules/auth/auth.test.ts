// Sign-up, sign-in, refresh and sign-out on a real database (guarantees 11, 12 and 15).
import { newApiKey, newId, type ProjectId } from "@plinth/bundle";
import { compileModel } from "@plinth/compiler";
import { tenantNames } from "@plinth/postgres";
import { faultCatalogue } from "@plinth/service";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestCell } from "../../modes/testing/cell.ts";
import {
  type Call,
  callModule,
  createTestDatabase,
  dataOf,
  deploy,
  makeKey,
  makeLiveProject,
  makeProject,
  modelOf,
  openTestCell,
  publicationOf,
  type TestDatabase,
} from "../../modes/testing/cell.ts";
import { cellTemplate } from "../../release/testing/cell-template.ts";

let database: TestDatabase;
let cell: TestCell;
let projectId: ProjectId;
let schema: string;
let key: string;

beforeAll(async () => {
  database = await createTestDatabase(cellTemplate);
  cell = await openTestCell(database);
  ({ projectId } = await makeLiveProject(cell));
  ({ key } = await makeKey(cell, projectId, { kind: "publishable" }));
  schema = tenantNames(projectId).schema;
});
afterAll(async () => {
  await cell?.close();
  await database?.drop();
});

let lastIp = 0;
const newIp = (): string => `198.18.${++lastIp >> 8}.${lastIp & 255}`;
const newEmail = (): string => `${newId("usr")}@example.com`;
const password = "correct horse battery";

const call = (route: string, body: unknown, more: Partial<Call> = {}): ReturnType<typeof callModule> =>
  callModule(cell, { path: `/v1/auth/${route}`, key, body, ip: newIp(), ...more });

interface SignedUp {
  readonly email: string;
  readonly userId: string;
  readonly access: string;
  readonly refresh: string;
}

async function signUp(): Promise<SignedUp> {
  const email = newEmail();
  const data = dataOf(await call("sign-up", { email, password }));
  return { email, userId: data.user.id, access: data.access_token, refresh: data.refresh_token };
}

const refreshed = async (token: string): Promise<string> =>
  dataOf(await call("refresh", { refresh_token: token })).refresh_token;

const me = (token: string): ReturnType<typeof callModule> =>
  callModule(cell, { method: "GET", path: "/v1/users/me", key: token, ip: newIp() });

async function auditOf(userId: string): Promise<readonly string[]> {
  const { rows } = await cell.pool.query<{ entry: string }>(
    `SELECT entity || '.' || operation AS entry FROM ${schema}.audit_log WHERE actor_id = $1 ORDER BY id`,
    [userId],
  );
  return rows.map((row) => row.entry);
}

/** Makes a used token look as if it was used long ago. */
const passGrace = (): Promise<unknown> =>
  cell.pool.query(`UPDATE ${schema}.sessions SET used_at = used_at - interval '11 seconds' WHERE used_at IS NOT NULL`);

describe("sign-up and sign-in", () => {
  it("create a user and a session, with their audit rows", async () => {
    const { email, userId } = await signUp();
    const reply = await call("sign-in", { email: email.toUpperCase(), password });
    expect(reply).toMatchObject({ status: 200, headers: { "cache-control": "no-store" } });
    const data = dataOf(reply);
    expect(data).toEqual({
      user: expect.objectContaining({ id: userId, email, name: null, roles: [], version: 1 }),
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      expires_in: 900,
    });
    expect(dataOf(await me(data.access_token))).toEqual(data.user);
    expect(await auditOf(userId)).toEqual(["user.create", "session.sign_in", "session.sign_in"]);
  });

  it("store no password and no token in plain", async () => {
    const { email, refresh, access } = await signUp();
    const { rows } = await cell.pool.query(
      `SELECT u.password_hash, (SELECT string_agg(t, ' ') FROM (
         SELECT to_jsonb(u)::text AS t FROM ${schema}.users u UNION ALL SELECT to_jsonb(s)::text FROM ${schema}.sessions s
         UNION ALL SELECT to_jsonb(a)::text FROM ${schema}.audit_log a) all_rows) AS everything
       FROM ${schema}.users u WHERE email = $1`,
      [email],
    );
    expect(rows[0].password_hash).toMatch(/^\$argon2id\$v=19\$m=47104,t=1,p=1\$/);
    for (const plain of [password, refresh, refresh.slice(4), access]) expect(rows[0].everything).not.toContain(plain);
    const { rows: logged } = await cell.pool.query(`SELECT changes::text FROM ${schema}.audit_log`);
    expect(JSON.stringify(logged)).not.toMatch(/password|argon2|refresh_hash/);
  });

  it("give the same answer to a wrong password and an unknown account, after the same work", async () => {
    const { email } = await signUp();
    // Processor time, including the hashing threads. Unlike the clock, it doesn't depend on other work of the machine.
    const attempt = async (address: string): Promise<{ fault: unknown; cpuUs: number }> => {
      const from = process.cpuUsage();
      const fault = await call("sign-in", { email: address, password: "wrong password" }).catch((error) => ({
        ...error,
      }));
      const { user, system } = process.cpuUsage(from);
      return { fault, cpuUs: user + system };
    };
    await attempt(newEmail());
    let known = 0;
    let unknown = 0;
    for (let i = 0; i < 8; i++) {
      const wrong = await attempt(email);
      const nobody = await attempt(newEmail());
      expect(nobody.fault).toEqual(wrong.fault);
      expect(wrong.fault).toMatchObject({
        code: "invalid_credentials",
        status: 401,
        errors: [],
        detail: "The e-mail address or the password is wrong.",
      });
      known += wrong.cpuUs;
      unknown += nobody.cpuUs;
    }
    // Without the hash, one would be about a tenth of the other. A garbage collection may happen during one of them.
    expect(known / unknown).toBeGreaterThan(0.25);
    expect(known / unknown).toBeLessThan(4);
  });

  it("refuse a taken address, and limit the attempts", async () => {
    const { email } = await signUp();
    const taken = call("sign-up", { email, password: "another password" });
    await expect(taken).rejects.toMatchObject({
      code: "unique_violation",
      errors: [{ path: "/email", code: "taken" }],
    });
    const ip = newIp();
    const codes: string[] = [];
    for (let i = 0; i < 21; i++) {
      await call("sign-up", { email, password }, { ip }).catch((error) => codes.push(error.code));
    }
    expect(codes).toEqual([...Array(20).fill("unique_violation"), "rate_limited"]);
    const { rows } = await cell.pool.query(`SELECT count(*)::int AS n FROM ${schema}.users WHERE email = $1`, [email]);
    expect(rows[0].n).toBe(1);
  });

  it("create exactly one account for two simultaneous sign-ups with one address", async () => {
    const email = newEmail();
    const results = await Promise.allSettled([1, 2, 3].map(() => call("sign-up", { email, password })));
    expect(results.map((result) => result.status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
  });

  it("block a guesser, but not the user elsewhere", async () => {
    const { email } = await signUp();
    const attacker = newIp();
    const codes: string[] = [];
    for (let i = 0; i < 11; i++) {
      await call("sign-in", { email, password: `guess number ${i}` }, { ip: attacker }).catch((error) =>
        codes.push(error.code),
      );
    }
    expect(codes).toEqual([...Array(10).fill("invalid_credentials"), "rate_limited"]);
    const rightButLate = call("sign-in", { email, password }, { ip: attacker });
    await expect(rightButLate).rejects.toMatchObject({
      code: "rate_limited",
      headers: { "retry-after": expect.any(String) },
    });
    expect((await call("sign-in", { email, password })).status).toBe(200);
    const neighbour = await signUp();
    expect((await call("sign-in", { email: neighbour.email, password }, { ip: attacker })).status).toBe(200);
  });

  it("refuse bad input with every problem, before any work", async () => {
    const bad: readonly unknown[] = [
      { email: "x", password },
      { email: newEmail(), password: "1234567" },
      { email: newEmail(), password: "x".repeat(257) },
      { email: newEmail(), password, roles: ["admin"] },
      { email: newEmail(), password, name: "\ud800" },
      { email: newEmail(), password, name: "a\u0000b" },
      { password },
      [],
      null,
      "text",
    ];
    for (const body of bad) await expect(call("sign-up", body)).rejects.toMatchObject({ code: "validation_failed" });
    expect(dataOf(await call("sign-up", { email: newEmail(), password: "x".repeat(256) })).user).toBeDefined();
    expect(dataOf(await call("sign-up", { email: newEmail(), password: "pässwörd", name: "Zoë" })).user.name).toBe(
      "Zoë",
    );
  });

  it("need a key, and only exist with the module", async () => {
    const { access } = await signUp();
    await expect(call("sign-in", { email: newEmail(), password }, { key: access })).rejects.toMatchObject({
      status: 401,
    });
    await expect(call("sign-in", {}, { key: newApiKey("secret") })).rejects.toMatchObject({ status: 401 });
    const bare = await makeProject(cell);
    const bundle = compileModel({ ...modelOf(["title"]), modules: ["users"] });
    expect((await deploy(cell, publicationOf(bare, bundle, null))).status).toBe("active");
    const bareKey = (await makeKey(cell, bare)).key;
    await expect(call("sign-up", { email: newEmail(), password }, { key: bareKey })).rejects.toMatchObject({
      status: 404,
    });
  });

  it("separate the users of two projects", async () => {
    const { email } = await signUp();
    const other = await makeLiveProject(cell);
    const otherKey = (await makeKey(cell, other.projectId, { kind: "publishable" })).key;
    await expect(call("sign-in", { email, password }, { key: otherKey })).rejects.toMatchObject({
      code: "invalid_credentials",
    });
    expect((await call("sign-up", { email, password }, { key: otherKey })).status).toBe(201);
  });
});

describe("a refresh token", () => {
  it("is exchanged for a new pair once, and again within the grace period", async () => {
    const { refresh, userId } = await signUp();
    const next = await refreshed(refresh);
    expect(next).not.toBe(refresh);
    const repeated = await refreshed(refresh);
    expect(repeated).not.toBe(next);
    await refreshed(next);
    await refreshed(repeated);
    expect(await auditOf(userId)).toEqual(["user.create", "session.sign_in", ...Array(4).fill("session.refresh")]);
  });

  it("ends its whole family at once when it is used after the grace period", async () => {
    const { refresh, access, userId } = await signUp();
    const second = await refreshed(refresh);
    const grandchild = dataOf(await call("refresh", { refresh_token: second }));
    expect((await me(access)).status).toBe(200);
    await passGrace();
    await expect(refreshed(refresh)).rejects.toMatchObject({ code: "invalid_credentials" });
    for (const token of [refresh, second, grandchild.refresh_token]) {
      await expect(refreshed(token)).rejects.toMatchObject({ code: "invalid_credentials" });
    }
    for (const token of [access, grandchild.access_token]) {
      await expect(me(token)).rejects.toMatchObject({ code: "unauthenticated" });
    }
    expect((await auditOf(userId)).at(-1)).toBe("session.revoke_reused");
    const { rows } = await cell.pool.query(
      `SELECT count(*)::int AS n FROM ${schema}.sessions WHERE user_id = $1 AND revoked_at IS NULL`,
      [userId],
    );
    expect(rows[0].n).toBe(0);
  });

  it("leaves no living session, in any order of a rotation and a revocation", async () => {
    for (let round = 0; round < 10; round++) {
      const { refresh, userId } = await signUp();
      const second = await refreshed(refresh);
      await passGrace();
      await Promise.allSettled([refreshed(refresh), refreshed(second)]);
      const { rows } = await cell.pool.query(
        `SELECT count(*)::int AS n FROM ${schema}.sessions WHERE user_id = $1 AND revoked_at IS NULL`,
        [userId],
      );
      expect(rows[0].n).toBe(0);
    }
  });

  it("doesn't touch the user's other sign-ins", async () => {
    const { email, refresh } = await signUp();
    const other = dataOf(await call("sign-in", { email, password }));
    await refreshed(refresh);
    await passGrace();
    await expect(refreshed(refresh)).rejects.toMatchObject({ status: 401 });
    expect((await me(other.access_token)).status).toBe(200);
    await refreshed(other.refresh_token);
  });

  it("is refused when it is unknown, expired, or another project's", async () => {
    const { refresh, userId } = await signUp();
    await expect(refreshed("plr_nothing")).rejects.toMatchObject({
      code: "invalid_credentials",
      detail: "This refresh token is unknown, already used or expired. Sign in again.",
    });
    expect(faultCatalogue.invalid_credentials.title).not.toMatch(/password/);
    const other = await makeLiveProject(cell);
    const otherKey = (await makeKey(cell, other.projectId)).key;
    await expect(call("refresh", { refresh_token: refresh }, { key: otherKey })).rejects.toMatchObject({ status: 401 });
    await cell.pool.query(`UPDATE ${schema}.sessions SET expires_at = now() WHERE user_id = $1`, [userId]);
    await expect(refreshed(refresh)).rejects.toMatchObject({ code: "invalid_credentials" });
  });
});

describe("sign-out", () => {
  it("ends the session by its refresh token or by the user's token, and can be repeated", async () => {
    const first = await signUp();
    for (let i = 0; i < 2; i++) {
      expect((await call("sign-out", { refresh_token: first.refresh })).status).toBe(204);
    }
    await expect(me(first.access)).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(refreshed(first.refresh)).rejects.toMatchObject({ status: 401 });
    expect((await auditOf(first.userId)).filter((entry) => entry === "session.sign_out")).toHaveLength(1);

    const second = await signUp();
    expect((await call("sign-out", undefined, { userToken: second.access })).status).toBe(204);
    await expect(me(second.access)).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(refreshed(second.refresh)).rejects.toMatchObject({ status: 401 });
  });

  it("must name a session", async () => {
    await expect(call("sign-out", {})).rejects.toMatchObject({ code: "validation_failed" });
    expect((await call("sign-out", { refresh_token: "plr_unknown" })).status).toBe(204);
  });
});

describe("roles", () => {
  const setRoles = (id: string, roles: unknown, by: string, userToken?: string): ReturnType<typeof callModule> =>
    callModule(cell, {
      method: "PUT",
      path: `/v1/users/${id}/roles`,
      key: by,
      body: { roles },
      ip: newIp(),
      ...(userToken === undefined ? {} : { userToken }),
    });

  it("are set by an admin, with the change in the audit log", async () => {
    const { userId } = await signUp();
    const admin = await makeKey(cell, projectId);
    expect(dataOf(await setRoles(userId, ["editor", "editor"], admin.key))).toMatchObject({
      roles: ["editor"],
      version: 2,
    });
    const { rows } = await cell.pool.query(
      `SELECT actor_kind, actor_id, changes FROM ${schema}.audit_log WHERE record_id = $1 AND operation = 'set_roles'`,
      [userId],
    );
    expect(rows).toEqual([{ actor_kind: "key", actor_id: admin.keyId, changes: { roles: [[], ["editor"]] } }]);
  });

  it("can't be set by others, or to unknown ones by anybody; nothing changes", async () => {
    const { userId, access } = await signUp();
    const admin = (await makeKey(cell, projectId)).key;
    const chief = (await makeKey(cell, projectId, { role: "chief" })).key;
    await expect(setRoles(userId, ["editor"], key)).rejects.toMatchObject({ code: "forbidden" });
    await expect(setRoles(userId, ["editor"], chief)).rejects.toMatchObject({ code: "forbidden" });
    await expect(setRoles(userId, ["admin"], access)).rejects.toMatchObject({ code: "forbidden" });
    // If a user is named, the user's rights count: the admin's key that is sent with the token adds nothing.
    await expect(setRoles(userId, ["admin"], admin, access)).rejects.toMatchObject({ code: "forbidden" });
    for (const roles of [["boss"], ["public"], "admin", [1]]) {
      await expect(setRoles(userId, roles, admin)).rejects.toMatchObject({ code: "validation_failed" });
    }
    await expect(setRoles(crypto.randomUUID(), ["editor"], admin)).rejects.toMatchObject({ code: "not_found" });
    await expect(setRoles("nobody", ["editor"], admin)).rejects.toMatchObject({ code: "not_found" });
    const { rows } = await cell.pool.query(`SELECT roles, version FROM ${schema}.users WHERE id = $1`, [userId]);
    expect(rows).toEqual([{ roles: [], version: 1 }]);
  });
});
