// A forgotten password: a mailed link sets a new one, once; nobody learns which addresses have an account, and nothing is left of
// earlier sessions.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createLogger } from "@plinth/service";
import { type MailServer, startMailServer } from "@plinth/testkit/mail-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectDatabase } from "../database/connect.ts";
import { createOwnMailer } from "../own-mail/mailer.ts";
import { smtpConnection } from "../own-mail/settings.ts";
import { CONSOLE, codeOf, createWorld, PASSWORD, type Somebody, until, type World } from "../testing/control-plane.ts";
import { createPasswordResets } from "./password-reset.ts";
import { createResetStore } from "./reset-store.ts";
import { codeNow } from "./testing/authenticator.ts";

const NEW_PASSWORD = "another horse battery";
const FROM = "Plinth <plinth@example.com>";

let mail: MailServer;
let world: World;

beforeAll(async () => {
  mail = await startMailServer();
  const env = { PLINTH_SMTP_URL: `smtp://127.0.0.1:${mail.port}?tls=none`, PLINTH_MAIL_FROM: FROM };
  world = await createWorld({ cell: false, env });
}, 60_000);

afterAll(async () => {
  await world?.stop();
  await mail?.close();
});

async function post(path: string, body: object, cookie?: string, ip = "10.4.0.1"): Promise<Response> {
  return fetch(`${world.url}/auth${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      origin: CONSOLE,
      "x-forwarded-for": ip,
      "x-plinth-console": world.config.consoleSecret,
      ...(cookie === undefined ? {} : { cookie }),
    },
    body: JSON.stringify(body),
  });
}

const signIn = (email: string, password: string) => post("/sign-in/email", { email, password });
const reset = (token: string, password = NEW_PASSWORD) => post("/password-reset", { token, password });
const codeIn = async (response: Response): Promise<unknown> => ((await response.json()) as { code?: unknown }).code;
const mailsTo = (email: string): readonly string[] =>
  mail.received
    .filter(({ to }) => to.includes(email))
    .map(({ raw }) => raw.replaceAll("=\r\n", "").replaceAll("=3D", "="));

/** Asks for a link, and reads its token from the mail. */
async function mailedToken(email: string): Promise<string> {
  const before = mailsTo(email).length;
  expect((await post("/password-reset/request", { email })).status).toBe(200);
  await until(async () => mailsTo(email).length > before);
  return tokenIn(mailsTo(email).at(-1) ?? "", "reset-password");
}

function tokenIn(text: string, page: string): string {
  return new RegExp(`${CONSOLE}/${page}#([\\w-]+)`).exec(text)?.[1] ?? "";
}

async function isVerified(email: string): Promise<boolean> {
  const { rows } = await world.pool.query("SELECT email_verified FROM control.people WHERE email = $1", [email]);
  return (rows[0] as { email_verified: boolean }).email_verified;
}

describe("a mailed link", () => {
  it("sets a new password once, ends all sessions and logins, and proves the address", async () => {
    const person = await world.signUp("forgot");
    const { email } = person;
    const { token: program } = await person.client.tokens.create.mutate({ name: "ci", days: 30 });
    const token = await mailedToken(email);
    expect(token).toHaveLength(43);
    const { rows } = await world.pool.query<{ row: string }>("SELECT r::text AS row FROM control.password_resets r");
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain(token);
    const done = await reset(token);
    expect(done.status).toBe(200);
    expect(done.headers.getSetCookie()).toEqual([]);
    expect(await codeOf(person.client.me.get.query())).toBe("UNAUTHORIZED");
    // Nobody had proven the address, so somebody else may have created the token.
    expect(await codeOf(world.client(null, { authorization: `Bearer ${program}` }).me.get.query())).toBe(
      "UNAUTHORIZED",
    );
    expect([(await signIn(email, PASSWORD)).status, (await signIn(email, NEW_PASSWORD)).status]).toEqual([401, 200]);
    expect(await codeIn(await reset(token, "a third horse battery"))).toBe("LINK_NOT_OPEN");
    expect(await isVerified(email)).toBe(true);
  });

  it("is asked for with the same answer for an address without an account, which gets no mail", async () => {
    const { email } = await world.signUp("known");
    const answers = [];
    for (const address of [email, "nobody@example.com"]) {
      const answer = await post("/password-reset/request", { email: address });
      const headers = Object.fromEntries([...answer.headers].filter(([name]) => !/^(date|x-request-id)$/.test(name)));
      answers.push({ status: answer.status, text: await answer.text(), headers });
    }
    expect(answers[1]).toEqual(answers[0]);
    await until(async () => mailsTo(email).length === 1);
    expect(mailsTo("nobody@example.com")).toEqual([]);
  });

  it("works for one of several calls at the same time", async () => {
    const { email } = await world.signUp("twice");
    const token = await mailedToken(email);
    const passwords = ["first horse battery", "second horse battery", "third horse battery"];
    const statuses = await Promise.all(passwords.map(async (password) => (await reset(token, password)).status));
    expect(statuses.toSorted()).toEqual([200, 400, 400]);
    const winner = passwords[statuses.indexOf(200)] ?? "";
    for (const password of passwords)
      expect((await signIn(email, password)).status, password).toBe(password === winner ? 200 : 401);
  });

  it("leaves the second factor on, and ends a sign-in that waits for a code", async () => {
    const person = await world.signUp("factor");
    const { email } = person;
    const begun = await post("/two-factor/enable", { password: PASSWORD }, person.cookie);
    const { totpURI } = (await begun.json()) as { totpURI: string };
    expect((await post("/two-factor/verify-totp", { code: codeNow(totpURI) }, person.cookie)).status).toBe(200);
    const waiting = cookiesOf(await signIn(email, PASSWORD));
    expect((await reset(await mailedToken(email))).status).toBe(200);
    const late = await post("/two-factor/verify-totp", { code: codeNow(totpURI, 30) }, waiting);
    expect([late.status, await codeIn(late)]).toEqual([401, "INVALID_TWO_FACTOR_COOKIE"]);
    expect(await (await signIn(email, NEW_PASSWORD)).json()).toMatchObject({ twoFactorRedirect: true });
  });

  it("ends with its time, with another password, and with another address", async () => {
    const expired = await world.signUp("expired");
    const token = await mailedToken(expired.email);
    await world.pool.query("UPDATE control.password_resets SET expires_at = now()");
    expect(await codeIn(await reset(token))).toBe("LINK_NOT_OPEN");
    const changes: readonly ((who: Somebody) => Promise<unknown>)[] = [
      ({ cookie }) => post("/change-password", { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }, cookie),
      ({ client }) => client.me.changeEmail.mutate({ email: "moved@example.com", password: PASSWORD }),
      ({ client }) => client.me.remove.mutate({ password: PASSWORD }),
    ];
    for (const change of changes) {
      const person = await world.signUp("changing");
      const open = await mailedToken(person.email);
      await change(person);
      expect(await codeIn(await reset(open, "a fourth horse battery"))).toBe("LINK_NOT_OPEN");
    }
  });

  it("isn't sent without end to one address, and its answer doesn't change", async () => {
    const { email } = await world.signUp("flooded");
    for (let asked = 0; asked < 5; asked++) {
      const answer = await post("/password-reset/request", { email: email.toUpperCase() });
      expect([answer.status, await answer.text()]).toEqual([200, "{}"]);
    }
    const other = await world.signUp("after");
    await mailedToken(other.email);
    expect(mailsTo(email)).toHaveLength(3);
  });

  it("is refused with a weak password before the token is used", async () => {
    const { email } = await world.signUp("weak");
    const token = await mailedToken(email);
    expect(await codeIn(await reset(token, "short"))).toBe("PASSWORD_TOO_SHORT");
    expect(await codeIn(await reset(token, "x".repeat(257)))).toBe("PASSWORD_TOO_LONG");
    expect((await reset(token)).status).toBe(200);
  });
});

describe("the operator", () => {
  async function operator(...args: string[]): Promise<Record<string, unknown>> {
    const main = new URL("../operator/main.ts", import.meta.url).pathname;
    const env = { CONTROL_DATABASE_URL: world.config.databaseUrl, PLINTH_CONSOLE_URL: CONSOLE };
    const { stdout } = await promisify(execFile)(process.execPath, [main, ...args], { env });
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  it("gets a link that sets a password, and can remove a second factor", async () => {
    const { email, cookie } = await world.signUp("locked-out");
    const begun = await post("/two-factor/enable", { password: PASSWORD }, cookie);
    const { totpURI } = (await begun.json()) as { totpURI: string };
    expect((await post("/two-factor/verify-totp", { code: codeNow(totpURI) }, cookie)).status).toBe(200);
    const { link } = await operator("reset-password", email.toUpperCase());
    expect((await reset(tokenIn(String(link), "reset-password"))).status).toBe(200);
    // The operator had the link, so it proves nothing about the address.
    expect(await isVerified(email)).toBe(false);
    expect(await (await signIn(email, NEW_PASSWORD)).json()).toMatchObject({ twoFactorRedirect: true });
    expect(await operator("remove-second-factor", email)).toEqual({ found: true, removed: true });
    expect(await (await signIn(email, NEW_PASSWORD)).json()).toMatchObject({ user: { email } });
    const store = createResetStore(connectDatabase(world.pool));
    expect(await store.removeSecondFactor(email)).toBe(false);
    expect(await store.removeSecondFactor("nobody@example.com")).toBeNull();
  });
});

describe("an invitation by mail", () => {
  it("is seen only by the invited person, and accepting it proves the address", async () => {
    const [owner, invited] = [await world.signUp("owner"), await world.signUp("invited")];
    const { organizationId } = owner;
    const created = await owner.client.invitations.create.mutate({
      organizationId,
      email: invited.email,
      role: "owner",
      scope: { kind: "organization" },
    });
    expect(created).toMatchObject({ token: null, mail: "sent" });
    const token = tokenIn(mailsTo(invited.email).at(-1) ?? "", "invitation");
    expect(await codeOf(owner.client.invitations.accept.mutate({ token }))).toBe("CONFLICT");
    expect(await isVerified(invited.email)).toBe(false);
    expect(await invited.client.invitations.accept.mutate({ token })).toEqual({ organizationId });
    expect(await isVerified(invited.email)).toBe(true);
  });
});

it("a mail server that refuses leaves nothing secret in the log", async () => {
  const refusing = await startMailServer({ answer: () => 554 });
  const lines: string[] = [];
  const from = smtpConnection(`smtp://127.0.0.1:${refusing.port}?tls=none`, FROM);
  const resets = createPasswordResets({
    store: {
      create: async () => ({ expiresAt: new Date() }),
      isOpen: async () => false,
      use: async () => false,
      endOpenWays: async () => {},
      removeSecondFactor: async () => null,
    },
    mailer: createOwnMailer({ kind: "smtp", connection: from }),
    passwords: { hash: async () => "" },
    logger: createLogger({ name: "test", destination: { write: (line) => void lines.push(line) } }),
    consoleUrl: CONSOLE,
    attemptsMax: 2,
  });
  expect([1, 2].map(() => resets.request("who@example.com", "10.0.0.9"))).toEqual([0, 0]);
  expect(resets.request("who@example.com", "10.0.0.9")).toBeGreaterThan(0);
  await resets.settled();
  await refusing.close();
  expect(lines).toHaveLength(2);
  expect(lines.join()).toContain("The mail server answered with 554");
  expect(lines.join()).not.toMatch(/who@example|reset-password#/);
});

function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
}
