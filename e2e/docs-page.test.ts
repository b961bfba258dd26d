// The API's reference page in a browser: a key opens it, it shows the project's own operations, sends requests to the
// API, and loads nothing from elsewhere. With PLINTH_PICTURES=DIR, it saves pictures there.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser, takePicture } from "./browser.ts";
import { type PublishedCell, startPublishedCell } from "./published-cell.ts";

const root = resolve(import.meta.dirname, "..");
const pictures = process.env["PLINTH_PICTURES"];
let database: TestDatabase;
let cell: PublishedCell;
let browser: Browser;
let page: Page;
let key: string;
const [asked, complaints]: [Set<string>, string[]] = [new Set(), []];

beforeAll(async () => {
  [database, browser] = await Promise.all([createTestDatabase(), startBrowser()]);
  cell = await startPublishedCell(database.url, "market-square");
  await cell.publish(readFileSync(resolve(root, "docs/examples/market-square.yaml"), "utf8"));
  key = await cell.makeKey("publishable");
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(20_000);
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    asked.add(protocol.startsWith("http") ? origin : protocol);
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
}, 120_000);

afterAll(async () => {
  await browser?.close();
  cell?.process.kill("SIGTERM");
  await database?.drop();
});

test("the page asks for a key, and refuses an unknown one", async () => {
  await page.goto(`${cell.origin}/v1/docs`);
  await page.getByRole("heading", { name: "API reference" }).waitFor();
  await takePicture(page, pictures, "docs-1-key");
  await page.getByLabel("API key").fill("plk_pub_nonsense");
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByText("There is no such key").waitFor();
  complaints.length = 0;
});

test("a publishable key opens the reference of its project", async () => {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByRole("heading", { name: "market-square" }).first().waitFor();
  await page.getByRole("heading", { name: "listing", exact: true }).first().waitFor();
  await takePicture(page, pictures, "docs-2-reference");
  expect(await page.title()).toBe("market-square");
});

test("an operation is sent to the API with this key", async () => {
  await page
    .getByRole("button", { name: /^Test Request.*\/api\/listings\)$/ })
    .first()
    .click();
  const reply = page.waitForResponse((each) => new URL(each.url()).pathname === "/api/listings");
  await page.getByRole("button", { name: /^Send/ }).first().click();
  expect((await reply).status()).toBe(200);
  expect([...new URL((await reply).url()).searchParams]).toEqual([["limit", "20"]]);
  await page.getByText("next_cursor").first().waitFor();
  await takePicture(page, pictures, "docs-3-tried");
});

test("nothing is loaded from elsewhere, and the browser reports no violation", () => {
  expect([...asked].filter((from) => !["data:", "blob:"].includes(from))).toEqual([cell.origin]);
  expect(complaints).toEqual([]);
});

test("the key stays after a reload, and is removed when another key is requested", async () => {
  await page.reload();
  await page.getByRole("heading", { name: "market-square" }).first().waitFor();
  await page.getByRole("button", { name: "Use another key" }).click();
  await page.getByLabel("API key").waitFor();
  expect(await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]))).not.toContain(key);
});

test("each file is sent compressed or plain, and HEAD is answered like GET", async () => {
  for (const path of ["", "/shell.css", "/shell.js", "/reference.js"]) {
    const url = `${cell.origin}/v1/docs${path}`;
    const packed = await fetch(url);
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    expect(packed.headers.get("content-security-policy")).toContain("default-src 'none'");
    const plain = await fetch(url, { headers: { "accept-encoding": "identity" } });
    expect(plain.headers.get("content-encoding")).toBe(null);
    expect(await plain.text()).toBe(await packed.text());
    const head = await fetch(url, { method: "HEAD" });
    expect([head.status, head.headers.get("content-type")]).toEqual([200, packed.headers.get("content-type")]);
  }
  expect((await fetch(`${cell.origin}/v1/docs/../docs/nothing.js`)).status).toBe(401);
  expect((await fetch(`${cell.origin}/v1/docs`, { method: "POST" })).status).toBe(401);
});

test("text from an author is shown and never run", async () => {
  const hostile = await cell.addProject("hostile");
  const trap = `<img src=x onerror="globalThis.hit = 1"><script>globalThis.hit = 1</script>[here](javascript:globalThis.hit=1)`;
  const fields = `{ title: { type: string, help: ${JSON.stringify(trap)} } }`;
  await hostile.publish(
    `project: hostile\nentities:\n  note:\n    help: ${JSON.stringify(trap)}\n    fields: ${fields}\n    permissions: { public: { all: true } }\n`,
  );
  const own = await browser.newPage();
  await own.goto(`${cell.origin}/v1/docs`);
  await own.getByLabel("API key").fill(await hostile.makeKey("publishable"));
  await own.getByRole("button", { name: "Open" }).click();
  await own.getByRole("heading", { name: "note", exact: true }).first().waitFor();
  await own.getByText("here", { exact: true }).first().waitFor();
  expect(await own.evaluate("globalThis.hit")).toBeUndefined();
  expect(await own.locator('a[href^="javascript:"]').count()).toBe(0);
  expect(await own.locator("#reference script, #reference [onerror]").count()).toBe(0);
  await own.close();
});
