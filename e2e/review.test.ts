// A change with every kind of risk, as a person takes it through the console: its preview, refusals while records
// prevent it, consents by name, and the way back. Then the editor while a person types. With PLINTH_PICTURES=DIR, it
// saves a picture of each page there, light and dark, wide and narrow.
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Caller, callerOf } from "./api.ts";
import { agreeToAll, signUpOnConsole, startBrowser, takePicture } from "./browser.ts";
import { queryCell } from "./cell.ts";
import { type Stack, startUp } from "./stack.ts";

let stack: Stack;
let browser: Browser;
let page: Page;
let api: Caller;
const pictures = process.env["PLINTH_PICTURES"];
const consoleErrors: string[] = [];

const first = `project: bike-shop
modules: [auth, users, roles, audit_logs]

entities:
  shop:
    fields:
      name: string
      place: point?
    permissions:
      public:
        read: true
      admin:
        all: true

  bike:
    soft_delete: true
    fields:
      name: string
      note: text?
      price: money(EUR)?
      tags: list<string>?
      service_every: duration?
      details: json?
      gears: int?
      shop_id: ref(shop)?
      goes_with: refs(bike)
      status: enum[draft, on_sale, sold] = draft
      seller_id: user_ref? = current_user.id
    transitions:
      status:
        initial: draft
        publish: { from: draft, to: on_sale, roles: [owner], when: seller_id == current_user.id }
        sell: { from: on_sale, to: sold }
    permissions:
      public:
        read: status == on_sale
      owner:
        read: seller_id == current_user.id
        update: seller_id == current_user.id
      admin:
        all: true
`;

const second = first
  .replace("name: string\n      note: text?\n", "title: string was(name)\n")
  .replace("price: money(EUR)?", "price: money(EUR)")
  .replace("gears: int?", "gears: text?")
  .replace("read: status == on_sale", "read: status != draft")
  .replace("update: seller_id == current_user.id", "update: seller_id == current_user.id && status == draft");

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
const button = (name: string | RegExp): Locator => page.getByRole("button", { name });

async function openRoom(name: string): Promise<void> {
  await page.getByRole("navigation", { name: "Project" }).getByRole("link", { name }).click();
}

/** Puts a text into the editor and requests its changes. */
async function review(text: string): Promise<void> {
  await openRoom("Blueprint");
  await page.getByRole("textbox", { name: "Blueprint" }).waitFor();
  const file = { name: "plinth.yaml", mimeType: "application/yaml", buffer: Buffer.from(text) };
  await page.getByLabel("Blueprint file").setInputFiles(file);
  await button("Review change").click();
  await page.waitForURL(/prp_/);
  await region("Steps in the database").waitFor();
}

async function deploy(): Promise<void> {
  await button("Deploy").click();
  await page.getByText("This version is live").waitFor();
}

/** Opens a step of the plan. */
async function unfold(summary: RegExp): Promise<Locator> {
  const step = region("Steps in the database").locator("details", {
    has: page.locator("summary", { hasText: summary }),
  });
  await step.first().locator("summary").click();
  return step.first();
}

describe("a first version", () => {
  test("is deployed without consents", async () => {
    await page.goto(`${stack.consoleUrl}/projects/new`);
    await page.getByLabel("Name").fill("bike-shop");
    await page.getByText("Your own file").click();
    const file = { name: "plinth.yaml", mimeType: "application/yaml", buffer: Buffer.from(first) };
    await page.locator("form input[type=file]").setInputFiles(file);
    await button("Create project").click();
    await page.waitForURL(/prj_/);
    await openRoom("Blueprint");
    await button("Review change").click();
    await button(/^Approve/).waitFor();
    await picture("01-first-review");
    expect(await agreeToAll(page)).toBe(0);
    await button("Approve").click();
    await deploy();
  });

  test("shows its records, whatever their types", async () => {
    await openRoom("Keys");
    await button("New key").first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Server");
    await dialog.getByRole("button", { name: "Create key" }).click();
    api = callerOf(stack.apiUrl, (await page.getByTestId("new-key").innerText()).trim());
    await dialog.getByRole("button", { name: "Done" }).click();

    const place = { lat: 52.52, lng: 13.405 };
    const shop = await created("shops", { name: "Kreuzberg", place });
    const road = await created("bikes", {
      name: "Road bike",
      note: "Ring the bell",
      price: "1250.00",
      tags: ["fast", "light"],
      service_every: "PT720H",
      details: { frame: "steel" },
      gears: 22,
      shop_id: shop,
    });
    await created("bikes", { name: "Cargo bike", note: "Heavy", goes_with: [road] });
    const sold = await api.post(`/v1/resources/bikes/${road}/transitions/publish`, {});
    expect([sold.status, sold.text]).toEqual([200, expect.stringContaining("on_sale")]);

    await openRoom("Data");
    await page.getByRole("link", { name: "bikes" }).click();
    for (const shown of ["1,250.00 EUR", "fast, light", /^(30 days|720 h)$/]) {
      await page.getByRole("cell", { name: shown }).waitFor();
    }
    await picture("02-data");
    await openRoom("Overview");
    await page.getByRole("button", { name: /^bike .*Refers to .*shop/ }).waitFor();
    await picture("03-overview");
  });
});

