// Changes as members of a project see them: on the Live page of the console in a real browser, and in a terminal. With
// PLINTH_PICTURES=DIR, it saves a picture of each state there.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Caller, callerOf } from "./api.ts";
import { startBrowser, takePicture } from "./browser.ts";
import { answers, type DevStack, startDev } from "./stack.ts";

const blueprint = `project: kitchen
modules: [auth, users, roles]
entities:
  order:
    realtime: true
    fields:
      dish: string
      guests: int = 1
      note: text?
    permissions: { admin: { all: true } }
  table:
    realtime: true
    fields: { seats: int }
    permissions: { admin: { all: true } }
  menu:
    fields: { name: string }
    permissions: { admin: { all: true } }
`;

let stack: DevStack;
let browser: Browser;
let page: Page;
let api: Caller;
let projectId: string;
const folder = mkdtempSync(join(tmpdir(), "plinth-live-tail-"));
const pictures = process.env["PLINTH_PICTURES"];
const pageErrors: string[] = [];
const soon = { timeout: 10_000, interval: 50 };

beforeAll(async () => {
  const file = join(folder, "kitchen.yaml");
  writeFileSync(file, blueprint);
  [stack, browser] = await Promise.all([startDev(file), startBrowser()]);
  api = callerOf(stack.apiUrl, stack.keys.secret);
  const { developer } = JSON.parse(readFileSync(join(stack.home, "secrets.json"), "utf8"));
  projectId = developer.projects[stack.project].id;
  await answers(`${stack.consoleUrl}/sign-in`);
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(20_000);
  page.on("pageerror", (error) => pageErrors.push(error.message));
  await page.goto(`${stack.consoleUrl}/sign-in`);
  await page.getByLabel("Email").fill(developer.email);
  await page.getByLabel("Password").fill(developer.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/projects/);
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const picture = (name: string): Promise<void> => takePicture(page, pictures, name, true);
const rows = (): Locator => page.getByRole("list", { name: "Changes" }).getByRole("listitem");
const button = (name: string | RegExp): Locator => page.getByRole("button", { name });
const kinds = async (): Promise<readonly string[]> =>
  (await rows().allInnerTexts()).map((text) => /created|updated|gone|resync/.exec(text)?.[0] ?? text);

test("the console shows each change as it happens", async () => {
  await page.goto(`${stack.consoleUrl}/projects/${projectId}`);
  await page.getByRole("link", { name: "Live" }).click();
  await page.getByText("Waiting for changes").waitFor();
  await page.getByRole("status").getByText("Live", { exact: true }).waitFor();
  await picture("live-00-empty");
  const order = await api.post("/v1/resources/orders", { dish: "soup", note: "without salt" });
  await page.getByText("dish: soup").waitFor();
  await api.patch(`/v1/resources/orders/${order.body.data.id}`, { dish: "stew" });
  await page.getByText("dish: stew").waitFor();
  await api.delete(`/v1/resources/orders/${order.body.data.id}`);
  await expect.poll(kinds, soon).toEqual(["gone", "updated", "created"]);
  await api.post("/v1/resources/tables", { seats: 4 });
  await page.getByText("seats: 4").waitFor();
  await button("Show the order").first().click();
  await page.getByText('"without salt"').waitFor();
  await picture("live-01-changes");
  await page.setViewportSize({ width: 390, height: 900 });
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  await page.setViewportSize({ width: 1440, height: 900 });
});

test("it shows one entity alone, and starts again after a clear", async () => {
  await page.getByLabel("Entity").selectOption("table");
  await expect.poll(kinds, soon).toEqual(["created"]);
  await page.getByLabel("Entity").selectOption("");
  expect((await kinds()).length).toBe(4);
  await button("Clear").click();
  await page.getByText("Waiting for changes").waitFor();
});

test("changes during a pause are shown afterwards, once", async () => {
  await button("Pause").click();
  await page.getByRole("status").getByText("Paused").waitFor();
  for (const dish of ["one", "two"]) await api.post("/v1/resources/orders", { dish });
  await picture("live-02-paused");
  expect(await rows().count()).toBe(0);
  await button("Resume").click();
  await expect.poll(kinds, soon).toEqual(["created", "created"]);
  await page.waitForTimeout(1_000);
  expect((await rows().allInnerTexts()).map((text) => /dish: (\w+)/.exec(text)?.[1])).toEqual(["two", "one"]);
});

test("it continues after the cell restarts", async () => {
  const pid = stack.pidOf("apps/runtime/");
  if (pid === null) throw new Error("no runtime");
  process.kill(pid, "SIGKILL");
  await page.getByRole("status").getByText("Reconnecting").waitFor();
  await picture("live-03-reconnecting");
  await expect
    .poll(
      () =>
        api.post("/v1/resources/orders", { dish: "after" }).then(
          ({ status }) => status,
          () => 0,
        ),
      {
        timeout: 30_000,
        interval: 300,
      },
    )
    .toBe(201);
  await page.getByText("dish: after").waitFor();
  await page.getByRole("status").getByText("Live", { exact: true }).waitFor();
  expect(pageErrors).toEqual([]);
}, 60_000);

test("the terminal shows the same changes", async () => {
  const child = plinth(["live", "tail", "--project", stack.project, "--entity", "order"]);
  let out = "";
  let err = "";
  child.stdout?.on("data", (part) => {
    out += part;
  });
  child.stderr?.on("data", (part) => {
    err += part;
  });
  const ended = new Promise<number | null>((done) => child.once("exit", done));
  await expect.poll(() => err, soon).toContain("new changes of order");
  // The first answer contains its starting position.
  await page.waitForTimeout(1_000);
  await api.post("/v1/resources/tables", { seats: 2 });
  const { body } = await api.post("/v1/resources/orders", { dish: "rice" });
  await expect.poll(() => out, soon).toContain("rice");
  await api.delete(`/v1/resources/orders/${body.data.id}`);
  await expect.poll(() => out, soon).toContain("gone");
  expect(out).not.toContain("seats");
  expect(out.trim().split("\n").length).toBe(2);
  child.kill("SIGINT");
  expect(await ended).toBe(0);
  const wrong = plinth(["live", "tail", "--project", stack.project, "--entity", "menu"]);
  let said = "";
  wrong.stderr?.on("data", (part) => {
    said += part;
  });
  expect(await new Promise((done) => wrong.once("exit", done))).toBe(2);
  expect(said).toContain("must be one of order, table");
}, 60_000);

function plinth(args: readonly string[]): ChildProcess {
  const env = {
    PATH: process.env["PATH"],
    HOME: process.env["HOME"],
    PLINTH_HOME: stack.home,
    PLINTH_CONTROL_PORT: new URL(stack.controlUrl).port,
    PLINTH_CONSOLE_PORT: new URL(stack.consoleUrl).port,
    PLINTH_API_PORT: new URL(stack.apiUrl).port,
    PLINTH_INTERNAL_PORT: new URL(stack.internalUrl).port,
  };
  const cli = resolve(import.meta.dirname, "../apps/cli/bin.mjs");
  return spawn(process.execPath, [cli, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
}
