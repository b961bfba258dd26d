// The guide to e-mail and its example, tried as somebody who has read nothing else: the blueprint as it stands, served by `plinth dev`,
// called over HTTP. Its mails land in the mailbox.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { checkBlueprint } from "@plinth/blueprint";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Caller, callerOf, signUp } from "./api.ts";
import { type DevStack, startDev } from "./stack.ts";

const guide = readFileSync(resolve(import.meta.dirname, "../docs/blueprint/email.md"), "utf8");
const blueprint = /```yaml\n([\s\S]*?)```/.exec(guide)?.[1] ?? "";
const soon = { timeout: 20_000, interval: 200 };
const folder = mkdtempSync(join(tmpdir(), "plinth-email-guide-"));

let stack: DevStack;
let admin: Caller;
beforeAll(async () => {
  const file = join(folder, "club.yaml");
  writeFileSync(file, blueprint);
  stack = await startDev(file);
  admin = callerOf(stack.apiUrl, stack.keys.secret);
});
afterAll(async () => {
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const mails = async (): Promise<readonly { readonly id: string; readonly subject: string }[]> =>
  (await admin.get("/v1/emails")).body.data;

test("its blueprint is accepted, without a warning", () => {
  expect(checkBlueprint(blueprint).diagnostics).toEqual([]);
});

test("a loan sends a mail in the reader's language, which is kept", async () => {
  const made = await admin.post("/api/loans", { title: "Emma", email: "ana@example.com", language: "de" });
  expect(made.status, made.text).toBe(201);
  await expect
    .poll(mails, soon)
    .toMatchObject([{ subject: "Ausgeliehen: Emma", status: "kept", to: ["ana@example.com"] }]);
  const { body } = await admin.get(`/v1/emails/${(await mails())[0]?.id}`);
  expect(body.data).toMatchObject({
    text: "Bring Emma in 14 Tagen zurück.\n",
    html: "<p>Bring <strong>Emma</strong> in 14 Tagen zurück.</p>\n",
  });
});

test("a forgotten password is set anew by the link of a mail", async () => {
  await signUp(stack.apiUrl, stack.keys.publishable, "bo@example.com");
  const app = callerOf(stack.apiUrl, stack.keys.publishable);
  expect((await app.post("/v1/auth/forgot-password", { email: "bo@example.com" })).status).toBe(202);
  await expect.poll(async () => (await mails())[0]?.subject, soon).toBe("Reset your password");
  const { body } = await admin.get(`/v1/emails/${(await mails())[0]?.id}`);
  const token = /https:\/\/club\.example\/reset#token=(\S+)/.exec(body.data.text)?.[1];
  const password = "another password";
  expect((await app.post("/v1/auth/reset-password", { token, password })).status).toBe(204);
  expect((await app.post("/v1/auth/sign-in", { email: "bo@example.com", password })).status).toBe(200);
});
