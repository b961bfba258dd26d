// A second factor: the database doesn't reveal it, a password alone doesn't sign in, and codes can't be guessed.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storedBackupCode } from "./backup-codes.ts";
import { type Answer, type AuthFixture, createAuthFixture, PASSWORD } from "./testing/auth.ts";
import { codeNow } from "./testing/authenticator.ts";

let fixture: AuthFixture;
let call: AuthFixture["call"];
let addresses = 0;

beforeAll(async () => {
  fixture = await createAuthFixture();
  call = fixture.call;
});

afterAll(() => fixture?.stop());

interface Enrolled {
  readonly email: string;
  readonly cookie: string;
  readonly totpUri: string;
  readonly backupCodes: readonly string[];
}

const newAddress = (): string => `10.20.0.${++addresses}`;

async function enroll(email: string): Promise<Enrolled> {
  const { cookie } = await fixture.signUp(email, newAddress());
  const begun = await call("/two-factor/enable", { body: { password: PASSWORD }, cookie });
  expect(begun.status, begun.text).toBe(200);
  const { totpURI: totpUri, backupCodes } = JSON.parse(begun.text);
  const ip = newAddress();
  const confirmed = await call("/two-factor/verify-totp", { body: { code: codeNow(totpUri) }, cookie, ip });
  expect(confirmed.status, confirmed.text).toBe(200);
  return { email, cookie: confirmed.cookie, totpUri, backupCodes };
}

/** With only the password. */
async function begin(email: string, ip = newAddress()): Promise<Answer> {
  const answer = await call("/sign-in/email", { body: { email, password: PASSWORD }, ip });
  expect(answer.status, answer.text).toBe(200);
  return answer;
}

/** `enroll` has used the code of now. The one after it is accepted as well, for clocks that are ahead. */
const nextCode = (totpUri: string): string => codeNow(totpUri, 30);
const verify = (cookie: string, code: string, ip = newAddress()) =>
  call("/two-factor/verify-totp", { body: { code }, cookie, ip });
const useBackup = (cookie: string, code: string) =>
  call("/two-factor/verify-backup-code", { body: { code }, cookie, ip: newAddress() });
const isSignedIn = async (cookie: string): Promise<boolean> =>
  (await fixture.people.sessionOf(new Headers({ cookie }))) !== null;

