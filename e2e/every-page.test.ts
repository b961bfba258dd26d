// Every page of the console, light or dark, wide or narrow (all three in a long run): axe finds no problem, nothing is wider than the window,
// and the browser reports no error. The test finds the pages by their links, as a person does; it fails if a page is
// not reached. With PLINTH_PICTURES=DIR, it saves a picture of each there.
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isLongRun, seedOfRun } from "@plinth/testkit";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callerOf, signUp } from "./api.ts";
import { startBrowser, takePicture } from "./browser.ts";
import { loadAxe, problemsOn, transitionsOf } from "./page-problems.ts";
import { answers, type DevStack, startDev } from "./stack.ts";

const root = resolve(import.meta.dirname, "..");
const pictures = process.env["PLINTH_PICTURES"];

const LONG = "averylongnamewithoutanyplacetobreakitthatgoesonandonandonuntilitdoesnotfitintoacellofatable";
const blueprint = `project: every-page
modules: [auth, users, roles, organizations, webhooks, workers, audit_logs]
integrations:
  mail: { kind: email, provider: smtp }
emails:
  hello: { subject: Hello, body: Hello there. }
entities:
  parcel:
    realtime: true
    fields:
      name: string(1,200)
      note: text?
      weight: decimal(8,2)?
      ${"a_field_with_a_name_of_forty_letters_too"}: string?
      status: enum[draft, sent] = draft
    transitions:
      status: { initial: draft, send: { from: draft, to: sent, roles: [admin] } }
    permissions: { admin: { all: true }, user: { read: status == sent } }
  ${"an_entity_with_a_name_of_forty_signs_long"}:
    fields: { parcel_id: ref(parcel)? }
    permissions: { admin: { all: true } }
events:
  carrier.reported:
    payload: { id: string }
webhooks:
  in:
    carrier:
      verify: { scheme: hmac-sha256, header: x-signature, format: "hmac-sha256-hex={hex}", message: [body] }
      type: body.description
      dedupe: body.id
      events: { tracker.updated: carrier.reported }
actions:
  greet:
    input: { name: string }
    permissions: { admin: true }
    steps:
      - audit.write: { with: { note: "\${{ input.name }}" } }
workers:
  count:
    steps:
      - record.find: { with: { entity: parcel, where: { status: draft }, limit: 10 } }
workflows:
  thank:
    on: parcel.send
    steps:
      - audit.write: { with: { note: Sent } }
  refuse:
    on: parcel.created
    steps:
      - http.request: { with: { url: "https://nowhere.invalid/" }, retry: { attempts: 1 } }
schedules:
  nightly: { cron: "0 2 * * *", run: count }
`;

let stack: DevStack;
let browser: Browser;
let context: BrowserContext;
let projectId: string;
const folder = mkdtempSync(join(tmpdir(), "plinth-every-page-"));

