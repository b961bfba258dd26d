// Inbound webhooks as a person sets them up in the console: a source needs a secret, the page's command sends a test
// request, and received requests are shown and replayed. With PLINTH_PICTURES=DIR, it saves a picture of each page
// there.
import { execFileSync } from "node:child_process";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { agreeToAll, signUpOnConsole, startBrowser, takePicture } from "./browser.ts";
import { type Stack, startUp } from "./stack.ts";

const blueprint = `project: repo-log
modules: [auth, users, roles, webhooks, workers, audit_logs]
entities:
  push:
    fields:
      delivery: string?
    permissions:
      admin: { all: true }
webhooks:
  in:
    github:
      verify: github
      type: headers.x-github-event
      events: { push: code.pushed }
    stripe:
      verify: stripe
      type: body.type
      events: { payment_intent.succeeded: payment.succeeded }
workflows:
  note_push:
    on: code.pushed
    actions:
      - record.create: { with: { entity: push } }
`;
const SECRET = "a secret of the repository";

let stack: Stack;
let browser: Browser;
let page: Page;
const pictures = process.env["PLINTH_PICTURES"];
const consoleErrors: string[] = [];

beforeAll(async () => {
  [stack, browser] = await Promise.all([startUp(), startBrowser()]);
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(20_000);
  page.on("pageerror", (error) => consoleErrors.push(error.message));
  await signUpOnConsole(page, stack.consoleUrl, { name: "Dana Developer", email: "dana@example.com" });
});

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

afterEach(async ({ task }) => {
  if (task.result?.state === "fail")
    await takePicture(page, pictures, `failed-${task.name.replaceAll(/\W+/g, "-").slice(0, 40)}`);
});

const picture = (name: string): Promise<void> => takePicture(page, pictures, name, true);
const region = (name: string): Locator => page.getByRole("region", { name, exact: true });
const button = (name: string | RegExp): Locator => page.getByRole("button", { name, exact: true });

async function openReceived(): Promise<void> {
  await page.getByRole("navigation", { name: "Project" }).getByRole("link", { name: "Webhooks" }).click();
  await page.getByRole("navigation", { name: "Webhooks" }).getByRole("link", { name: "Received" }).click();
}

test("before a version declares a source, the page says what to write", async () => {
  await page.goto(`${stack.consoleUrl}/projects/new`);
  await page.getByLabel("Name").fill("repo-log");
  await page.getByText("Your own file").click();
  const file = { name: "plinth.yaml", mimeType: "application/yaml", buffer: Buffer.from(blueprint) };
  await page.locator("form input[type=file]").setInputFiles(file);
  await button("Create project").click();
  await page.waitForURL(/prj_/);
  await openReceived();
  await page.getByText("No service sends to this project yet").waitFor();
  await picture("01-no-sources");
});

test("a source without a secret says so, and where to find it at the provider", async () => {
  await page.getByRole("navigation", { name: "Project" }).getByRole("link", { name: "Blueprint" }).click();
  await button("Review change").click();
  await page.getByRole("button", { name: /^Approve/ }).waitFor();
  await agreeToAll(page);
  await page.getByRole("button", { name: /^Approve/ }).click();
  await button("Deploy").click();
  await page.getByText("This version is live").waitFor();
  await openReceived();
  // The page requests its data again after the deployment.
  await page.getByText("Needs a secret").first().waitFor({ timeout: 3_000 });
  expect(await page.getByText("Needs a secret").count()).toBe(2);
  await picture("02-sources");
  await page.getByRole("link", { name: "github", exact: true }).click();
  await region("Address")
    .getByText(/\/hooks\/prj_/)
    .first()
    .waitFor();
  await page.getByText("Every request is refused until the source has a secret").waitFor();
  await picture("03-source-without-secret");
});

test("once the source has a secret, the command on the page sends a request that starts a workflow", async () => {
  const command = await page.getByRole("group", { name: "test command" }).innerText();
  const send = (): string =>
    execFileSync("sh", ["-c", command], { env: { ...process.env, SECRET }, encoding: "utf8", stdio: "pipe" });
  expect(send()).toMatch(/^HTTP\/1.1 404/);
  await button("Add secret").click();
  await page.getByLabel("Secret", { exact: true }).fill(SECRET);
  await picture("04-secret-form");
  await button("Save secret").click();
  await page.getByText("Waiting for the first request").waitFor();
  expect(send()).toMatch(/^HTTP\/1.1 200/);
  await page.getByText("Receiving").waitFor();
  const list = page.getByRole("list", { name: "Requests" });
  await list.getByText("became code.pushed").waitFor();
  await list.getByText("the source had no secret at that time").waitFor();
  await picture("05-requests");
  await list.getByRole("button", { name: /accepted/ }).click();
  await page.getByText("Keep it logically awesome.").waitFor();
  await list.getByRole("button", { name: "Replay" }).click();
  await page.getByText("code.pushed was emitted again").waitFor();
  await picture("06-request");
});

test("a secret is rotated with an overlap, and removed", async () => {
  await button("Rotate secret").click();
  await page.getByLabel("New secret").fill("the next secret of the repository");
  await picture("07-rotate");
  await button("Save secret").click();
  const secrets = page.getByRole("list", { name: "Secrets" });
  await secrets.getByText(/ends/).waitFor();
  expect(await secrets.getByRole("listitem").count()).toBe(2);
  await secrets.getByRole("button", { name: "Remove" }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove secret" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await secrets.getByText(/ends/).waitFor({ state: "detached" });
  expect(await secrets.getByRole("listitem").count()).toBe(1);
  expect(consoleErrors).toEqual([]);
});
