// Access tokens: what they give access to, and how the device flow of RFC 8628 creates them.
import { createTRPCClient, httpLink, type TRPCClient } from "@trpc/client";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AppRouter } from "../api.ts";
import { CONSOLE, codeOf, createWorld, type Somebody, type World } from "../testing/control-plane.ts";

let world: World;
let ana: Somebody;
let bob: Somebody;

beforeAll(async () => {
  world = await createWorld({ cell: false });
  [ana, bob] = [await world.signUp("ana"), await world.signUp("bob")];
}, 60_000);
afterAll(() => world?.stop());

/** A program: no cookie, no origin. */
function program(token: string): TRPCClient<AppRouter> {
  const headers = { authorization: `Bearer ${token}` };
  return createTRPCClient<AppRouter>({ links: [httpLink({ url: `${world.url}/trpc`, headers })] });
}

const emailOf = async (client: TRPCClient<AppRouter>): Promise<string> => (await client.me.get.query()).person.email;

async function audited(action: string, subject: string): Promise<number> {
  const sql = "SELECT count(*)::int AS count FROM control.audit WHERE action = $1 AND subject = $2";
  return (await world.pool.query<{ count: number }>(sql, [action, subject])).rows[0]?.count ?? 0;
}

describe("a personal token", () => {
  it("acts as its person until it is revoked, and shows when it was used", async () => {
    const { token, id } = await ana.client.tokens.create.mutate({ name: "ci", days: 30 });
    expect(await audited("access_token.created", id)).toBe(1);
    expect((await ana.client.tokens.list.query())[0]).toMatchObject({ id, name: "ci", lastUsedAt: null });
    expect(await emailOf(program(token))).toBe(ana.email);
    const [listed] = await ana.client.tokens.list.query();
    expect(Date.parse(listed?.lastUsedAt ?? "")).toBeGreaterThan(Date.now() - 60_000);
    expect(JSON.stringify(listed)).not.toContain(token.slice(4));
    const { rows } = await world.pool.query("SELECT * FROM control.access_tokens");
    expect(JSON.stringify(rows)).not.toContain(token.slice(4));

    expect(await codeOf(bob.client.tokens.revoke.mutate({ tokenId: id }))).toBe("NOT_FOUND");
    expect(await bob.client.tokens.list.query()).toEqual([]);
    await ana.client.tokens.revoke.mutate({ tokenId: id });
    expect(await audited("access_token.revoked", id)).toBe(1);
    expect(await codeOf(program(token).me.get.query())).toBe("UNAUTHORIZED");
  });

  it("can't create a token or approve a program, and can only revoke itself", async () => {
    const { token } = await ana.client.tokens.create.mutate({ name: "ci", days: 1 });
    const other = await ana.client.tokens.create.mutate({ name: "other", days: 1 });
    const caller = program(token);
    expect(await codeOf(caller.tokens.create.mutate({ name: "next", days: 1 }))).toBe("FORBIDDEN");
    expect(await codeOf(caller.tokens.revoke.mutate({ tokenId: other.id }))).toBe("FORBIDDEN");
    const { user_code: userCode } = await begin();
    expect(await codeOf(caller.devices.approve.mutate({ userCode }))).toBe("FORBIDDEN");
    await caller.tokens.revokeOwn.mutate();
    expect(await codeOf(caller.me.get.query())).toBe("UNAUTHORIZED");
    expect(await emailOf(program(other.token))).toBe(ana.email);
  });

  it("ends when it expires; a wrong one is refused, even with a valid cookie", async () => {
    const { token, id } = await ana.client.tokens.create.mutate({ name: "ci", days: 1 });
    await world.pool.query("UPDATE control.access_tokens SET expires_at = now() WHERE id = $1", [id]);
    expect(await codeOf(program(token).me.get.query())).toBe("UNAUTHORIZED");
    const wrong = { authorization: `Bearer plt_${"x".repeat(43)}` };
    expect(await codeOf(world.client(ana.cookie, wrong).me.get.query())).toBe("UNAUTHORIZED");
    expect(await codeOf(world.client(ana.cookie, { authorization: "Basic x" }).me.get.query())).toBe("UNAUTHORIZED");
  });
});