beforeAll(async () => {
  const file = join(folder, "every-page.yaml");
  writeFileSync(file, blueprint);
  [stack, browser] = await Promise.all([startDev(file), startBrowser()]);
  const admin = callerOf(stack.apiUrl, stack.keys.secret);
  await signUp(stack.apiUrl, stack.keys.publishable, "ana@example.com");
  const parcel = await admin.post("/api/parcels", { name: LONG, note: null });
  expect(parcel.status, parcel.text).toBe(201);
  await admin.post("/api/parcels", { name: "Books", note: LONG, weight: "12.50" });
  await admin.post(`/api/parcels/${parcel.body.data.id}/transitions/send`, {});
  const endpoint = await admin.post("/v1/webhook-endpoints", {
    url: "https://example.com/hook",
    events: ["parcel.created"],
  });
  expect(endpoint.status, endpoint.text).toBe(201);
  const { developer } = JSON.parse(readFileSync(join(stack.home, "secrets.json"), "utf8"));
  projectId = developer.projects[stack.project].id;
  await fetch(`${stack.apiUrl}/hooks/${projectId}/carrier`, { method: "POST", body: "{}" });
  await answers(`${stack.consoleUrl}/sign-in`);
  context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${stack.consoleUrl}/sign-in`);
  await page.getByLabel("Email").fill(developer.email);
  await page.getByLabel("Password").fill(developer.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/projects/);
  await page.close();
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The console's pages by their folders, such as `/projects/[projectId]/keys`. */
function declaredRoutes(): string[] {
  return (
    globSync("**/page.tsx", { cwd: join(root, "apps/console/src/app") })
      .map((file) => `/${file.replace(/\/?page\.tsx$/, "").replaceAll(/\([^)]*\)\/?/g, "")}`.replace(/(.)\/$/, "$1"))
      // The first address only redirects to the projects.
      .filter((route) => route !== "/")
      .sort()
  );
}

function routeOf(path: string, routes: readonly string[]): string | undefined {
  const exact = routes.find((route) => route === path);
  const matching = routes.filter((route) => new RegExp(`^${route.replaceAll(/\[[^\]]+\]/g, "[^/]+")}$`).test(path));
  return exact ?? matching.sort((a, b) => a.split("[").length - b.split("[").length)[0];
}

const looks = [
  { name: "light and wide", colorScheme: "light", width: 1440 },
  { name: "dark and wide", colorScheme: "dark", width: 1440 },
  { name: "light and narrow", colorScheme: "light", width: 360 },
] as const;

/** The network is idle and the data is complete. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState("load");
  await page.locator("h1").first().waitFor();
  await expect
    .poll(() => page.locator("[aria-hidden].animate-pulse, .animate-pulse").count(), { timeout: 10_000 })
    .toBe(0);
}

/** In a usual run, each page has one look, and another one on another day. */
function looksOf(route: string, routes: readonly string[]): typeof looks | readonly (typeof looks)[number][] {
  const one = looks[(routes.indexOf(route) + seedOfRun()) % looks.length];
  return isLongRun || pictures !== undefined || one === undefined ? looks : [one];
}

test("each page is correct in each theme and size", { timeout: 300_000 }, async () => {
  const routes = declaredRoutes();
  const visited = new Map<string, string>();
  const problems: string[] = [];
  const waiting = [`/projects/${projectId}`, "/projects", "/account", "/sign-in", "/sign-up"];
  waiting.push("/invitation", "/device", "/forgot-password", "/reset-password");
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  page.on("pageerror", (error) => problems.push(`${page.url()}: ${error.message}`));
  await loadAxe(page);
  while (waiting.length > 0) {
    const path = waiting.shift() ?? "";
    const route = routeOf(path, routes);
    if (route === undefined || visited.has(route)) continue;
    visited.set(route, path);
    for (const [at, { name, colorScheme, width }] of looksOf(route, routes).entries()) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      if (at === 0) {
        await page.goto(stack.consoleUrl + path);
        await settle(page);
      }
      await expect.poll(() => transitionsOf(page), { timeout: 10_000 }).toBe(0);
      for (const problem of await problemsOn(page, width)) problems.push(`${route}, ${name}: ${problem}`);
      await takePicture(page, pictures, `${route.replaceAll(/\W+/g, "-")}-${name.replaceAll(" ", "-")}`);
    }
    const links = await page
      .locator("a[href^='/']")
      .evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).pathname));
    waiting.push(...links);
  }
  expect(problems).toEqual([]);
  expect([...visited.keys()].sort()).toEqual(routes);
});

test("the search opens pages, data and other projects, and so do single keys", async () => {
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${stack.consoleUrl}/projects/${projectId}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Search" }).waitFor();
  await page.keyboard.type("parcels");
  await page.getByRole("option", { name: "parcels" }).waitFor();
  await takePicture(page, pictures, "search");
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/projects/${projectId}/data?entity=parcel`);
  await page.getByRole("heading", { level: 1, name: "Data" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("k");
  await page.waitForURL(`**/projects/${projectId}/keys`);
  await page.keyboard.press("Shift+?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await takePicture(page, pictures, "shortcuts");
  // While a dialog is open, the same keys do nothing.
  await page.keyboard.press("g");
  await page.keyboard.press("o");
  await page.keyboard.press("Escape");
  expect(page.url()).toContain("/keys");
  await page.close();
});

test("a page says that the network is down until it is back", async () => {
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await page.goto(`${stack.consoleUrl}/projects`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await context.setOffline(true);
  await page.getByText("You are offline.").waitFor();
  await context.setOffline(false);
  await page.getByText("You are offline.").waitFor({ state: "detached" });
  await page.close();
});
