// The guide to e-mail, followed by a reader who knows nothing else: `plinth dev` serves its blueprint, and requests use
// HTTP. Its mails go to the mailbox, and its owner sees them in the console and on the command line. With
// PLINTH_PICTURES=DIR, it saves a picture of each step there.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { checkBlueprint } from "@plinth/blueprint";
import type { Browser, Page } from "playwright-core";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Caller, callerOf, signUp } from "./api.ts";
import { startBrowser, takePicture } from "./browser.ts";
import { answers, type DevStack, startDev } from "./stack.ts";

const guide = readFileSync(resolve(import.meta.dirname, "../docs/blueprint/email.md"), "utf8");
const blueprint = /```yaml\n([\s\S]*?)```/.exec(guide)?.[1] ?? "";
const soon = { timeout: 20_000, interval: 200 };
const folder = mkdtempSync(join(tmpdir(), "plinth-email-guide-"));

let stack: DevStack;
let admin: Caller;
let server: SMTPServer;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  const file = join(folder, "club.yaml");
  writeFileSync(file, blueprint);
  server = new SMTPServer({ disabledCommands: ["STARTTLS", "AUTH"], authOptional: true });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  [stack, browser] = await Promise.all([
    startDev(file, undefined, { PLINTH_OUTBOUND_ALLOW: "127.0.0.1" }),
    startBrowser(),
  ]);
  admin = callerOf(stack.apiUrl, stack.keys.secret);
});
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
  await new Promise<void>((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const mails = async (): Promise<readonly { readonly id: string; readonly subject: string }[]> =>
  (await admin.get("/v1/emails")).body.data;

test("its blueprint is valid, without a warning", () => {
  expect(checkBlueprint(blueprint).diagnostics).toEqual([]);
});

test("a loan sends a mail in the reader's language, and the mail is stored", async () => {
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

test("a forgotten password is replaced with the link from a mail", async () => {
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

describe("in the console", () => {
  const picture = (name: string): Promise<void> => takePicture(page, process.env["PLINTH_PICTURES"], name, true);
  const button = (name: string) => page.getByRole("button", { name, exact: true });

  beforeAll(async () => {
    const { developer } = JSON.parse(readFileSync(join(stack.home, "secrets.json"), "utf8"));
    await answers(`${stack.consoleUrl}/sign-in`);
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(20_000);
    await page.goto(`${stack.consoleUrl}/sign-in`);
    await page.getByLabel("Email").fill(developer.email);
    await page.getByLabel("Password").fill(developer.password);
    await button("Sign in").click();
    await page.waitForURL(/projects/);
    await page.goto(`${stack.consoleUrl}/projects/${developer.projects[stack.project].id}/mail`);
  });

  test("a stored mail is shown", async () => {
    await page.getByRole("button", { name: /Ausgeliehen: Emma/ }).click();
    await page.getByText("Bring Emma in 14 Tagen zurück.").first().waitFor();
    await picture("mail-1-kept");
  });

  test("a template is previewed in each language, with custom values", async () => {
    await page.getByRole("tab", { name: "Templates" }).click();
    await page.getByText("You have borrowed title").waitFor();
    await picture("mail-2-template");
    await page.getByLabel("Language").selectOption("de");
    await page.getByText("Ausgeliehen: title").waitFor();
    await page.getByLabel("title").fill("<b>Emma</b>");
    await page.getByLabel("days").fill("3");
    await button("Preview with these values").click();
    await page.getByText("Ausgeliehen: <b>Emma</b>").waitFor();
    const shown = page.frameLocator("iframe").locator("body");
    expect(await shown.textContent()).toContain("Bring <b>Emma</b> in 3 Tagen zurück.");
    await page.getByLabel("days").fill("three");
    await button("Preview with these values").click();
    await page.getByText("days: It must be an integer.").waitFor();
    await picture("mail-3-refused");
  });

  test("an address is suppressed, and allowed again", async () => {
    await page.getByRole("tab", { name: "Suppressed addresses" }).click();
    await page.getByText("None: every address gets mail.").waitFor();
    await page.getByRole("textbox", { name: "Address", exact: true }).fill("cy@example.com");
    await button("Suppress").click();
    await button("Send mail again").waitFor();
    await picture("mail-4-suppressed");
    await button("Send mail again").click();
    await page.getByText("None: every address gets mail.").waitFor();
  });

  test("a connection is saved once it works, tested, replaced and removed", async () => {
    await button("Add connection").click();
    await page.getByLabel("Name", { exact: true }).fill("mail");
    await page.getByLabel("Server").fill("127.0.0.1");
    await page.getByLabel("Port").fill("1");
    await page.getByLabel("Encryption").selectOption("none");
    await page.getByLabel("Sender's address").fill("hello@club.example");
    await button("Test and save").click();
    await page.getByText("The connection was not saved").waitFor();
    await picture("mail-5-refused");
    await page.getByLabel("Port").fill(String((server.server.address() as AddressInfo).port));
    await button("Test and save").click();
    await button("Test").click();
    await page.getByText("works", { exact: true }).waitFor();
    await picture("mail-6-works");
    await button("Replace").click();
    expect(await page.getByLabel("Sender's address").inputValue()).toBe("hello@club.example");
    await page.getByLabel("Sender's name").fill("The club");
    await picture("mail-7-replace");
    await button("Test and save").click();
    await button("Test and save").waitFor({ state: "detached" });
    expect((await admin.get("/v1/connections")).body.data).toMatchObject([{ settings: { from_name: "The club" } }]);
    await button("Remove").click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText(/^None yet/).waitFor();
  });
});

test("the command line shows sent mails, templates and connections", async () => {
  const portOf = (url: string): string => new URL(url).port;
  const plinth = async (...args: readonly string[]): Promise<string> => {
    const bin = resolve(import.meta.dirname, "../apps/cli/bin.mjs");
    const { stdout } = await promisify(execFile)(process.execPath, [bin, "mail", ...args, "--project", stack.project], {
      env: {
        PATH: process.env["PATH"],
        HOME: process.env["HOME"],
        PLINTH_HOME: stack.home,
        PLINTH_API_PORT: portOf(stack.apiUrl),
        PLINTH_INTERNAL_PORT: portOf(stack.internalUrl),
        PLINTH_CONTROL_PORT: portOf(stack.controlUrl),
        PLINTH_CONSOLE_PORT: portOf(stack.consoleUrl),
      },
    });
    return stdout;
  };
  expect(await plinth("list")).toMatch(/kept +ana@example\.com +Ausgeliehen: Emma/);
  expect(await plinth("templates")).toMatch(/^borrowed +de en +title days$/m);
  await admin.post("/v1/email-suppressions", { address: "di@example.com" });
  expect(JSON.parse(await plinth("suppressions", "--json"))).toMatchObject([{ address: "di@example.com" }]);
  const port = (server.server.address() as AddressInfo).port;
  const settings = { host: "127.0.0.1", port, security: "none", from_address: "hello@club.example" };
  await admin.post("/v1/connections", { name: "mail", provider: "smtp", settings });
  expect(await plinth("connections")).toMatch(/^mail +smtp +hello@club\.example/m);
  expect(await plinth("test", "mail")).toBe("mail works; nothing was sent\n");
});
