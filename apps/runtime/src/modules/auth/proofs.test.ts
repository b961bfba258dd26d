// Sign-up with a verified address, and forgotten passwords: no answer reveals whether an address has an account, and a
// token works once.
import { randomUUID } from "node:crypto";
import type { ProjectId } from "@plinth/bundle";
import { tenantNames } from "@plinth/postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleOf } from "../../http/testing/test-cell.ts";
import { createSecretBox } from "../../identity/secret-box.ts";
import { createLedger, type MailRow } from "../../mail/ledger.ts";
import {
  callModule,
  createTestDatabase,
  dataOf,
  deploy,
  kek,
  makeKey,
  makeProject,
  openTestCell,
  publicationOf,
  type TestCell,
  type TestDatabase,
} from "../../modes/testing/cell.ts";
import { cellTemplate } from "../../release/testing/cell-template.ts";
import { createAccountTokens } from "./account-tokens.ts";

const blueprint = `project: desk
modules: [auth, users]
auth:
  verify_email: true
  verify_url: https://app.example.com/verify
`;
const password = "correct horse battery";

let database: TestDatabase;
let cell: TestCell;
let projectId: ProjectId;
let key: string;
beforeAll(async () => {
  database = await createTestDatabase(cellTemplate);
  cell = await openTestCell(database, { mailbox: true });
  projectId = await makeProject(cell);
  await deploy(cell, publicationOf(projectId, bundleOf(blueprint), null));
  ({ key } = await makeKey(cell, projectId, { kind: "publishable" }));
});
afterAll(async () => {
  await cell?.close();
  await database?.drop();
});

let last = 0;
const call = (route: string, body: object, ip = `198.18.0.${++last}`): ReturnType<typeof callModule> =>
  callModule(cell, { path: `/v1/auth/${route}`, key, body, ip });

