// How an author works in the console: every submit has one effect, drafts are stored on the server and never
// overwritten, a draft says that the live version has changed, and all changes are in one timeline. With a real browser
// and all services.
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { agreeToAll, signUpOnConsole, startBrowser, takePicture } from "./browser.ts";
import { type Stack, startUp } from "./stack.ts";

const pictures = process.env["PLINTH_PICTURES"];

const shop = (fields = ""): string => `project: shop
modules: [auth, users, roles, webhooks]
entities:
  product:
    fields:
      name: string
      price: money(EUR)
${fields}    permissions:
      admin: { all: true }
`;

let stack: Stack;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let projectId: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startUp(), startBrowser()]);
  context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  page = await newPage();
  await signUpOnConsole(page, stack.consoleUrl, { name: "Ada Author", email: "ada@example.com" });
});

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

afterEach(async ({ task }) => {
  if (task.result?.state === "fail") await takePicture(page, pictures, `failed-${task.name.slice(0, 30)}`);
});

async function newPage(): Promise<Page> {
  const opened = await context.newPage();
  opened.setDefaultTimeout(20_000);
  return opened;
}

const picture = (name: string): Promise<void> => takePicture(page, pictures, `authoring-${name}`, true);
const button = (name: string | RegExp, on: Page | Locator = page): Locator => on.getByRole("button", { name });

/** Two clicks before the page is rendered again. */
async function clickTwice(found: Locator): Promise<void> {
  await found.evaluate((element: HTMLElement) => {
    element.click();
    element.click();
  });
}

/** Calls the control API with the session of the page. */
async function ask<Answer>(procedure: string, input: object): Promise<Answer> {
  const answer = await page.evaluate(
    async ({ procedure, input }) =>
      (await fetch(`/control/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify(input))}`)).json(),
    { procedure, input },
  );
  return (answer as { result: { data: Answer } }).result.data;
}

async function open(room: string, on = page): Promise<void> {
  await on.goto(`${stack.consoleUrl}/projects/${projectId}${room}`);
}

const editor = (on = page): Locator => on.getByRole("textbox", { name: "Blueprint" });
const saved = (on = page): Promise<void> => on.getByText("The draft is saved.").waitFor();

/** Replaces the text in the editor. */
async function write(text: string, on = page): Promise<void> {
  await editor(on).waitFor();
  const file = { name: "plinth.yaml", mimeType: "application/yaml", buffer: Buffer.from(text) };
  await on.getByLabel("Blueprint file").setInputFiles(file);
}

async function textOf(on = page): Promise<string> {
  await editor(on).waitFor();
  return (await on.locator(".cm-line").allInnerTexts()).map((line) => (line === "\n" ? "" : line)).join("\n");
}

