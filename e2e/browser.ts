// A real Chromium, and what a person does on the console's pages again and again. Out: a browser, a person who is signed up,
// a picture of a page in each look. It asserts nothing.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";

/** Starts Chromium: `CHROME` where it is given, else the one inside @sparticuz/chromium (x64 Linux). */
export async function startBrowser(): Promise<Browser> {
  const executablePath = process.env["CHROME"];
  if (executablePath !== undefined) return chromium.launch({ executablePath, args: quietArgs });
  // The package unpacks the libraries that Chromium links against only where this names the runtime they are for.
  process.env["AWS_LAMBDA_JS_RUNTIME"] ??= "nodejs22.x";
  const { default: packaged } = await import("@sparticuz/chromium");
  // Its own arguments are left out: among them is --disable-web-security, under which a page sends no Origin.
  return chromium.launch({ executablePath: await packaged.executablePath(), args: quietArgs });
}

const quietArgs = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Makes an account of its own on the console; ends on the list of projects. */
export async function signUpOnConsole(
  page: Page,
  consoleUrl: string,
  who: { name: string; email: string },
): Promise<void> {
  await page.goto(`${consoleUrl}/sign-up`);
  await page.getByLabel("Name").fill(who.name);
  await page.getByLabel("Email").fill(who.email);
  await page.getByLabel("Password").fill("correct horse battery staple");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL(/projects/);
}

/** Gives each required consent by keyboard. @returns How many there were. */
export async function agreeToAll(page: Page): Promise<number> {
  const card = page.getByRole("region", { name: "Required consents" });
  for (const fold of await card.locator("details").all()) {
    if ((await fold.getAttribute("open")) === null) await fold.locator("summary").press("Enter");
  }
  const boxes = await card.getByRole("checkbox").all();
  for (const box of boxes) await box.press("Space");
  return boxes.length;
}

/** A picture of the page; with `everyLook` of the whole of it, light and dark, wide and narrow. Nothing without a folder. */
export async function takePicture(
  page: Page,
  folder: string | undefined,
  name: string,
  everyLook = false,
): Promise<void> {
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  // What moves is shown where it ends.
  const still = { animations: "disabled" } as const;
  if (!everyLook) {
    await page.screenshot({ ...still, path: join(folder, `${name}.png`) });
    return;
  }
  const size = page.viewportSize() ?? { width: 1440, height: 900 };
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      // What sticks to the edge would stand in the middle of a page that is scrolled.
      await page.evaluate(() => window.scrollTo(0, 0));
      await page.screenshot({ ...still, path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true });
    }
  }
  await page.emulateMedia({ colorScheme: null });
  await page.setViewportSize(size);
}
