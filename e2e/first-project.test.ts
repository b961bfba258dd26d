// The main use of the product, as a person does it: sign up in the console, create a project, read its changes,
// approve, deploy, create a key. Then an app calls the API, its users only see their own records, and a field is added
// while the client runs. With PLINTH_PICTURES=DIR, it saves a picture of each step there.
import { execFileSync } from "node:child_process";
import { createClient, NotFound } from "@plinth/sdk";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { call, callerOf } from "./api.ts";
import { agreeToAll, startBrowser, takePicture } from "./browser.ts";
import { type Stack, startUp } from "./stack.ts";

let stack: Stack;
let browser: Browser;
let page: Page;
let secretKey: string;
const pictures = process.env["PLINTH_PICTURES"];
const consoleErrors: string[] = [];

beforeAll(async () => {
  [stack, browser] = await Promise.all([startUp(), startBrowser()]);
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(20_000);
  page.on("pageerror", (error) => consoleErrors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") consoleErrors.push(message.text());
  });
});

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

afterEach(async ({ task }) => {
  if (task.result?.state === "fail") await picture(`failed-${task.name.replaceAll(/\W+/g, "-").slice(0, 40)}`);
});

async function picture(name: string): Promise<void> {
  await takePicture(page, pictures, name);
}

async function openRoom(name: string): Promise<void> {
  await page.getByRole("navigation", { name: "Project" }).getByRole("link", { name }).click();
}

test("after signing up, a person sees what to do first", async () => {
  await page.goto(stack.consoleUrl);
  await page.waitForURL(/sign-in/);
  await page.getByRole("link", { name: /create an account/i }).click();
  await page.getByLabel("Name").fill("Dana Developer");
  await page.getByLabel("Email").fill("dana@example.com");
  await page.getByLabel("Password").fill("correct horse battery staple");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL(/projects/);
  await page
    .getByText(/no projects yet|first project/i)
    .first()
    .waitFor();
  await picture("1-no-projects");
  // A person who is not signed in is told so once, and sent to the sign-in page.
  expect(consoleErrors.splice(0).filter((error) => !error.includes("401"))).toEqual([]);
});

test("a project starts from a template and shows the changes of its first deployment", async () => {
  await page.getByRole("link", { name: "New project" }).first().click();
  await page.getByLabel("Name").fill("parcel-desk");
  await page.getByText("Parcel desk", { exact: true }).click();
  await picture("2-new-project");
  await page.getByRole("button", { name: "Create project" }).click();
  await page.waitForURL(/prj_/);
  await openRoom("Blueprint");
  await page.getByText("tracking_number: string?").first().waitFor();
  await picture("3-blueprint");
  await page.getByRole("button", { name: "Review change" }).click();
  await page.getByRole("button", { name: /^Approve/ }).waitFor();
  await picture("4-review");
});

test("after approval and deployment, the project is live", async () => {
  await agreeToAll(page);
  await page.getByRole("button", { name: /^Approve/ }).click();
  await page.getByRole("button", { name: "Deploy" }).click();
  await page
    .getByText(/is live|deployed/i)
    .first()
    .waitFor();
  await picture("5-deployed");
});

