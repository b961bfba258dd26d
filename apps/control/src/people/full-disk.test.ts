// A full database refuses writes about people with 503 and leaves no trace. Signed-in people can go on.
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type Answer, type AuthFixture, createAuthFixture, PASSWORD } from "./testing/auth.ts";

const tables = ["people", "accounts", "sessions", "organizations"] as const;

let fixture: AuthFixture;
let ana: Answer;

beforeAll(async () => {
  fixture = await createAuthFixture();
  await fixture.pool.query(`
    CREATE FUNCTION control.full_disk() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$`);
});

afterAll(() => fixture?.stop());

let people = 0;
beforeEach(async () => {
  ana = await fixture.signUp(`ana${++people}@example.com`);
  expect(ana.status).toBe(200);
});

async function onFullDisk<T>(work: () => Promise<T>, full: readonly string[] = tables): Promise<T> {
  const trigger = (table: string) =>
    `CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE OR DELETE ON control.${table} EXECUTE FUNCTION control.full_disk()`;
  await fixture.pool.query(full.map(trigger).join(";"));
  try {
    return await work();
  } finally {
    await fixture.pool.query(full.map((table) => `DROP TRIGGER full_disk ON control.${table}`).join(";"));
  }
}

const unavailable = { status: 503, retryAfter: "30", cookies: [] };
const emailOf = () => `ana${people}@example.com`;
const signIn = (ip = "10.2.0.1") =>
  fixture.call("/sign-in/email", { body: { email: emailOf(), password: PASSWORD }, ip });
const personOf = async (cookie: string) => (await fixture.people.sessionOf(new Headers({ cookie })))?.person.email;

it.each(["people", "accounts", "sessions"])(
  "a sign-up is refused if %s has no space, and leaves no partial account",
  async (table) => {
    const email = `new-${table}@example.com`;
    const refused = await onFullDisk(() => fixture.signUp(email), [table]);
    expect(refused).toMatchObject(unavailable);
    expect(JSON.parse(refused.text)).toEqual({
      code: "UNAVAILABLE",
      message: "The database has no disk space left.",
    });
    expect((await fixture.signUp(email)).status).toBe(200);
  },
);

it("an account without space for its organization gets it at the next sign-in", async () => {
  const email = "half@example.com";
  expect(await onFullDisk(() => fixture.signUp(email), ["organizations"])).toMatchObject(unavailable);
  expect((await fixture.call("/sign-in/email", { body: { email, password: PASSWORD } })).status).toBe(200);
  const { rowCount } = await fixture.pool.query(
    "SELECT FROM control.memberships m JOIN control.people p ON p.id = m.person_id WHERE p.email = $1",
    [email],
  );
  expect(rowCount).toBe(1);
});

it("a sign-in is always refused, and isn't counted as a guess", async () => {
  await onFullDisk(async () => {
    for (let i = 0; i < 10; i++) expect(await signIn()).toMatchObject(unavailable);
  });
  expect((await signIn()).status).toBe(200);
});

it("a sign-out reports its failure", async () => {
  const { cookie } = ana;
  const refused = await onFullDisk(() => fixture.call("/sign-out", { body: {}, cookie }));
  expect(refused).toMatchObject(unavailable);
  expect(await personOf(cookie)).toBe(emailOf());
  expect((await fixture.call("/sign-out", { body: {}, cookie })).status).toBe(200);
  expect(await personOf(cookie)).toBeUndefined();
});

it("neither the password nor another session is changed", async () => {
  const { cookie } = ana;
  const changed = { currentPassword: PASSWORD, newPassword: "another horse battery" };
  await onFullDisk(async () => {
    expect(await fixture.call("/change-password", { body: changed, cookie })).toMatchObject(unavailable);
    expect(await fixture.call("/revoke-sessions", { body: {}, cookie })).toMatchObject(unavailable);
  });
  expect(await personOf(cookie)).toBe(emailOf());
  expect((await signIn("10.2.0.2")).status).toBe(200);
});

it("a signed-in person can go on, even if the session has to be extended", async () => {
  const { cookie } = ana;
  await fixture.pool.query("UPDATE control.sessions SET expires_at = now() + interval '2 days'");
  expect(await onFullDisk(() => personOf(cookie))).toBe(emailOf());
  const session = await fixture.people.sessionOf(new Headers({ cookie }));
  expect(session?.cookies.join()).toContain("plinth.session_token");
});
