// The guide to following changes as printed: `plinth dev` serves its blueprint, and its example runs in Node and in
// Chromium.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { stripTypeScriptTypes } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { checkBlueprint } from "@plinth/blueprint";
import { type Client, createClient } from "@plinth/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Caller, callerOf } from "./api.ts";
import { startBrowser } from "./browser.ts";
import { type DevStack, startDev } from "./stack.ts";

const root = resolve(import.meta.dirname, "..");
const guide = readFileSync(join(root, "docs/blueprint/live.md"), "utf8");
const [, blueprint = ""] = /```yaml\n([\s\S]*?)```/.exec(guide) ?? [];
const [, example = ""] = /```js\n([\s\S]*?)```/.exec(guide) ?? [];
const soon = { timeout: 10_000, interval: 50 };

let stack: DevStack;
let admin: Caller;
const folder = mkdtempSync(join(tmpdir(), "plinth-live-"));
beforeAll(async () => {
  const file = join(folder, "kitchen.yaml");
  writeFileSync(file, blueprint);
  stack = await startDev(file);
  admin = callerOf(stack.apiUrl, stack.keys.secret);
}, 180_000);
afterAll(async () => {
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("its blueprint is valid, without a warning", () => {
  expect(checkBlueprint(blueprint).diagnostics).toEqual([]);
});

/** The inputs of the example; it stores the open orders in `shown`. */
const body = `
  const shown = new Map();
  globalThis.shown = shown;
  const show = (records) => { shown.clear(); for (const record of records) shown.set(record.id, record.dish); globalThis.begun = true; };
  const put = (record) => shown.set(record.id, record.dish);
  const remove = (id) => shown.delete(id);
  ${example}`;

const clientIn = (): Client => {
  return createClient({ project: stack.project, apiKey: stack.keys.secret, baseUrl: stack.apiUrl });
};

async function changeOrders(seen: () => Promise<readonly string[]>): Promise<void> {
  const soup = await admin.post("/api/orders", { dish: "soup" });
  await expect.poll(seen, soon).toContain("soup");
  const stew = await admin.post("/api/orders", { dish: "stew" });
  await expect.poll(seen, soon).toContain("stew");
  await admin.patch(`/api/orders/${soup.body.data.id}`, { status: "cooked" });
  await expect.poll(seen, soon).not.toContain("soup");
  await admin.delete(`/api/orders/${stew.body.data.id}`);
  await expect.poll(seen, soon).not.toContain("stew");
}

test("its example runs in Node", async () => {
  const run = new Function("db", `return (async () => {${body}})();`) as (db: Client) => Promise<void>;
  void run(clientIn());
  const page = globalThis as { shown?: ReadonlyMap<string, string>; begun?: boolean };
  await expect.poll(() => page.begun, soon).toBe(true);
  await changeOrders(async () => [...(page.shown?.values() ?? [])]);
});

test("a subscription with a callback ends when it is closed, or with the reason why it can't continue", async () => {
  const types: string[] = [];
  const subscription = clientIn()
    .entity("order")
    .subscribe({ onChange: ({ type }) => void types.push(type) });
  await expect.poll(() => types, soon).toEqual(["ready"]);
  await admin.post("/api/orders", { dish: "tea" });
  await expect.poll(() => types, soon).toEqual(["ready", "created"]);
  const lastEventId = subscription.lastEventId() ?? "";
  subscription.close();
  await admin.post("/api/orders", { dish: "cake" });
  const again = clientIn().entity("order").subscribe({ lastEventId });
  const seen: unknown[] = [];
  for await (const change of again) {
    seen.push(change.type === "created" ? change.record["dish"] : change);
    if (seen.length === 2) again.close();
  }
  expect(seen).toEqual([{ type: "ready", resumed: true }, "cake"]);
  expect(types).toEqual(["ready", "created"]);
  const visitor = createClient({ project: stack.project, apiKey: stack.keys.publishable, baseUrl: stack.apiUrl });
  const refused = (async () => {
    for await (const change of visitor.entity("order").subscribe()) throw new Error(change.type);
  })();
  await expect(refused).rejects.toMatchObject({ code: "forbidden" });
});

test("its example runs in Chromium", async () => {
  const pages = await servePages();
  const browser = await startBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
    await expect.poll(() => page.evaluate("globalThis.begun"), soon).toBe(true);
    await changeOrders(() => page.evaluate("[...globalThis.shown.values()]"));
  } finally {
    await browser.close();
    pages.close();
  }
}, 60_000);

/**
 * The SDK's own modules, and a page that runs the example with them. It runs as a user, because a page has no secret
 * key.
 */
async function servePages(): Promise<Server> {
  const sources = join(root, "packages/sdk/src");
  const names = new Set(readdirSync(sources).filter((name) => !name.endsWith(".test.ts")));
  const options = JSON.stringify({ project: stack.project, apiKey: stack.keys.publishable, baseUrl: stack.apiUrl });
  const { data } = (
    await callerOf(stack.apiUrl, stack.keys.publishable).post("/v1/auth/sign-up", {
      email: "cook@example.com",
      password: "correct horse battery",
    })
  ).body;
  await admin.put(`/v1/users/${data.user.id}/roles`, { roles: ["admin"] });
  const script = `import { createClient } from "/index.ts";
    const db = createClient({ ...${options}, userToken: ${JSON.stringify(data.access_token)} });
    ${body}`;
  const server = createServer(({ url = "/" }, response) => {
    const name = url.slice(1);
    if (names.has(name)) {
      response.setHeader("content-type", "text/javascript");
      response.end(stripTypeScriptTypes(readFileSync(join(sources, name), "utf8")));
    } else {
      response.setHeader("content-type", "text/html");
      response.end(`<script type="module">${script}</script>`);
    }
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return server;
}