test("a key is created and shown once", async () => {
  await openRoom("Keys");
  await page.getByRole("button", { name: "New key" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Web server");
  await dialog.getByRole("button", { name: "Create key" }).click();
  secretKey = (await page.getByTestId("new-key").innerText()).trim();
  expect(secretKey).toMatch(/^plk_sec_/);
  await picture("6-key");
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.reload();
  await page.getByText("Web server").waitFor();
  expect(await page.content()).not.toContain(secretKey);
});

test("curl and the SDK reach the API, and the overview turns green", async () => {
  await openRoom("Overview");
  await page.getByText("Waiting for the first request").waitFor();
  const url = `${stack.apiUrl}/v1/resources/shipments`;
  const answer = execFileSync("curl", ["-sf", url, "-H", `Authorization: Bearer ${secretKey}`], { encoding: "utf8" });
  expect(JSON.parse(answer)).toEqual({ data: [], page: { next_cursor: null, prev_cursor: null, has_more: false } });
  await page.getByText("Receiving requests").waitFor();
  await picture("7-overview");
});

const client = (key = secretKey) => createClient({ project: "parcel-desk", apiKey: key, baseUrl: stack.apiUrl });

test("two end users can't see each other's shipments", async () => {
  const ana = client();
  const ben = client();
  await ana.auth.signUp({ email: "ana@example.com", password: "correct horse battery" });
  await ben.auth.signUp({ email: "ben@example.com", password: "correct horse battery" });
  const hers = await ana.entity("shipment").create({ carrier: "ups" });
  const his = await ben.entity("shipment").create({ carrier: "dhl" });
  const ids = async (of: typeof ana) => (await of.entity("shipment").findMany({})).map((record) => record["id"]);
  expect(await ids(ana)).toEqual([hers["id"]]);
  expect(await ids(ben)).toEqual([his["id"]]);
  await expect(ben.entity("shipment").findOne(hers["id"] as string)).rejects.toBeInstanceOf(NotFound);
  await expect(ben.entity("shipment").update(hers["id"] as string, { carrier: "dhl" })).rejects.toBeInstanceOf(
    NotFound,
  );
  expect(
    await client()
      .entity("shipment")
      .findMany({ where: { carrier: "ups" } }),
  ).toHaveLength(1);
});

test("the data browser shows the records", async () => {
  await openRoom("Data");
  await page.getByRole("cell", { name: "dhl" }).waitFor();
  await picture("8-data");
});

test("a record is created, changed, found and deleted in the console, by the rules of the project", async () => {
  const [{ user_id: owner } = {}] = await client().entity("shipment").findMany({});
  await page.getByRole("button", { name: "New shipment" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Create shipment" }).click();
  await dialog.getByText("A value is required.").waitFor();
  await dialog.getByLabel("carrier").selectOption("fedex");
  await dialog.getByLabel("user_id").fill("00000000-0000-4000-8000-000000000000");
  await dialog.getByRole("button", { name: "Create shipment" }).click();
  // The API's own reason, at its field.
  await dialog.getByRole("alert").first().waitFor();
  await picture("8-new-record");
  await dialog.getByLabel("user_id").fill(String(owner));
  await dialog.getByRole("button", { name: "Create shipment" }).click();
  await dialog.waitFor({ state: "detached" });
  const created = () =>
    client()
      .entity("shipment")
      .findMany({ where: { carrier: "fedex" } });
  // A worker of the project buys the label: a change meanwhile would make the form's version an old one.
  await expect.poll(async () => (await created())[0]?.["status"], { timeout: 20_000 }).toBe("purchased");
  await page.getByRole("button", { name: "Reload" }).click();
  await page.getByRole("cell", { name: "purchased" }).nth(2).waitFor();
  const row = page.getByRole("row").filter({ has: page.getByRole("cell", { name: "fedex" }) });
  await row.getByRole("button", { name: /^Open shipment/ }).click();
  await picture("8-record");
  // Enter must not ask to delete it.
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Close");
  await dialog.getByRole("button", { name: "Edit" }).click();
  await dialog.getByLabel("tracking_number").fill("FX 1");
  // What was written survives an accident, and a reload.
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.reload();
  await row.getByRole("button", { name: /^Open shipment/ }).click();
  await dialog.getByText("What you wrote before is here again").waitFor();
  expect(await dialog.getByLabel("tracking_number").inputValue()).toBe("FX 1");
  await picture("8-record-again");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("FX 1").waitFor();
  expect((await created())[0]).toMatchObject({ tracking_number: "FX 1", carrier: "fedex", user_id: owner });
  await dialog.getByRole("button", { name: "Close" }).first().click();
  await page.getByLabel("Filter field").selectOption("tracking_number");
  await page.getByLabel("Comparison").selectOption("contains");
  await page.getByLabel("Filter value").fill("fx");
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await expect.poll(() => page.getByRole("button", { name: /^Open shipment/ }).count()).toBe(1);
  await row.getByRole("button", { name: /^Open shipment/ }).click();
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await dialog.getByRole("button", { name: "Delete shipment" }).click();
  await page.getByText("No record matches").waitFor();
  expect(await created()).toEqual([]);
  await page.getByRole("button", { name: "Clear filters" }).click();
  // The browser logs the answer to the wrong value.
  expect(consoleErrors.splice(0).filter((error) => !error.includes("400"))).toEqual([]);
});

test("the first admin of the app is named in the console, and sees all records within a second", async () => {
  const ana = client();
  await ana.auth.signIn({ email: "ana@example.com", password: "correct horse battery" });
  expect(await ana.entity("shipment").findMany({})).toHaveLength(1);
  await openRoom("Users");
  await page.getByRole("link", { name: "ana@example.com" }).click();
  await page.getByRole("checkbox", { name: "admin" }).check();
  await page.getByRole("button", { name: "Set roles" }).click();
  await page.getByText("The roles were changed.").waitFor();
  await expect.poll(() => ana.entity("shipment").findMany({}), { timeout: 1000, interval: 50 }).toHaveLength(2);
});

test("a new optional field: diff, approval, deployment; the old client still works, and the new field is served", async () => {
  const before = client();
  const [old] = await before.entity("shipment").findMany({ where: { carrier: "ups" } });
  await openRoom("Blueprint");
  await page.getByText("tracking_number: string?").first().click();
  await page.keyboard.press("End");
  await page.keyboard.type("\ndelivery_note: string?");
  await page.getByRole("button", { name: "Review change" }).click();
  await page.getByText("delivery_note").first().waitFor();
  await page.locator("summary", { hasText: "delivery_note" }).first().click();
  await page
    .getByText(/alter table .* add column/)
    .first()
    .waitFor();
  await picture("9-second-change");
  await agreeToAll(page);
  await page.getByRole("button", { name: /^Approve/ }).click();
  await page.getByRole("button", { name: "Deploy" }).click();
  await expect.poll(() => fieldIsServed("delivery_note"), { timeout: 20_000 }).toBe(true);

  const id = old?.["id"] as string;
  expect(await before.entity("shipment").update(id, { carrier: "usps" })).toMatchObject({ carrier: "usps" });
  const after = await client().entity("shipment").update(id, { delivery_note: "Ring twice" });
  expect(after).toMatchObject({ carrier: "usps", delivery_note: "Ring twice" });
});

async function fieldIsServed(field: string): Promise<boolean> {
  const document = await callerOf(stack.apiUrl, secretKey).get("/v1/openapi.json");
  return document.text.includes(`"${field}"`);
}

test("a key that is revoked in the console is refused within a second", async () => {
  await openRoom("Keys");
  await page
    .getByRole("button", { name: /revoke/i })
    .first()
    .click();
  await page
    .getByRole("alertdialog")
    .or(page.getByRole("dialog"))
    .getByRole("button", { name: /revoke/i })
    .click();
  await page.getByText("Revoked").first().waitFor();
  const deadline = Date.now() + 1000;
  const ask = () =>
    call(`${stack.apiUrl}/v1/resources/shipments`, { headers: { authorization: `Bearer ${secretKey}` } });
  let reply = await ask();
  while (reply.status !== 401 && Date.now() < deadline) reply = await ask();
  expect(reply.status).toBe(401);
});

test("a stranger sees nothing of the project, and the browser has reported no error", async () => {
  const project = page.url();
  const stranger = await browser.newPage();
  await stranger.goto(project);
  await stranger.waitForURL(/sign-in/);
  await stranger.close();
  expect(consoleErrors).toEqual([]);
});