describe("a second factor", () => {
  it("is set up with the password and one of its codes", async () => {
    const email = "setup@example.com";
    const { cookie } = await fixture.signUp(email, newAddress());
    const enable = (body: object, as: string | undefined) =>
      call("/two-factor/enable", { body, ...(as === undefined ? {} : { cookie: as }) });
    expect((await enable({ password: "wrong horse battery" }, cookie)).status).toBe(400);
    expect((await enable({ password: PASSWORD }, undefined)).status).toBe(401);
    const { totpURI } = JSON.parse((await enable({ password: PASSWORD }, cookie)).text);
    expect(await isSignedIn((await begin(email)).cookie)).toBe(true);
    expect((await verify(cookie, "000000")).status).toBe(401);
    expect(await isSignedIn((await begin(email)).cookie)).toBe(true);
    expect((await verify(cookie, codeNow(totpURI))).status).toBe(200);
    expect(await isSignedIn((await begin(email)).cookie)).toBe(false);
  });

  it("is required at each sign-in; the password alone gives no access", async () => {
    const { email, totpUri } = await enroll("asked@example.com");
    const begun = await begin(email);
    expect(JSON.parse(begun.text)).toMatchObject({ twoFactorRedirect: true });
    expect(await isSignedIn(begun.cookie)).toBe(false);
    expect(begun.cookie).not.toContain("plinth.device");
    expect((await verify("", codeNow(totpUri))).status).toBe(401);
    const entered = await call("/two-factor/verify-totp", {
      body: { code: ` ${nextCode(totpUri)} `, trustDevice: true },
      cookie: begun.cookie,
      ip: newAddress(),
    });
    expect(entered.status, entered.text).toBe(200);
    expect(await isSignedIn(entered.cookie)).toBe(true);
    expect(entered.cookie).toContain("plinth.device");
    // No device can sign in without a code.
    expect(entered.cookie).not.toContain("trust_device");
    // A challenge works once.
    expect((await verify(begun.cookie, codeNow(totpUri))).status).toBe(401);
  });

  it("accepts each code once, also when two sign-ins send it at the same time", async () => {
    const { email, totpUri } = await enroll("once@example.com");
    const code = nextCode(totpUri);
    const sessions = await Promise.all([begin(email), begin(email), begin(email)]);
    const answers = await Promise.all(sessions.map(({ cookie }) => verify(cookie, code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    const refused = answers.find(({ status }) => status === 401);
    expect(JSON.parse(refused?.text ?? "")).toMatchObject({ code: "CODE_WAS_USED" });
    const late = await verify((await begin(email)).cookie, ` ${code} `);
    expect([late.status, await isSignedIn(late.cookie)]).toEqual([401, false]);
    const { rows } = await fixture.pool.query<{ row: string }>("SELECT t::text AS row FROM control.used_codes t");
    expect(rows.map(({ row }) => row).join("\n")).not.toContain(code);
    await fixture.pool.query("UPDATE control.used_codes SET used_at = now() - interval '10 minutes'");
    expect((await verify((await begin(email)).cookie, codeNow(totpUri, 30))).status).toBe(200);
    expect((await fixture.pool.query("SELECT FROM control.used_codes")).rowCount).toBe(1);
  });

  it("isn't readable in the database, neither the secret nor the codes", async () => {
    const { totpUri, backupCodes } = await enroll("sealed@example.com");
    const { rows } = await fixture.pool.query<{ row: string }>("SELECT t::text AS row FROM control.two_factors t");
    const dump = rows.map(({ row }) => row).join("\n");
    const shown = new URL(totpUri).searchParams.get("secret") ?? "";
    expect(shown.length).toBeGreaterThan(30);
    expect(dump).not.toContain(shown);
    for (const code of backupCodes) expect(dump).not.toContain(code);
  });

  it("can't be guessed: ten wrong codes in a row lock it, over all addresses and sign-ins", async () => {
    const { email, totpUri } = await enroll("guessed@example.com");
    const wrong = async (cookie: string): Promise<number> => (await verify(cookie, "000000")).status;
    const first = await begin(email);
    const tried = [];
    for (let i = 0; i < 6; i++) tried.push(await wrong(first.cookie));
    // A challenge accepts five.
    expect(tried).toEqual([401, 401, 401, 401, 401, 400]);
    const second = await begin(email);
    for (let i = 0; i < 5; i++) expect(await wrong(second.cookie)).toBe(401);
    const third = await begin(email);
    expect((await verify(third.cookie, codeNow(totpUri))).status).toBe(429);
    expect((await useBackup(third.cookie, "aaaaa-bbbbb")).status).toBe(429);
    await fixture.pool.query("UPDATE control.two_factors SET locked_until = now() - interval '1 second'");
    expect((await verify((await begin(email)).cookie, nextCode(totpUri))).status).toBe(200);
  });

  it("has a limit of guesses by address over all accounts", async () => {
    const ip = newAddress();
    const statuses = [];
    for (let i = 0; i < 9; i++) statuses.push((await verify("", "000000", ip)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 401, 401, 429]);
  });

  it("accepts backup codes as people type them, and those of earlier versions", async () => {
    const { email, backupCodes } = await enroll("typing@example.com");
    const [first = "", second = "", third = ""] = backupCodes;
    expect(first).toMatch(/^[a-z2-9]{4}-[a-z2-9]{4}-[a-z2-9]{4}$/);
    for (const typed of [first.replaceAll("-", ""), second.toUpperCase(), ` ${third.replaceAll("-", " ")} `]) {
      const entered = await useBackup((await begin(email)).cookie, typed);
      expect(entered.status, entered.text).toBe(200);
    }
    expect(["Ab3de-fGh1j", "Ab3defGh1j"].map(storedBackupCode)).toEqual(["Ab3de-fGh1j", "Ab3de-fGh1j"]);
  });

  it("has backup codes, each of which works once", async () => {
    const { email, backupCodes } = await enroll("backup@example.com");
    const [code = ""] = backupCodes;
    expect(backupCodes).toHaveLength(10);
    const entered = await useBackup((await begin(email)).cookie, code);
    expect([entered.status, await isSignedIn(entered.cookie)]).toEqual([200, true]);
    expect((await useBackup((await begin(email)).cookie, code)).status).toBe(401);
    const renew = (password: string) =>
      call("/two-factor/generate-backup-codes", { body: { password }, cookie: entered.cookie });
    expect((await renew("wrong horse battery")).status).toBe(400);
    const renewed = JSON.parse((await renew(PASSWORD)).text).backupCodes as string[];
    expect((await useBackup((await begin(email)).cookie, backupCodes[1] ?? "")).status).toBe(401);
    expect((await useBackup((await begin(email)).cookie, renewed[1] ?? "")).status).toBe(200);
  });

  it("is turned off only with the password of the person", async () => {
    const { email, cookie } = await enroll("off@example.com");
    const disable = (password: string) => call("/two-factor/disable", { body: { password }, cookie });
    expect((await disable("wrong horse battery")).status).toBe(400);
    expect(await isSignedIn((await begin(email)).cookie)).toBe(false);
    expect((await disable(PASSWORD)).status).toBe(200);
    expect(await isSignedIn((await begin(email)).cookie)).toBe(true);
  });
});
