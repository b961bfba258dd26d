// The console with sixty entities and six hundred fields: people can search and explore the model, a review shows what
// matters, and the editor leads to an entity and never waits for a check. With a real browser and all services.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startBrowser, takePicture } from "./browser.ts";
import { loadAxe, problemsOn, transitionsOf } from "./page-problems.ts";
import { answers, type DevStack, startDev } from "./stack.ts";
import { largeBlueprint, nameOf } from "./testing/large-blueprint.ts";

const pictures = process.env["PLINTH_PICTURES"];
const folder = mkdtempSync(join(tmpdir(), "plinth-sixty-"));
const longName = nameOf(8);

let stack: DevStack;
let browser: Browser;
let page: Page;
let root: string;
const errors: string[] = [];

beforeAll(async () => {
  const file = join(folder, "large.yaml");
  writeFileSync(file, largeBlueprint());
  [stack, browser] = await Promise.all([startDev(file), startBrowser()]);
  const { developer } = JSON.parse(readFileSync(join(stack.home, "secrets.json"), "utf8"));
  await answers(`${stack.consoleUrl}/sign-in`);
  page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
  page.setDefaultTimeout(20_000);
  page.on("pageerror", ({ message }) => errors.push(message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  await loadAxe(page);
  await page.goto(`${stack.consoleUrl}/sign-in`);
  await page.getByLabel("Email").fill(developer.email);
  await page.getByLabel("Password").fill(developer.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/projects/);
  root = `${stack.consoleUrl}/projects/${developer.projects[stack.project].id}`;
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

afterEach(async ({ task }) => {
  if (task.result?.state === "fail") await takePicture(page, pictures, `failed-${task.name.slice(0, 30)}`);
  expect(errors.splice(0)).toEqual([]);
});

/** Only of the window, because the whole page is very long. */
async function picture(name: string, at: Locator): Promise<void> {
  for (const [width, colorScheme] of [
    [1440, "dark"],
    [360, "light"],
    [1440, "light"],
  ] as const) {
    if (pictures === undefined) return;
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await at.scrollIntoViewIfNeeded();
    await takePicture(page, pictures, `sixty-${name}-${width}-${colorScheme}`);
  }
}

/** On a busy machine, this appears a little later. */
const eventually = <Value>(read: () => Value | Promise<Value>) => expect.poll(read, { timeout: 10_000 });
const button = (name: string): Locator => page.getByRole("button", { name, exact: true });

/** There are no problems on the page, wide and narrow. */
async function expectClean(): Promise<void> {
  for (const width of [360, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await eventually(() => transitionsOf(page)).toBe(0);
    expect(await problemsOn(page, width)).toEqual([]);
  }
}

describe("the overview", () => {
  const diagram = (): Locator => page.getByRole("group", { name: "Diagram of 60 entities" });
  const view = async (): Promise<{ x: number; y: number; scale: number }> => {
    const transform = await page.locator("[data-diagram=view]").getAttribute("transform");
    const [x = Number.NaN, y = Number.NaN, scale = Number.NaN] =
      transform?.match(/-?[\d.]+(?:e-?\d+)?/g)?.map(Number) ?? [];
    return { x, y, scale };
  };
  const rows = (): Locator => page.getByRole("list", { name: "Entities" }).getByRole("listitem");
  const search = (): Locator => page.getByLabel("Search entities and fields");

  test("lists all entities, and shows all of them in the diagram", async () => {
    await page.goto(root);
    await rows().first().waitFor();
    expect(await rows().count()).toBe(60);
    expect(await rows().nth(1).innerText()).toMatch(
      /sales_order\s+10 fields\s+Refers to sales_account\s+admin: everything; clerk: read, update\*/,
    );
    const frame = await diagram().boundingBox();
    for (const box of await page.locator("[data-entity] > rect").all()) {
      const { x, y, width, height } = (await box.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      expect(x).toBeGreaterThanOrEqual(frame?.x ?? 0);
      expect(y).toBeGreaterThanOrEqual(frame?.y ?? 0);
      expect(x + width).toBeLessThanOrEqual((frame?.x ?? 0) + (frame?.width ?? 0));
      expect(y + height).toBeLessThanOrEqual((frame?.y ?? 0) + (frame?.height ?? 0));
    }
    await picture("overview", diagram());
  });

  test("finds an entity in the list, and moves it to the middle of the diagram", async () => {
    await search().fill("billing plan");
    await eventually(() => rows().count()).toBe(1);
    const middle = async (): Promise<number> => {
      const frame = await diagram().boundingBox();
      const box = await page.locator("[data-entity=billing_plan] > rect").boundingBox();
      if (!frame || !box) return Number.NaN;
      return Math.abs(box.x + box.width / 2 - frame.x - frame.width / 2);
    };
    await eventually(middle).toBeLessThan(2);
    await picture("found", diagram());
    await search().press("Enter");
    const panel = page.getByRole("region", { name: "Entity billing_plan" });
    await panel.getByRole("heading", { name: "billing_plan" }).waitFor();
    await panel.getByText('status == "draft"').first().waitFor();
    // Its neighbours are marked, others are faint.
    await eventually(() => page.locator("[data-entity=billing_account] > rect.stroke-accent").count()).toBe(1);
    await eventually(() => page.locator("[data-entity=travel_ticket].opacity-25").count()).toBe(1);
    await picture("chosen", diagram());
    await expectClean();
    await panel.getByRole("button", { name: "All entities" }).click();
    await eventually(() => page.evaluate(() => document.activeElement?.getAttribute("data-entity-row"))).toBe(
      "billing_plan",
    );
    await search().fill("field_4");
    await eventually(() => rows().count()).toBe(60);
    await search().fill("nothing like it");
    await page.getByText("No entity or field has a name like that.").waitFor();
    await search().fill("");
  });

  test("zooms and moves with buttons, keys, wheel and mouse, and shows everything again", async () => {
    await button("Show the whole diagram").click();
    const whole = await view();
    await button("Zoom in").click();
    expect((await view()).scale).toBeCloseTo(whole.scale * 1.25);
    await button("Zoom out").click();
    expect((await view()).scale).toBeCloseTo(whole.scale);

    await diagram().focus();
    await page.keyboard.press("+");
    await page.keyboard.press("ArrowRight");
    expect((await view()).scale).toBeCloseTo(whole.scale * 1.25);
    await page.keyboard.press("0");
    expect(await view()).toEqual(whole);

    const frame = (await diagram().boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(frame.x + 5, frame.y + 5);
    await page.mouse.wheel(0, -200);
    await eventually(async () => (await view()).scale).toBeGreaterThan(whole.scale * 1.3);

    const before = await view();
    await page.mouse.down();
    await page.mouse.move(frame.x + 65, frame.y + 45, { steps: 4 });
    await page.mouse.up();
    const after = await view();
    expect(after.x - before.x).toBeCloseTo(60);
    expect(after.y - before.y).toBeCloseTo(40);
    expect(after.scale).toBe(before.scale);
  });

  test("leaves the wheel to the page while the diagram doesn't have the focus", async () => {
    await search().focus();
    const before = await view();
    await page.evaluate(() => window.scrollTo(0, 0));
    const frame = (await diagram().boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(frame.x + 20, frame.y + 20);
    await page.mouse.wheel(0, 100);
    await eventually(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(0);
    expect(await view()).toEqual(before);
  });

  test("opens an entity after a click in the diagram, and no name is wider than its box", async () => {
    await search().fill(longName);
    const box = page.locator(`[data-entity=${longName}]`);
    await eventually(async () => (await view()).scale).toBeGreaterThan(0.5);
    expect(await box.locator("> title").textContent()).toBe(longName);
    expect(await box.locator("svg text").first().textContent()).toMatch(/^sales_note.*…$/);
    const widest = await box.evaluate((group) => {
      const letters = [...group.querySelectorAll("text")].map((text) => text.getBoundingClientRect().right);
      const frame = group.querySelector("rect")?.getBoundingClientRect().right ?? 0;
      return Math.max(...letters) - frame;
    });
    expect(widest).toBeLessThan(0);
    await box.click();
    await page.getByRole("region", { name: `Entity ${longName}` }).waitFor();
    await picture("long-name", diagram());
    await page
      .getByRole("region", { name: `Entity ${longName}` })
      .getByRole("link", { name: "Permissions" })
      .click();
    await eventually(() => page.getByLabel("Find an entity").inputValue()).toBe(longName);
    await page.goBack();
  });
});

describe("the editor", () => {
  const editor = (): Locator => page.getByRole("textbox", { name: "Blueprint" });
  const line = (): Promise<string> => page.locator(".cm-activeLine").innerText();

  test("opens at the entity that the overview names", async () => {
    await page.goto(`${root}/blueprint?entity=support_visit`);
    await editor().waitFor();
    await eventually(line).toBe("  support_visit:");
    await picture("editor", page.getByRole("navigation", { name: "Outline" }));
  });

  test("has an outline that finds entities and leads to their lines", async () => {
    const outline = page.getByRole("navigation", { name: "Outline" });
    await eventually(() => outline.getByRole("listitem").count()).toBe(60);
    await outline.getByLabel("Find an entity").fill("people re");
    await eventually(() => outline.getByRole("listitem").count()).toBe(1);
    await outline.getByRole("button", { name: /people_report/ }).click();
    await eventually(line).toBe("  people_report:");
    await outline.getByLabel("Find an entity").fill("travel_batch");
    await outline.getByLabel("Find an entity").press("Enter");
    await eventually(line).toBe("  travel_batch:");
    await expectClean();
  });

  test("checks in a worker, so that typing is never delayed", async () => {
    await page.getByText("No problems").waitFor();
    expect(page.workers()).toHaveLength(1);
    await editor().press("End");
    await page.keyboard.type(" nonsense");
    await page.getByRole("region", { name: "Problems" }).getByText(/error/).first().waitFor();
    // If the worker failed, it would be gone, and the page would have checked the text itself.
    expect(page.workers()).toHaveLength(1);
    await button("Discard draft").click();
    await page.getByText("No problems").waitFor();
  });
});

describe("the review", () => {
  test("groups safe changes, shows the others, and can be limited to an entity", async () => {
    const text = largeBlueprint({ alsoFields: ["remark: text?", "rank: int = 0", "seen_at: datetime?"] });
    // One change that drops data among 180 safe ones.
    const changed = text.replace(/( {2}stock_task:\n(?: {6,}.*\n| {4}fields:\n)*?) {6}field_1: .*\n/, "$1");
    expect(changed).not.toBe(text);
    const file = { name: "plinth.yaml", mimeType: "application/yaml", buffer: Buffer.from(changed) };
    await page.getByLabel("Blueprint file").setInputFiles(file);
    await button("Review change").click();
    const changes = page.getByRole("region", { name: "Changes in the model" });
    await changes.getByText(/1 to review, 180 safe/).waitFor();
    await changes.getByRole("region", { name: "stock_task" }).getByText("Drops data").waitFor();
    expect(await changes.getByRole("listitem").count()).toBe(1);
    await picture("review-folded", changes);
    const plan = page.getByRole("region", { name: "Steps in the database" });
    await plan.getByText("The other 181 of 182 steps are safe.").waitFor();
    await plan.getByRole("button", { name: "Show all steps" }).click();
    await eventually(() => plan.locator("summary").count()).toBe(182);
    const fold = changes.getByText("Field added");
    expect(await fold.locator("xpath=..").innerText()).toMatch(/Field added\s*180 safe/);
    await fold.click();
    await eventually(() => changes.getByRole("listitem").count()).toBe(181);
    await picture("review-open", changes);
    await changes.getByLabel("Changes of").selectOption({ label: "travel_visit (3)" });
    await eventually(() => changes.getByRole("listitem").count()).toBe(3);
    await expectClean();
  });

  test("folds many consents of one kind, and each is still given separately", async () => {
    await button("Reject").click();
    await page.getByText("This change was rejected").waitFor();
    await page.goto(`${root}/blueprint`);
    const changed = largeBlueprint().replaceAll(/^ {6}field_1: .*\n/gm, "");
    const file = { name: "plinth.yaml", mimeType: "application/yaml", buffer: Buffer.from(changed) };
    await page.getByLabel("Blueprint file").setInputFiles(file);
    await button("Review change").click();
    const consents = page.getByRole("region", { name: "Required consents" });
    const folds = consents.locator("details");
    await folds.first().waitFor();
    expect(await folds.count()).toBe(2);
    await folds.nth(0).getByText("60 consents").waitFor();
    expect(await folds.nth(0).getAttribute("open")).not.toBe(null);
    expect(await folds.nth(1).getAttribute("open")).toBe(null);
    await picture("consents", consents);
    await folds.nth(0).locator("summary").click();
    await page.getByRole("button", { name: "Approve: 120 consents missing" }).press("Enter");
    // The fold of the first missing consent is opened, and the consent has the focus.
    await page.keyboard.press("Space");
    await folds.nth(0).getByText("1 of 60 given").waitFor();
    await page.getByRole("button", { name: "Approve: 119 consents missing" }).waitFor();
    await expectClean();
  });
});
