// Guarantees 11 and 15 for people: what a sign-up stores, and which cookies are accepted.
import type { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectDatabase } from "../database/connect.ts";
import { createOrganizationStore } from "../organizations/store.ts";
import { createSlots } from "./password.ts";
import { type AuthFixture, createAuthFixture, PASSWORD } from "./testing/auth.ts";

let fixture: AuthFixture;
let call: AuthFixture["call"];
let signUp: AuthFixture["signUp"];
let pool: Pool;

beforeAll(async () => {
  fixture = await createAuthFixture();
  ({ call, signUp, pool } = fixture);
});

afterAll(() => fixture?.stop());

const personOf = async (headers: Headers) => (await fixture.people.sessionOf(headers))?.person ?? null;

/** The plain token in a session cookie, which comes before the signature. */
function tokenOf(cookie: string): string {
  const value = /plinth\.session_token=([^;]+)/.exec(cookie)?.[1] ?? "";
  return decodeURIComponent(value).split(".")[0] ?? "";
}

/** Every value of every column of every table, as one text. */
async function wholeDatabase(): Promise<string> {
  const { rows } = await pool.query<{ table_name: string }>(
    "SELECT table_name FROM information_schema.tables WHERE table_schema = 'control'",
  );
  const dumps = await Promise.all(
    rows.map(({ table_name }) => pool.query(`SELECT t::text FROM control."${table_name}" t`)),
  );
  return JSON.stringify(dumps.map((dump) => dump.rows));
}

describe("a session", () => {
  it("is stored only as the hash of the cookie's token", async () => {
    const { cookie, cookies, status, text } = await signUp("hash@example.com");
    expect(status).toBe(200);
    const token = tokenOf(cookie);
    expect(token.length).toBeGreaterThanOrEqual(32);
    const dump = await wholeDatabase();
    expect(dump).toContain("hash@example.com");
    expect(dump).toMatch(/sha256:[0-9a-f]{64}/);
    expect(dump).not.toContain(token);
    expect(dump).not.toContain(PASSWORD);
    expect(text).not.toContain(token);
    expect(cookies[0]).toMatch(/HttpOnly/i);
    expect(cookies[0]).toMatch(/SameSite=Lax/i);
  });

  it("is valid until its person signs out", async () => {
    const { cookie } = await signUp("out@example.com");
    const headers = new Headers({ cookie });
    expect(await personOf(headers)).toMatchObject({ email: "out@example.com", name: "Ana" });
    const shown = await call("/get-session", { cookie });
    expect(shown.text).toContain("out@example.com");
    expect(shown.text).not.toContain(tokenOf(cookie));
    expect((await call("/sign-out", { body: {}, cookie })).status).toBe(200);
    expect(await personOf(headers)).toBeNull();
  });

  it("isn't accepted with the stored hash, with a changed signature, or without a cookie", async () => {
    const { cookie } = await signUp("forge@example.com");
    const { rows } = await pool.query<{ token_hash: string }>(
      "SELECT token_hash FROM control.sessions s JOIN control.people p ON p.id = s.person_id WHERE email = $1",
      ["forge@example.com"],
    );
    const hash = rows[0]?.token_hash ?? "";
    const signature = cookie.slice(cookie.indexOf("."));
    expect(await personOf(new Headers({ cookie: cookie.replace(tokenOf(cookie), hash) }))).toBeNull();
    expect(await personOf(new Headers({ cookie: cookie.replace(signature, ".AAAA") }))).toBeNull();
    expect(await personOf(new Headers())).toBeNull();
  });

  it("keeps its token when it is extended", async () => {
    const { cookie } = await signUp("long@example.com");
    const session = `FROM control.sessions s JOIN control.people p ON p.id = s.person_id WHERE email = 'long@example.com'`;
    await pool.query(
      `UPDATE control.sessions SET expires_at = now() + interval '2 days' WHERE id = (SELECT s.id ${session})`,
    );
    const prolonged = await call("/get-session", { cookie });
    expect(prolonged.text).toContain("long@example.com");
    expect(tokenOf(prolonged.cookie)).toBe(tokenOf(cookie));
    const { rows } = await pool.query<{ days: number }>(
      `SELECT extract(day FROM s.expires_at - now())::int AS days ${session}`,
    );
    expect(rows).toEqual([{ days: 6 }]);
  });

  it("ends everywhere else when the password is changed, whatever the caller sends", async () => {
    const here = await signUp("change@example.com");
    const body = { email: "change@example.com", password: PASSWORD };
    const elsewhere = await call("/sign-in/email", { body, ip: "10.7.0.1" });
    const change = { currentPassword: PASSWORD, newPassword: "another horse battery", revokeOtherSessions: false };
    const changed = await call("/change-password", { body: change, cookie: here.cookie, ip: "10.7.0.1" });
    expect(changed.status).toBe(200);
    expect(changed.text).not.toContain(tokenOf(changed.cookie));
    expect(await personOf(new Headers({ cookie: elsewhere.cookie }))).toBeNull();
    expect(await personOf(new Headers({ cookie: here.cookie }))).toBeNull();
    expect(await personOf(new Headers({ cookie: changed.cookie }))).not.toBeNull();
  });

  it("ends everywhere when the person signs out everywhere; those of others go on", async () => {
    const here = await signUp("every@example.com");
    const other = await signUp("beside@example.com");
    const body = { email: "every@example.com", password: PASSWORD };
    const elsewhere = await call("/sign-in/email", { body, ip: "10.7.0.2" });
    expect(
      (await call("/revoke-sessions", { body: {}, cookie: here.cookie, origin: "https://evil.example" })).status,
    ).toBe(403);
    expect((await call("/revoke-sessions", { body: {}, cookie: here.cookie })).status).toBe(200);
    expect(await personOf(new Headers({ cookie: here.cookie }))).toBeNull();
    expect(await personOf(new Headers({ cookie: elsewhere.cookie }))).toBeNull();
    expect(await personOf(new Headers({ cookie: other.cookie }))).not.toBeNull();
  });

  it("can't be stored with a plain token, because the database refuses it", async () => {
    const insert = `INSERT INTO control.sessions (id, person_id, token_hash, expires_at)
      SELECT 'x', id, 'plain token', now() FROM control.people LIMIT 1`;
    await expect(pool.query(insert)).rejects.toThrow(/check constraint/);
  });
});