describe("a double click has one effect for", () => {
  test("a project, a draft, a proposal, an approval and a deployment", async () => {
    await page.goto(`${stack.consoleUrl}/projects/new`);
    await page.getByLabel("Name").fill("shop");
    await page.getByText("Blank", { exact: true }).click();
    await clickTwice(button("Create project"));
    await page.waitForURL(/prj_\w+\/blueprint/);
    projectId = /prj_\w+/.exec(page.url())?.[0] ?? "";
    const { organizations } = await ask<{ organizations: { id: string }[] }>("me.get", {});
    expect(await ask("projects.list", { organizationId: organizations[0]?.id })).toHaveLength(1);

    await write(shop());
    await saved();
    await clickTwice(button("Review change"));
    await page.waitForURL(/prp_/);
    await agreeToAll(page);
    await clickTwice(button("Approve"));
    await clickTwice(button("Deploy"));
    await page.getByText("This version is live").waitFor();
    expect(await ask("proposals.list", { projectId })).toHaveLength(1);
    expect(await ask("deployments.list", { projectId })).toHaveLength(1);
    await page.getByRole("heading", { name: /#1 First version.*Live/ }).waitFor();
  });

  test("a key", async () => {
    await open("/keys");
    await button("New key").first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Web server");
    await clickTwice(button("Create key", dialog));
    const shown = (await page.getByTestId("new-key").innerText()).trim();
    const keys = await ask<{ name: string; last4: string }[]>("keys.list", { projectId });
    expect(keys).toEqual([expect.objectContaining({ name: "Web server", last4: shown.slice(-4) })]);
    await button("Done", dialog).click();
  });

  test("an invitation", async () => {
    await open("/settings");
    await button("Invite").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Email of the new member").fill("ben@example.com");
    await clickTwice(button("Invite", dialog));
    const link = (await page.getByTestId("invitation-link").innerText()).trim();
    const guest = await newPage();
    await guest.goto(link);
    await guest.getByText("Ada Author").first().waitFor();
    await guest.close();
  });

  test("a webhook endpoint", async () => {
    await open("/webhooks");
    await button("New endpoint").first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Address").fill("https://example.com/hook");
    await dialog.getByLabel("Events").fill("*");
    await clickTwice(button("Create endpoint", dialog));
    await button("Done", dialog).click();
    expect((await ask<{ data: unknown[] }>("webhooks.endpoints", { projectId })).data).toHaveLength(1);
  });
});

describe("a draft", () => {
  const mine = shop("      sku: string?\n");

  test("is stored on the server: another tab shows it, and undo works after a reload", async () => {
    await open("/blueprint");
    await write(mine);
    await saved();
    const other = await newPage();
    await open("/blueprint", other);
    await expect.poll(() => textOf(other)).toContain("sku: string?");
    await other.close();
    await page.reload();
    await editor().waitFor();
    await expect.poll(() => textOf()).toContain("sku: string?");
    await button("History").click();
    await picture("1-history");
    await page.keyboard.press("Escape");
  });

  test("that was changed in two tabs shows both texts and loses neither", async () => {
    const other = await newPage();
    await open("/blueprint", other);
    await editor(other).waitFor();
    await write(shop("      sku: string?\n      colour: string?\n"), other);
    await saved(other);
    // Without the request to the server that a focused tab makes.
    await write(shop("      sku: string?\n      weight: int?\n"));
    await page.getByRole("region", { name: "The draft was changed elsewhere" }).waitFor();
    await picture("2-conflict");
    await page.getByLabel("Both, yours first").check();
    await button("Use the merged text").click();
    await saved();
    const merged = await textOf();
    expect(merged).toContain("weight: int?");
    expect(merged).toContain("colour: string?");
    await other.close();
  });

  test("that can't be saved stays in the browser, and is saved later", async () => {
    await context.setOffline(true);
    await write(shop("      sku: string?\n      offline: string?\n"));
    await page.getByText("The draft is not saved yet").waitFor();
    await picture("3-offline");
    await context.setOffline(false);
    await saved();
    const { draft } = await ask<{ draft: { text: string } }>("drafts.get", { projectId });
    expect(draft.text).toContain("offline: string?");
  });

  test("says that the live version has changed, and is merged with it without losing a line", async () => {
    const other = await newPage();
    // Another person deploys this while the draft is open here.
    const made = await other.request.post(`${stack.consoleUrl}/control/trpc/proposals.create`, {
      headers: { origin: stack.consoleUrl },
      data: { projectId, text: shop().replace("price: money(EUR)", "price: money(EUR)\n      stock: int?") },
    });
    const { id: proposalId } = (await made.json()).result.data;
    await open(`/changes/${proposalId}`, other);
    await agreeToAll(other);
    await button("Approve", other).click();
    await button("Deploy", other).click();
    await other.getByText("This version is live").waitFor();
    await other.close();

    await page.reload();
    await page.getByText("Another version went live").waitFor();
    await picture("4-moved-on");
    await button("Update the draft").click();
    const conflict = page.getByLabel("Both, yours first");
    await saved().catch(() => null);
    if (await conflict.isVisible()) {
      await conflict.check();
      await button("Use the merged text").click();
    }
    await page.getByText("Another version went live").waitFor({ state: "detached" });
    const text = await textOf();
    expect(text).toContain("stock: int?");
    expect(text).toContain("offline: string?");
  });

  test("that is discarded can be restored", async () => {
    await saved();
    await button("Discard draft").click();
    await expect.poll(async () => (await ask<{ draft: unknown }>("drafts.get", { projectId })).draft).toBeNull();
    await page.reload();
    await button("Restore it").click();
    await expect.poll(() => textOf()).toContain("offline: string?");
  });
});

describe("records that prevent a change", () => {
  /** One product exists. */
  async function makeProduct(): Promise<void> {
    const origin = { headers: { origin: stack.consoleUrl } };
    const made = await page.request.post(`${stack.consoleUrl}/control/trpc/keys.create`, {
      ...origin,
      data: { projectId, name: "records", kind: "secret" },
    });
    const { key } = (await made.json()).result.data;
    const created = await page.request.post(`${stack.apiUrl}/v1/resources/products`, {
      headers: { authorization: `Bearer ${key}` },
      data: { name: "Lamp", price: "10.00" },
    });
    expect(created.status(), await created.text()).toBe(201);
  }

  test("the page offers a default for a required field, and the change then goes live", async () => {
    await makeProduct();
    await open("/blueprint");
    await write(shop("      stock: int?\n      # How we name it.\n      code: string # short\n"));
    await saved();
    await button("Review change").click();
    await page.waitForURL(/prp_/);
    const before = page.url();
    const offer = page.getByRole("form", { name: "Fix for product.code" });
    await offer.getByText("one record has no value for code").waitFor();
    await picture("7-offers");
    await button("Change and compare again", offer).click();
    await offer.getByText("Write a value for the existing records.").waitFor();
    await offer.getByLabel("Default of product.code").fill("12 34");
    await button("Change and compare again", offer).click();
    await offer.getByRole("alert").waitFor();
    await offer.getByLabel("Default of product.code").fill('"none"');
    await clickTwice(button("Change and compare again", offer));
    await page.waitForURL((url) => /prp_/.test(url.pathname) && url.href !== before);
    await page.getByRole("group", { name: "Text difference" }).getByText('code: string = "none" # short').waitFor();
    await agreeToAll(page);
    await button("Approve").click();
    await button("Deploy").click();
    await page.getByText("This version is live").waitFor();
    expect(((await ask("drafts.get", { projectId })) as { draft: unknown }).draft).toBeNull();
  });

  test("a failed change is reported on its page, in the timeline and on the overview", async () => {
    await open("/blueprint");
    await write(shop('      stock: int?\n      # How we name it.\n      code: string(9,20) = "123456789" # short\n'));
    await saved();
    await button("Review change").click();
    await page.waitForURL(/prp_/);
    await page.getByText("One step can't be done yet").waitFor();
    await agreeToAll(page);
    await button(/^Approve/).click();
    await button("Deploy").click();
    await page.getByText("The deployment failed").waitFor();
    await page.getByText("The previous version still serves").waitFor();
    await page.getByRole("heading", { name: /Failed/ }).waitFor();
    await picture("8-failed");
    await open("");
    await page.getByText(/^Change #\d+ failed$/).waitFor();
    await picture("9-overview");
    await open("/changes?state=failed");
    const row = page.getByRole("list", { name: "Changes" }).getByRole("listitem");
    await expect.poll(() => row.count()).toBe(1);
    expect(await row.innerText()).toMatch(/1 record of products has a code shorter than 9[\s\S]*Failed/);
    await picture("10-failed-timeline");
  });
});

describe("the timeline", () => {
  test("names each change, finds a change, and compares any two versions", async () => {
    await open("/changes");
    const rows = page.getByRole("list", { name: "Changes" }).getByRole("listitem");
    await expect.poll(() => rows.count()).toBeGreaterThan(4);
    expect(await rows.last().innerText()).toMatch(/#1[\s\S]*First version[\s\S]*Ada Author proposed it[\s\S]*Replaced/);
    await picture("5-timeline");
    await page.getByLabel("Search changes").fill("#1");
    await expect.poll(() => rows.count()).toBe(1);
    await button("Actions for change 1").click();
    await page.getByRole("menuitem", { name: "Compare with live" }).click();
    await page.getByRole("region", { name: "Changes in the model" }).getByText(/stock/).first().waitFor();
    await picture("6-compare");
    await button("Swap the versions").click();
    await page.getByRole("group", { name: "Text difference" }).getByText("stock: int?").waitFor();
  });

  test("a title can be changed", async () => {
    await open("/changes");
    await page.getByRole("link", { name: "First version" }).click();
    await button("Edit the title").click();
    await page.getByLabel("Title of the change").fill("The shop opens");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /The shop opens/ }).waitFor();
  });
});