/** The newest mail to an address, once it exists. */
async function mailTo(address: string, template: string): Promise<MailRow> {
  const ledger = createLedger({ pool: cell.pool, box: createSecretBox(kek) });
  for (let tries = 0; tries < 100; tries++) {
    const mails = await ledger.list(projectId, { limit: 100 });
    const mail = mails.find(({ content, template: of }) => of === template && content.to[0] === address);
    if (mail !== undefined) return mail;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("no mail has come");
}
const tokenIn = ({ content }: MailRow): string => /plm_[\w-]+/.exec(content.text ?? "")?.[0] ?? "";

async function signUp(email: string): Promise<string> {
  const asked = await call("sign-up", { email, password });
  expect(asked).toMatchObject({ status: 202 });
  expect(dataOf(asked)).toEqual({ status: "mail_sent" });
  return tokenIn(await mailTo(email, "verify_email"));
}

it("the account is created when its address is verified, and a token works once", async () => {
  const token = await signUp("ana@example.com");
  const mail = await mailTo("ana@example.com", "verify_email");
  expect(mail.content.text).toContain(`https://app.example.com/verify#token=${token}`);
  await expect(call("sign-in", { email: "ana@example.com", password })).rejects.toMatchObject({
    code: "invalid_credentials",
  });
  const { rows } = await cell.pool.query("SELECT * FROM plinth.account_tokens");
  for (const secret of [token, "ana@example.com", password]) expect(JSON.stringify(rows)).not.toContain(secret);
  const verified = await call("verify-email", { token, password });
  expect(dataOf(verified).user.email).toBe("ana@example.com");
  await call("sign-in", { email: "ana@example.com", password });
  await expect(call("verify-email", { token, password })).rejects.toMatchObject({ code: "invalid_credentials" });
});

it("the person who proves the address chooses the password, which the person who signed up doesn't know", async () => {
  const token = await signUp("flo@example.com");
  await call("verify-email", { token, password: "chosen by the reader" });
  await expect(call("sign-in", { email: "flo@example.com", password })).rejects.toMatchObject({
    code: "invalid_credentials",
  });
  await call("sign-in", { email: "flo@example.com", password: "chosen by the reader" });
});

it("an address with an account gets the same answer, and its owner is informed", async () => {
  await call("verify-email", { token: await signUp("bo@example.com"), password });
  const again = await call("sign-up", { email: "bo@example.com", password: "another password" });
  const fresh = await call("sign-up", { email: "new@example.com", password });
  expect(again).toEqual(fresh);
  const mail = await mailTo("bo@example.com", "account_exists");
  expect(tokenIn(mail)).toBe("");
  await expect(call("sign-in", { email: "bo@example.com", password: "another password" })).rejects.toMatchObject({
    code: "invalid_credentials",
  });
});

it("the reader of the mail sets a new password, and all sessions end", async () => {
  const session = dataOf(await call("verify-email", { token: await signUp("cy@example.com"), password }));
  const known = await call("forgot-password", { email: "cy@example.com" });
  expect(await call("forgot-password", { email: "nobody@example.com" })).toEqual(known);
  expect(known).toMatchObject({ status: 202 });
  const token = tokenIn(await mailTo("cy@example.com", "reset_password"));
  await call("reset-password", { token, password: "a new password" });
  await expect(call("reset-password", { token, password: "yet another one" })).rejects.toMatchObject({
    code: "invalid_credentials",
  });
  await expect(call("refresh", { refresh_token: session.refresh_token })).rejects.toMatchObject({
    code: "invalid_credentials",
  });
  const me = callModule(cell, { method: "GET", path: "/v1/users/me", key: session.access_token });
  await expect(me).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(call("sign-in", { email: "cy@example.com", password })).rejects.toMatchObject({
    code: "invalid_credentials",
  });
  await call("sign-in", { email: "cy@example.com", password: "a new password" });
  const { rows } = await cell.pool.query(
    `SELECT 1 FROM ${tenantNames(projectId).schema}.audit_log WHERE operation = 'reset_password'`,
  );
  expect(rows).toHaveLength(1);
});

it("of several requested tokens, one sets a password, and invalidates the others", async () => {
  const tokens = createAccountTokens({ pool: cell.pool, box: createSecretBox(kek) });
  const userId = randomUUID();
  const made = await Promise.all(Array.from({ length: 20 }, () => tokens.makeReset(projectId, userId)));
  const owners: (string | null)[] = [];
  for (const token of made) owners.push(await tokens.takeReset(projectId, token));
  expect(owners.filter((owner) => owner !== null)).toEqual([userId]);
});

it("a token still works after a reset that was refused because of a full queue", async () => {
  await call("verify-email", { token: await signUp("gil@example.com"), password });
  await call("forgot-password", { email: "gil@example.com" });
  const token = tokenIn(await mailTo("gil@example.com", "reset_password"));
  const flood = Promise.allSettled(
    Array.from({ length: 60 }, () => call("verify-email", { token: "plm_none", password })),
  );
  const refused = call("reset-password", { token, password: "a new password" });
  await expect(refused).rejects.toMatchObject({ code: "unavailable" });
  await flood;
  await call("reset-password", { token, password: "a new password" });
  await call("sign-in", { email: "gil@example.com", password: "a new password" });
});

it("a token only works for its purpose, its time and its project", async () => {
  const verification = await signUp("di@example.com");
  await expect(call("reset-password", { token: verification, password })).rejects.toMatchObject({
    code: "invalid_credentials",
  });
  const other = await makeProject(cell);
  await deploy(cell, publicationOf(other, bundleOf(blueprint), null));
  const { key: otherKey } = await makeKey(cell, other, { kind: "publishable" });
  const elsewhere = callModule(cell, {
    path: "/v1/auth/verify-email",
    key: otherKey,
    body: { token: verification, password },
  });
  await expect(elsewhere).rejects.toMatchObject({ code: "invalid_credentials" });
  await cell.pool.query("UPDATE plinth.account_tokens SET expires_at = now()");
  await expect(call("verify-email", { token: verification, password })).rejects.toMatchObject({
    code: "invalid_credentials",
  });
});

it("an address gets a limited number of mails in an hour, whoever requests them", async () => {
  for (let mails = 0; mails < 5; mails++) await call("forgot-password", { email: "ed@example.com" });
  await expect(call("forgot-password", { email: "ed@example.com" })).rejects.toMatchObject({ code: "rate_limited" });
  await expect(call("sign-up", { email: "ed@example.com", password })).rejects.toMatchObject({ code: "rate_limited" });
});
