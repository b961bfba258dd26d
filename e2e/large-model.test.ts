// The overview of a project with sixty entities, in a real browser: found by search, in the list and in the diagram, which
// zooms and shows itself whole again. With PLINTH_PICTURES=DIR it leaves a picture of each state there.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser, takePicture } from "./browser.ts";
import { answers, type DevStack, startDev } from "./stack.ts";
import { largeBlueprint } from "./testing/large-blueprint.ts";

let stack: DevStack;
let browser: Browser;
let page: Page;
const folder = mkdtempSync(join(tmpdir(), "plinth-large-model-"));
const pictures = process.env["PLINTH_PICTURES"];

beforeAll(async () => {
  const file = join(folder, "large.yaml");
  writeFileSync(file, largeBlueprint());
  [stack, browser] = await Promise.all([startDev(file), startBrowser()]);
  const { developer } = JSON.parse(readFileSync(join(stack.home, "secrets.json"), "utf8"));
  await answers(`${stack.consoleUrl}/sign-in`);
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(20_000);
  await page.goto(`${stack.consoleUrl}/sign-in`);
  await page.getByLabel("Email").fill(developer.email);
  await page.getByLabel("Password").fill(developer.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/projects/);
  await page.goto(`${stack.consoleUrl}/projects/${developer.projects[stack.project].id}`);
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("a search finds entities in the list, and one opens with its fields", async () => {
  const rows = page.getByRole("list", { name: "Entities" }).getByRole("listitem");
  await rows.first().waitFor();
  expect(await rows.count()).toBe(60);
  await takePicture(page, pictures, "large-model-all", true);
  await page.getByLabel("Search entities and fields").fill("travel_ticket");
  await expect.poll(() => rows.count()).toBeLessThan(10);
  await rows.first().getByRole("button").click();
  await page.getByRole("region", { name: /^Entity / }).waitFor();
  await takePicture(page, pictures, "large-model-one");
});

test("the diagram zooms, and shows itself whole again", async () => {
  const view = page.locator("[data-diagram=view]");
  const transform = (): Promise<string | null> => view.getAttribute("transform");
  await page.getByRole("button", { name: "Show the whole diagram" }).click();
  const whole = await transform();
  await page.getByRole("button", { name: "Zoom in" }).click();
  await expect.poll(transform).not.toBe(whole);
  await page.getByRole("button", { name: "Show the whole diagram" }).click();
  await expect.poll(transform).toBe(whole);
});