interface Begun {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

function post(path: string, form: Record<string, string>): Promise<Response> {
  return fetch(world.url + path, { method: "POST", body: new URLSearchParams({ client_id: "plinth-cli", ...form }) });
}

async function begin(deviceName = "laptop"): Promise<Begun> {
  const response = await post("/device/code", { device_name: deviceName });
  expect([response.status, response.headers.get("cache-control")]).toEqual([200, "no-store"]);
  return (await response.json()) as Begun;
}

async function poll(deviceCode: string, more: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
  const response = await post("/device/token", { grant_type, device_code: deviceCode, ...more });
  const answer = (await response.json()) as Record<string, unknown>;
  expect(response.status).toBe("error" in answer ? 400 : 200);
  return answer;
}

/** Simulates that the interval has passed. */
async function pass(): Promise<void> {
  await world.pool.query("UPDATE control.device_grants SET polled_at = polled_at - interval '5 seconds'");
}

it("a person has a hundred tokens at most, however many are made at once", async () => {
  const eager = await world.signUp("eager");
  const one = () => codeOf(eager.client.tokens.create.mutate({ name: "ci", days: 1 }));
  const sql = `INSERT INTO control.access_tokens (id, person_id, name, kind, token_hash, expires_at)
    SELECT 'tok_' || n, id, 'ci', 'personal', 'sha256:' || lpad(n::text, 64, '0'), now() + interval '1 day'
    FROM control.people, generate_series(1, 95) n WHERE email = $1`;
  await world.pool.query(sql, [eager.email]);
  const codes = await Promise.all(Array.from({ length: 9 }, one));
  expect(codes.filter((code) => code === null)).toHaveLength(5);
  expect(await eager.client.tokens.list.query()).toHaveLength(100);
});

describe("a program that signs in", () => {
  beforeEach(() => world.pool.query("DELETE FROM control.device_grants"));

  it("gets one token after a person has approved its code", async () => {
    const begun = await begin("ana's laptop\n\u202e");
    expect(begun).toMatchObject({ expires_in: 600, interval: 5, verification_uri: `${CONSOLE}/device` });
    expect(begun.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(begun.verification_uri_complete).toBe(`${CONSOLE}/device#${begun.user_code}`);
    expect(await poll(begun.device_code)).toMatchObject({ error: "authorization_pending" });
    expect(await poll(begun.device_code)).toMatchObject({ error: "slow_down" });

    const typed = begun.user_code.toLowerCase().replace("-", " ");
    const opened = await ana.client.devices.open.mutate({ userCode: typed });
    expect(opened).toMatchObject({ userCode: begun.user_code, deviceName: "ana's laptop", address: "127.0.0.1" });
    expect(JSON.stringify(opened)).not.toContain(begun.device_code);
    await ana.client.devices.approve.mutate({ userCode: typed });
    expect(await codeOf(bob.client.devices.approve.mutate({ userCode: typed }))).toBe("NOT_FOUND");
    await pass();
    const { access_token: token, token_type } = await poll(begun.device_code);
    expect(token_type).toBe("Bearer");
    expect(await emailOf(program(String(token)))).toBe(ana.email);
    expect(await ana.client.tokens.list.query()).toContainEqual(
      expect.objectContaining({ name: "ana's laptop", kind: "login" }),
    );
    await pass();
    expect(await poll(begun.device_code)).toMatchObject({ error: "expired_token" });
  });

  it("gets one token from two polls at the same time", async () => {
    const { device_code, user_code: userCode } = await begin();
    await ana.client.devices.approve.mutate({ userCode });
    const answers = await Promise.all(Array.from({ length: 6 }, () => poll(device_code)));
    expect(answers.filter(({ access_token }) => access_token !== undefined)).toHaveLength(1);
  });

  it("gets no token if the person denies it, or the code has expired", async () => {
    const denied = await begin();
    await ana.client.devices.deny.mutate({ userCode: denied.user_code });
    expect(await codeOf(ana.client.devices.approve.mutate({ userCode: denied.user_code }))).toBe("NOT_FOUND");
    expect(await poll(denied.device_code)).toMatchObject({ error: "access_denied" });
    expect(await poll(denied.device_code)).toMatchObject({ error: "expired_token" });
    const late = await begin();
    await world.pool.query("UPDATE control.device_grants SET expires_at = now()");
    expect(await codeOf(ana.client.devices.open.mutate({ userCode: late.user_code }))).toBe("NOT_FOUND");
    expect(await codeOf(ana.client.devices.approve.mutate({ userCode: late.user_code }))).toBe("NOT_FOUND");
    expect(await poll(late.device_code)).toMatchObject({ error: "expired_token" });
  });

  it("is refused if the request isn't one of the RFC's", async () => {
    expect(await (await post("/device/code", { client_id: "other" })).json()).toMatchObject({
      error: "invalid_client",
    });
    const { device_code } = await begin();
    expect(await poll(device_code, { client_id: "other" })).toMatchObject({ error: "invalid_client" });
    expect(await poll(device_code, { grant_type: "password" })).toMatchObject({ error: "unsupported_grant_type" });
    expect(await poll("")).toMatchObject({ error: "invalid_request" });
    const json = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    expect((await fetch(`${world.url}/device/code`, json)).status).toBe(415);
  });

  it("can't be found by guessing codes", async () => {
    const mallory = await world.signUp("mallory");
    const { user_code: userCode } = await begin();
    const wrong = userCode.startsWith("B") ? "CCCC-CCCC" : "BBBB-BBBB";
    const guess = (code: string): Promise<string | null> =>
      codeOf(mallory.client.devices.open.mutate({ userCode: code }));
    for (let i = 0; i < 20; i++) expect(await guess(wrong)).toBe("NOT_FOUND");
    expect(await guess(userCode)).toBe("TOO_MANY_REQUESTS");
    expect(await codeOf(mallory.client.devices.approve.mutate({ userCode }))).toBe("TOO_MANY_REQUESTS");
    expect(await codeOf(ana.client.devices.open.mutate({ userCode }))).toBe(null);
  });
});

it("one address can start a limited number of sign-ins in ten minutes", async () => {
  const strict = await createWorld({ cell: false, env: { PLINTH_SIGN_IN_LIMIT: "2" } });
  try {
    const body = () => new URLSearchParams({ client_id: "plinth-cli" });
    const begun = async () => fetch(`${strict.url}/device/code`, { method: "POST", body: body() });
    expect([(await begun()).status, (await begun()).status]).toEqual([200, 200]);
    const refused = await begun();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  } finally {
    await strict.stop();
  }
});

it("a deleted account ends its tokens and its waiting programs", async () => {
  const dora = await world.signUp("dora");
  const { token } = await dora.client.tokens.create.mutate({ name: "ci", days: 1 });
  const { device_code, user_code: userCode } = await begin();
  await dora.client.devices.approve.mutate({ userCode });
  await dora.client.me.remove.mutate({ password: "correct horse battery" });
  expect(await codeOf(program(token).me.get.query())).toBe("UNAUTHORIZED");
  expect(await poll(device_code)).toMatchObject({ error: "expired_token" });
});

it("a new password and signing out everywhere end the sign-ins of programs, but not personal tokens", async () => {
  const person = await world.signUp("carol");
  for (const path of ["/auth/change-password", "/auth/revoke-sessions"]) {
    const { device_code, user_code: userCode } = await begin();
    const email = person.email;
    const signedIn = await fetch(`${world.url}/auth/sign-in/email`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: CONSOLE },
      body: JSON.stringify({ email, password: "correct horse battery" }),
    });
    const cookie = signedIn.headers
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ");
    const client = world.client(cookie);
    await client.devices.approve.mutate({ userCode });
    const login = String((await poll(device_code))["access_token"]);
    const personal = await client.tokens.create.mutate({ name: "ci", days: 1 });
    expect(await emailOf(program(login))).toBe(email);
    const password = { currentPassword: "correct horse battery", newPassword: "correct horse battery" };
    const ended = await fetch(world.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", origin: CONSOLE, cookie },
      body: JSON.stringify(path.endsWith("password") ? password : {}),
    });
    expect(ended.status).toBe(200);
    expect(await codeOf(program(login).me.get.query())).toBe("UNAUTHORIZED");
    expect(await emailOf(program(personal.token))).toBe(email);
  }
});