describe("a password", () => {
  it("is stored as argon2id with at least 46 MiB", async () => {
    await signUp("argon@example.com");
    const { rows } = await pool.query<{ password_hash: string }>("SELECT password_hash FROM control.accounts");
    for (const row of rows) {
      const memory = Number(/^\$argon2id\$v=19\$m=(\d+),t=1,p=1\$/.exec(row.password_hash)?.[1]);
      expect(memory).toBeGreaterThanOrEqual(46 * 1024);
    }
  });

  it("signs in, and a wrong one gets the same answer as an unknown account", async () => {
    await signUp("in@example.com");
    fixture.work.length = 0;
    const right = await call("/sign-in/email", {
      body: { email: "in@example.com", password: PASSWORD },
      ip: "10.2.0.1",
    });
    expect(right.status).toBe(200);
    expect(await personOf(new Headers({ cookie: right.cookie }))).toMatchObject({ email: "in@example.com" });
    const wrong = await call("/sign-in/email", {
      body: { email: "in@example.com", password: "wrong one" },
      ip: "10.2.0.1",
    });
    const nobody = await call("/sign-in/email", {
      body: { email: "no@example.com", password: PASSWORD },
      ip: "10.2.0.1",
    });
    expect(wrong.status).toBe(401);
    expect(nobody).toEqual(wrong);
    // Also the same time: one run of argon2 each.
    expect(fixture.work).toEqual(["verify", "verify", "hash"]);
  });

  it("is hashed by a few threads at the same time, and a long queue is refused", async () => {
    const slots = createSlots(2, 3);
    let running = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
    };
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => slots(work)));
    expect(most).toBe(2);
    expect(outcomes.filter((outcome) => outcome.status === "rejected")).toHaveLength(1);
    await slots(work);
  });

  it("doesn't lock out a person who signs in correctly many times", async () => {
    await signUp("often@example.com");
    const body = { email: "often@example.com", password: PASSWORD };
    for (let i = 0; i < 12; i++) expect((await call("/sign-in/email", { body, ip: "10.3.4.1" })).status).toBe(200);
  });
});
describe("a sign-up", () => {
  it("makes the person the owner of an organization of their own, once", async () => {
    const { cookie } = await signUp("org@example.com");
    await call("/sign-in/email", { body: { email: "org@example.com", password: PASSWORD }, ip: "10.4.0.1" });
    const person = await personOf(new Headers({ cookie }));
    const organizations = await createOrganizationStore(connectDatabase(pool)).ofPerson(person?.id ?? "");
    expect(organizations).toEqual([
      {
        id: expect.stringMatching(/^org_/),
        name: "Ana's organization",
        role: "owner",
        scope: "organization",
        may: { write: true, manage: true, own: true },
      },
    ]);
  });

  it("with a short password or a taken address is refused", async () => {
    const short = await call("/sign-up/email", {
      body: { name: "A", email: "short@example.com", password: "short" },
      ip: "10.5.0.1",
    });
    expect(short.status).toBe(400);
    await signUp("taken@example.com");
    expect((await signUp("taken@example.com")).status).toBe(422);
  });
});

describe("a request from elsewhere", () => {
  const body = { name: "Eve", email: "eve@example.com", password: PASSWORD };

  it("is refused by its origin", async () => {
    const { cookie } = await signUp("csrf@example.com");
    expect((await call("/sign-up/email", { body, origin: "https://evil.example" })).status).toBe(403);
    expect((await call("/sign-out", { body: {}, cookie, origin: "https://evil.example" })).status).toBe(403);
    expect((await call("/sign-out", { body: {}, cookie, origin: "null" })).status).toBe(403);
    expect((await call("/sign-out", { body: {}, cookie, origin: null })).status).toBe(403);
    expect(await personOf(new Headers({ cookie }))).not.toBeNull();
  });

  it("can sign in without a browser", async () => {
    const answer = await call("/sign-up/email", { body, origin: null, ip: "10.6.0.1" });
    expect(answer.status).toBe(200);
  });

  it("has only the size that a form needs, because its keys are counted in memory", async () => {
    const long = `${"a".repeat(300)}@example.com`;
    expect((await call("/sign-in/email", { body: { email: long, password: PASSWORD }, ip: "10.6.1.1" })).status).toBe(
      400,
    );
    const name = "n".repeat(101);
    const named = { name, email: "named@example.com", password: PASSWORD };
    expect((await call("/sign-up/email", { body: named, ip: "10.6.1.2" })).status).toBe(400);
    const large = { email: "a@example.com", password: "x".repeat(20_000) };
    expect((await call("/sign-in/email", { body: large, ip: "10.6.1.3" })).status).toBe(413);
    expect((await call("/sign-in/email", { body: ["a list"], ip: "10.6.1.4" })).status).toBe(400);
  });

  it("reaches only the allowed paths of better-auth", async () => {
    for (const path of [
      "/list-sessions",
      "/revoke-session",
      "/update-user",
      "/delete-user",
      "/reset-password",
      "/error",
    ]) {
      expect((await call(path)).status, path).toBe(404);
      expect((await call(path, { body: {} })).status, path).toBe(404);
    }
  });
});
