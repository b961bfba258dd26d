// A real Chromium, and frequent actions of a person in the console. In: nothing. Out: a browser, a signed-up person,
// pictures of a page in each theme and size. It asserts nothing.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";

/** Starts Chromium: `CHROME` if it is set, otherwise the one in @sparticuz/chromium (x64 Linux). */
export async function startBrowser(): Promise<Browser> {
  const executablePath = process.env["CHROME"];
  if (executablePath !== undefined) return chromium.launch({ executablePath, args: quietArgs });
  // The package only unpacks the libraries for Chromium if this variable names their runtime.
  process.env["AWS_LAMBDA_JS_RUNTIME"] ??= "nodejs22.x";
  const { default: packaged } = await import("@sparticuz/chromium");
  // Its arguments are not used, because they contain --disable-web-security, with which a page sends no Origin.
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

/** Creates a new account in the console; ends on the list of projects. */
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

/**
 * Takes a picture of the page. With `everyLook`, of the whole page, light and dark, wide and narrow. Without a folder,
 * it does nothing.
 */
export async function takePicture(
  page: Page,
  folder: string | undefined,
  name: string,
  everyLook = false,
): Promise<void> {
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  // Animations are shown at their end.
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
      // Sticky elements would appear in the middle of a picture of the whole page.
      await page.evaluate(() => window.scrollTo(0, 0));
      await page.screenshot({ ...still, path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true });
    }
  }
  await page.emulateMedia({ colorScheme: null });
  await page.setViewportSize(size);
}