async function created(route: string, record: object): Promise<string> {
  const { status, text, body } = await api.post(`/v1/resources/${route}`, record);
  expect([status, text]).toEqual([201, expect.anything()]);
  return body.data.id;
}

describe("a change that renames, loosens, requires and drops", () => {
  test("shows its classes, the access that it gives, its SQL, and the records that prevent it", async () => {
    await review(second);
    const changes = region("Changes in the model");
    for (const badge of ["Drops data", "Loosens access", "Breaks clients", "Depends on data", "Rewrites a column"]) {
      await changes.getByText(badge, { exact: true }).first().waitFor();
    }
    await changes.getByText(/can now read a.*with status/).waitFor();
    await changes.getByText(/where .*status == "draft".* before and after/).waitFor();
    await button(/^Approve: \d+ consents? missing$/).waitFor();
    await page.getByText("One step can't be done yet").waitFor();
    const step = await unfold(/price/);
    await step.getByText("One record violates it.").waitFor();
    await step.getByText(/select count/).waitFor();
    await picture("04-review");
  });

  test("is not deployed while a record prevents it", async () => {
    await agreeToAll(page);
    await button("Approve").click();
    await button("Deploy").click();
    await page.getByText("The deployment failed").waitFor();
    await picture("05-failed");
    const { body } = await api.get("/v1/resources/bikes?sort=name");
    expect(body.data.map((bike: { name: string; note: string }) => [bike.name, bike.note])).toEqual([
      ["Cargo bike", "Heavy"],
      ["Road bike", "Ring the bell"],
    ]);
    await button("Resume").click();
    await page.getByText("The deployment failed").waitFor({ state: "detached" });
    await page.getByText("The deployment failed").waitFor();
    await button("Reject").click();
    await page.getByText("This change was rejected").waitFor();
  });

  test("goes live after the records are corrected and each consent is given with the keyboard", async () => {
    await button("Edit blueprint").first().click();
    await button("Review change").click();
    await page.getByText("One step can't be done yet").waitFor();
    const { body } = await api.get("/v1/resources/bikes?name=Cargo%20bike");
    expect((await api.patch(`/v1/resources/bikes/${body.data[0].id}`, { price: "2400.00" })).status).toBe(200);
    await button("Measure again").click();
    await page.getByText("One step can't be done yet").waitFor({ state: "detached" });

    const approve = button(/^Approve/);
    await approve.press("Enter");
    const consents = await region("Required consents").getByRole("checkbox").all();
    expect(consents.length).toBeGreaterThan(2);
    for (const [index, consent] of consents.entries()) {
      expect(await consent.evaluate((box) => box === document.activeElement)).toBe(true);
      expect(await approve.innerText()).toBe(
        consents.length - index === 1
          ? "Approve: 1 consent missing"
          : `Approve: ${consents.length - index} consents missing`,
      );
      await page.keyboard.press("Space");
      await page.keyboard.press("Tab");
      if (index === 0) await picture("06-consents");
    }
    expect(await approve.innerText()).toBe("Approve");
    await approve.press("Enter");
    await deploy();
    await region("Steps in the database")
      .getByText(/rows? written/)
      .waitFor();
    await picture("07-live");
    const [bike] = (await api.get("/v1/resources/bikes?title=Cargo%20bike")).body.data;
    expect(bike).toMatchObject({ title: "Cargo bike", price: "2400.00", gears: null });
    expect(bike).not.toHaveProperty("note");
  });

  test("can be undone: the earlier version restores the dropped data", async () => {
    await openRoom("Changes");
    await button("Actions for change 1").click();
    await page.getByRole("menuitem", { name: "Compare with live" }).click();
    await page.getByRole("group", { name: "Text difference" }).getByText("note: text?").waitFor();
    await picture("08-history");
    await button("Propose #1 again").click();
    await page.waitForURL(/prp_/);
    await region("Steps in the database").getByText(/note/).first().waitFor();
    const losses = page.getByRole("status").filter({ hasText: "Going back to this version can't restore everything" });
    await losses.getByText(/bikes\.gears are converted from text to integer/).waitFor();
    await picture("09-going-back");
    await agreeToAll(page);
    await button("Approve").click();
    await deploy();
    const { body } = await api.get("/v1/resources/bikes?sort=name");
    expect(body.data).toMatchObject([
      { name: "Cargo bike", note: "Heavy", price: "2400.00", gears: null },
      { name: "Road bike", note: "Ring the bell", price: "1250.00", gears: 22 },
    ]);
  });
});

test("a schema that was changed by hand is reported, and nothing is planned for it", async () => {
  const [[schema] = []] = await queryCell(stack.home, "select 't_' || substr(id, 5) from plinth.projects");
  await queryCell(stack.home, `alter table "${schema}".bikes add column stray int`);
  await openRoom("Changes");
  const goBack = async (): Promise<void> => {
    await button(/^Actions for change/)
      .first()
      .click();
    await page.getByRole("menuitem", { name: /Go back to this version|Propose again/ }).click();
  };
  await goBack();
  const refusal = page.getByRole("alert").filter({ hasText: "The version could not be proposed" });
  await refusal.getByText(/was changed without a deployment.*bikes\.stray exists and should not/).waitFor();
  await picture("10-drift");
  await queryCell(stack.home, `alter table "${schema}".bikes drop column stray`);
  await goBack();
  await page.waitForURL(/prp_/);
  await button("Reject").click();
  await page.getByText("This change was rejected").waitFor();
});

describe("the editor", () => {
  test("suggests what can be written, and explains it", async () => {
    await openRoom("Blueprint");
    await page.locator(".cm-content").getByText("note: text?").click();
    await page.keyboard.press("End");
    await page.keyboard.type("\nweight: dec");
    const list = page.getByRole("listbox", { name: "Completions" });
    await list.getByRole("option", { name: /^decimal/ }).waitFor();
    await page.locator(".cm-completionInfo").waitFor();
    await picture("11-completion");
    await list.getByRole("option", { name: /^decimal/ }).click();
    await page.keyboard.type("10,2)");
    await expect
      .poll(() => page.locator(".cm-line", { hasText: "weight" }).innerText())
      .toMatch(/weight: decimal\(10,2\)$/);
    await page.keyboard.press("Escape");
  });

  test("explains a word under the mouse", async () => {
    const line = page.locator(".cm-line", { hasText: "service_every" });
    const { left, top } = await line.evaluate((element) => {
      const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      let node = text.nextNode();
      while (node !== null && !node.textContent?.includes("duration")) node = text.nextNode();
      const range = document.createRange();
      if (node === null) throw new Error("the word is not there");
      const start = node.textContent?.indexOf("duration") ?? 0;
      range.setStart(node, start + 2);
      range.setEnd(node, start + 4);
      return { left: range.getBoundingClientRect().left, top: range.getBoundingClientRect().top };
    });
    await page.mouse.move(left, top - 200);
    await page.mouse.move(left + 2, top + 6, { steps: 4 });
    await page
      .locator(".cm-tooltip-hover")
      .getByText(/ISO 8601/)
      .first()
      .waitFor();
    await takePicture(page, pictures, "12-hover");
  });

  test("marks an error while typing, and links to it in the list", async () => {
    await page.getByText("weight: decimal").click();
    await page.keyboard.press("End");
    await page.keyboard.type("\ncolour: strng");
    const problem = region("Problems").getByRole("button", { name: /strng/ });
    await problem.waitFor();
    const number = await page.locator(".cm-activeLineGutter").first().innerText();
    expect(await problem.innerText()).toContain(`${number}:`);
    await page.locator(".cm-lintRange-error", { hasText: "strng" }).waitFor();
    await picture("13-problem");
    await page.keyboard.press("Control+Home");
    await problem.click();
    await expect.poll(() => page.locator(".cm-activeLine").innerText()).toContain("colour: strng");
  });

  test("the browser has reported no error", () => {
    expect(consoleErrors).toEqual([]);
  });
});
