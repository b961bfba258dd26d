// People of the console, in a real browser: an invitation and its scope, the effect of a changed password, redirects
// after signing in, limits for guesses, and the content security policy. With PLINTH_PICTURES=DIR, it saves a picture
// of each page there.
import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { signUpOnConsole, startBrowser, takePicture } from "./browser.ts";
import { type Stack, startUp } from "./stack.ts";

const PASSWORD = "correct horse battery staple";
const OTHER_PASSWORD = "another horse battery staple";
const pictures = process.env["PLINTH_PICTURES"];

let stack: Stack;
let browser: Browser;
let page: Page;
let invited: Page;
let shop: string;
let depot: string;
const violations: string[] = [];

beforeAll(async () => {
  [stack, browser] = await Promise.all([startUp(), startBrowser()]);
  page = await newPage();
  await signUpOnConsole(page, stack.consoleUrl, { name: "Dana Developer", email: "dana@example.com" });
  const me = await ask<{ organizations: { id: string }[] }>(page, "me.get");
  const organizationId = me.organizations[0]?.id;
  const create = (slug: string) => ask<{ id: string }>(page, "projects.create", { organizationId, slug });
  [shop, depot] = [(await create("shop")).id, (await create("depot")).id];
});

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

afterEach(async ({ task }) => {
  if (task.result?.state === "fail") await takePicture(page, pictures, "failed-people");
  // Everything that the content security policy refused, in any test.
  if (!task.name.includes("injected")) expect(violations.splice(0)).toEqual([]);
});

/** A page with its own cookies, which records violations of its policy. */
async function newPage(context?: BrowserContext): Promise<Page> {
  const opened = await (context ?? (await browser.newContext({ viewport: { width: 1440, height: 900 } }))).newPage();
  opened.setDefaultTimeout(20_000);
  await opened.exposeFunction("reportViolation", (text: string) => violations.push(text));
  await opened.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => {
      const report = (window as unknown as { reportViolation: (text: string) => void }).reportViolation;
      report(
        `${location.pathname}: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile} ${event.sample}`,
      );
    });
  });
  return opened;
}

/** Calls the control API in the page, with its session. */
async function ask<Answer>(from: Page, procedure: string, input?: object): Promise<Answer> {
  const answer = await from.evaluate(
    async ({ procedure, input }) => {
      const headers = { "content-type": "application/json" };
      const init = input === undefined ? {} : { method: "POST", headers, body: JSON.stringify(input) };
      return (await fetch(`/control/trpc/${procedure}`, init)).json();
    },
    { procedure, input },
  );
  return (answer as { result: { data: Answer } }).result.data;
}

async function signIn(on: Page, email: string, password: string, query = ""): Promise<void> {
  await on.goto(`${stack.consoleUrl}/sign-in${query}`);
  await on.getByLabel("Email").fill(email);
  await on.getByLabel("Password").fill(password);
  await on.getByRole("button", { name: "Sign in" }).click();
}

/** Runs a command of the operator on this machine. @returns Its output. */
async function plinth(...args: string[]): Promise<string> {
  const command = resolve(import.meta.dirname, "../apps/cli/bin.mjs");
  const env = { PATH: process.env["PATH"], HOME: stack.home, PLINTH_HOME: stack.home };
  return (await promisify(execFile)(process.execPath, [command, ...args], { env })).stdout;
}

async function openSettings(): Promise<void> {
  await page.goto(`${stack.consoleUrl}/projects/${shop}/settings`);
  await page.getByRole("button", { name: "Invite" }).waitFor();
}

/** Creates an invitation, partly with the keyboard. @returns The link. */
async function invite(email: string): Promise<string> {
  await openSettings();
  await page.getByRole("button", { name: "Invite" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Email of the new member").fill(email);
  await page.keyboard.press("Enter");
  return (await page.getByTestId("invitation-link").innerText()).trim();
}

describe("an invitation", () => {
  let link: string;

  test("shows its scope before it is created, and its link once", async () => {
    await openSettings();
    await takePicture(page, pictures, "people-1-members", true);
    await page.getByRole("button", { name: "Invite" }).click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByLabel("These projects only").isChecked()).toBe(true);
    expect(await dialog.getByRole("checkbox", { name: "shop" }).isChecked()).toBe(true);
    expect(await dialog.getByRole("checkbox", { name: "depot" }).isChecked()).toBe(false);
    await takePicture(page, pictures, "people-2-invite", true);
    await dialog.getByRole("checkbox", { name: "shop" }).press("Space");
    await dialog.getByLabel("Email of the new member").fill("ben@example.com");
    await page.keyboard.press("Enter");
    await dialog.getByText("Choose at least one project.").waitFor();
    await dialog.getByRole("checkbox", { name: "shop" }).press("Space");
    await dialog.getByRole("button", { name: "Invite" }).click();
    link = (await page.getByTestId("invitation-link").innerText()).trim();
    expect(link).toMatch(/\/invitation#[\w-]{43}$/);
    await takePicture(page, pictures, "people-3-link", true);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await dialog.getByRole("button", { name: "Copy link" }).press("Enter");
    await dialog.getByText("Copied").first().waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);
    await page.keyboard.press("Escape");
    expect(await page.getByTestId("invitation-link").isVisible()).toBe(true);
    await dialog.getByRole("button", { name: "Done" }).click();
    const open = page.getByRole("region", { name: "Open invitations" });
    await open.getByText("ben@example.com").waitFor();
    expect(await open.innerText()).toContain("shop");
    await page.reload();
    await open.getByText("ben@example.com").waitFor();
    expect(await page.content()).not.toContain(link.split("#")[1]);
    await takePicture(page, pictures, "people-4-invited", true);
  });

  test("shows the inviter and the scope to a person with the link, and makes them a member", async () => {
    invited = await newPage();
    const requested: string[] = [];
    invited.on("request", (request) => requested.push(`${request.url()} ${JSON.stringify(request.headers())}`));
    await invited.goto(link);
    await invited.getByRole("heading", { name: "You are invited" }).waitFor();
    expect(invited.url()).not.toContain("#");
    await takePicture(invited, pictures, "people-5-invited-stranger", true);
    await invited.getByRole("link", { name: "Create an account" }).click();
    await invited.waitForURL(/sign-up/);
    await invited.getByLabel("Name").fill("Ben Builder");
    await invited.getByLabel("Email").fill("ben@example.com");
    await invited.getByLabel("Password").fill(PASSWORD);
    await invited.getByRole("button", { name: "Create account" }).click();
    await invited.getByRole("heading", { name: "Join Dana Developer's organization" }).waitFor();
    const said = await invited.getByRole("main").innerText();
    for (const part of [
      "Dana Developer (dana@example.com)",
      "shop",
      "Viewer",
      "Can't change anything",
      "ben@example.com",
    ])
      expect(said).toContain(part);
    expect(said).not.toContain("depot");
    await takePicture(invited, pictures, "people-6-offer", true);
    await invited.getByRole("button", { name: "Accept invitation" }).click();
    await invited.getByRole("link", { name: "shop" }).waitFor();
    expect(await invited.getByRole("link", { name: "depot" }).count()).toBe(0);
    await takePicture(invited, pictures, "people-7-joined");
    // The token was in no address and no header that a server received.
    expect(requested.filter((line) => line.includes(link.split("#")[1] ?? "none"))).toEqual([]);
    await invited.goto(`${stack.consoleUrl}/projects/${depot}`);
    await invited.getByRole("heading", { name: "No such project" }).waitFor();
    await takePicture(invited, pictures, "people-8-other-project");
  });

  test("works once, and not after it was revoked", async () => {
    const third = await newPage();
    await signUpOnConsole(third, stack.consoleUrl, { name: "Cleo", email: "cleo@example.com" });
    await third.goto(link);
    await third.getByRole("heading", { name: "No open invitation" }).waitFor();
    await takePicture(third, pictures, "people-9-used");
    const second = await invite("cleo@example.com");
    await page.getByRole("button", { name: "Done" }).click();
    await third.goto(second);
    await third.getByRole("heading", { name: "Join Dana Developer's organization" }).waitFor();
    await page.getByRole("button", { name: "Revoke the invitation of cleo@example.com" }).click();
    await page.getByRole("region", { name: "Open invitations" }).waitFor({ state: "detached" });
    await third.getByRole("button", { name: "Accept invitation" }).click();
    await third.getByText(/was used or revoked/).waitFor();
    await takePicture(third, pictures, "people-10-revoked");
    await third.context().close();
  });

  test("can only be accepted with an account of the invited address", async () => {
    const another = await newPage();
    await signUpOnConsole(another, stack.consoleUrl, { name: "Eve", email: "eve@example.com" });
    await another.goto(await invite("mallory@example.com"));
    await page.getByRole("button", { name: "Done" }).click();
    await another.getByText("The invitation is for mallory@example.com").waitFor();
    await takePicture(another, pictures, "people-11-other-account", true);
    await another.getByRole("button", { name: "Use another account" }).click();
    await another.waitForURL(/sign-in\?next=%2Finvitation/);
    await signIn(another, "eve@example.com", PASSWORD, "?next=/invitation");
    await another.getByText("The invitation is for mallory@example.com").waitFor();
    expect(await another.getByRole("button", { name: "Accept invitation" }).count()).toBe(0);
    await another.context().close();
  });
});

test("a forgotten password is replaced with the link in the mailbox of this machine", async () => {
  const forgetful = await newPage();
  await signUpOnConsole(forgetful, stack.consoleUrl, { name: "Fay", email: "fay@example.com" });
  const fresh = await newPage();
  await fresh.goto(`${stack.consoleUrl}/sign-in`);
  await fresh.getByRole("link", { name: "Forgotten password?" }).click();
  await fresh.waitForURL(/forgot-password/);
  await fresh.getByLabel("Email").fill("fay@example.com");
  await takePicture(fresh, pictures, "people-forgot", true);
  await fresh.getByRole("button", { name: "Send link" }).press("Enter");
  await fresh.getByRole("heading", { name: "Look into the mailbox" }).waitFor();
  await takePicture(fresh, pictures, "people-mailbox", true);
  const linkIn = (text: string): string => /http\S+\/reset-password#\S+/.exec(text)?.[0] ?? "";
  await expect.poll(async () => linkIn(await plinth("people", "mails"))).not.toBe("");
  const link = linkIn(await plinth("people", "mails"));
  expect(stack.output()).toContain("Mail for fay@example.com: Set a new password for Plinth");
  expect(stack.output()).not.toContain(link.split("#")[1]);
  await fresh.goto(link);
  await fresh.getByLabel("New password").fill("another horse battery");
  expect(fresh.url()).not.toContain("#");
  await takePicture(fresh, pictures, "people-new-password", true);
  await fresh.getByRole("button", { name: "Set password" }).press("Enter");
  await fresh.getByRole("heading", { name: "Your password was changed" }).waitFor();
  await forgetful.reload();
  await forgetful.waitForURL(/sign-in/);
  await signIn(fresh, "fay@example.com", "another horse battery");
  await fresh.getByRole("heading", { level: 1 }).waitFor();
  // The operator's own way, for a Plinth without mail.
  await fresh.goto(linkIn(await plinth("people", "reset-password", "fay@example.com")));
  await fresh.getByLabel("New password").fill("a fourth horse battery");
  await fresh.getByRole("button", { name: "Set password" }).click();
  await fresh.getByRole("heading", { name: "Your password was changed" }).waitFor();
  expect(await plinth("people", "remove-second-factor", "fay@example.com")).toContain("has no second factor");
  await fresh.context().close();
  await forgetful.context().close();
});

test("a member's access is extended, reduced and removed in the list", async () => {
  await openSettings();
  await page.getByRole("button", { name: "Change access of Ben Builder" }).click();
  const dialog = page.getByRole("dialog");
  expect(await dialog.getByRole("checkbox", { name: "shop" }).isChecked()).toBe(true);
  await dialog.getByText("The whole organization").click();
  await takePicture(page, pictures, "people-12-change", true);
  await dialog.getByRole("button", { name: "Change access" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("list", { name: "Members" }).getByText("All projects", { exact: false }).nth(1).waitFor();
  await invited.goto(`${stack.consoleUrl}/projects`);
  await invited.getByRole("link", { name: "depot" }).waitFor();
  await page.getByRole("button", { name: "Remove Ben Builder" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove member" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await invited.reload();
  await invited.getByText("Create your first project").waitFor();
  expect(await invited.getByRole("link", { name: "depot" }).count()).toBe(0);
});

describe("a session", () => {
  test("ends on other devices when the password is changed, but not on this one", async () => {
    const elsewhere = await newPage();
    await signIn(elsewhere, "ben@example.com", PASSWORD);
    await elsewhere.waitForURL(/projects/);
    await invited.getByRole("button", { name: /^Account/ }).click();
    await invited.getByRole("menuitem", { name: "Account" }).click();
    await invited.getByLabel("Current password").fill("a wrong one");
    await invited.getByLabel("New password").fill(OTHER_PASSWORD);
    await invited.keyboard.press("Enter");
    await invited.getByText("The current password is wrong.").waitFor();
    await takePicture(invited, pictures, "people-13-account", true);
    await invited.getByLabel("Current password").fill(PASSWORD);
    await invited.getByRole("button", { name: "Change password" }).click();
    await invited.getByText("Every other device and the command line are signed out.").waitFor();
    await elsewhere.reload();
    await elsewhere.waitForURL(/sign-in/);
    await invited.reload();
    await invited.getByRole("heading", { name: "Account", exact: true }).waitFor();
    await elsewhere.context().close();
  });

  test("ends everywhere when the person chooses so", async () => {
    const elsewhere = await newPage();
    await signIn(elsewhere, "ben@example.com", OTHER_PASSWORD);
    await elsewhere.waitForURL(/projects/);
    await invited.getByRole("button", { name: "Sign out everywhere" }).click();
    await invited.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
    await invited.waitForURL(/sign-in/);
    await elsewhere.reload();
    await elsewhere.waitForURL(/sign-in/);
    await elsewhere.context().close();
  });

  test.each(["/%09/127.0.0.1:1/", "//127.0.0.1:1/", "/%5C127.0.0.1:1/", "/.//127.0.0.1:1/", "/%250a/127.0.0.1:1/"])(
    "that starts with ?next=%s stays on the console",
    async (next) => {
      await signIn(invited, "ben@example.com", OTHER_PASSWORD, `?next=${next}`);
      await invited.waitForURL(`${stack.consoleUrl}/projects`);
      await ask(invited, "me.get");
      await invited.context().clearCookies({ name: "plinth.session_token" });
    },
  );
});

describe("a page", () => {
  const paths = (): string[] => [
    "/projects",
    "/projects/new",
    "/organizations",
    "/account",
    "/invitation",
    "/nowhere",
    ...["", "/blueprint", "/changes", "/data", "/users", "/permissions", "/keys", "/settings"].map(
      (room) => `/projects/${shop}${room}`,
    ),
  ];

  test("loads nothing that its policy refuses, and has its own nonce", async () => {
    const nonces: string[] = [];
    for (const path of paths()) {
      const answer = await page.goto(stack.consoleUrl + path);
      await page.waitForLoadState("networkidle");
      const policy = answer?.headers()["content-security-policy"] ?? "";
      expect(policy, path).not.toContain("unsafe");
      expect(policy, path).toContain("frame-ancestors 'none'");
      nonces.push(/'nonce-([^']+)'/.exec(policy)?.[1] ?? "");
    }
    expect(nonces.every((nonce) => nonce.length >= 22)).toBe(true);
    expect(new Set(nonces).size).toBe(nonces.length);
    // The editor and its list of suggestions create styles, and a dialog locks the page's scrolling.
    await page.goto(`${stack.consoleUrl}/projects/${shop}/blueprint`);
    await page.getByRole("textbox", { name: "Blueprint" }).click();
    await page.keyboard.press("Control+Space");
    const editor = page.locator(".cm-editor");
    expect(await editor.evaluate((element) => getComputedStyle(element).display)).toBe("flex");
    await takePicture(page, pictures, "people-14-editor", true);
    await page.goto(`${stack.consoleUrl}/projects/${shop}/keys`);
    await page.getByRole("button", { name: "New key" }).first().click();
    await page.getByRole("dialog").waitFor();
    expect(await page.evaluate(() => getComputedStyle(document.body).overflow)).toBe("hidden");
  });

  test("runs no injected script, handler or style, and loads no external script", async () => {
    const attacked = await newPage();
    await attacked.route("**/sign-in", async (route) => {
      const answer = await route.fetch();
      const body = (await answer.text()).replace(
        "<body",
        `<script>window.inline = 1</script><script src="data:text/javascript,window.inline=2"></script>
         <style>body { outline: 7px solid red }</style><base href="https://evil.example/"><body onload="window.inline = 3"`,
      );
      await route.fulfill({ response: answer, body });
    });
    await attacked.goto(`${stack.consoleUrl}/sign-in`);
    await attacked.getByRole("button", { name: "Sign in" }).waitFor();
    await attacked.evaluate(() => {
      const box = document.createElement("div");
      box.innerHTML = `<img src="x" onerror="window.inline = 4"><p style="color: red">red</p>`;
      document.body.append(box);
    });
    await expect.poll(() => violations.length).toBe(7);
    expect(await attacked.evaluate(() => (window as unknown as { inline?: number }).inline)).toBeUndefined();
    expect(await attacked.evaluate(() => getComputedStyle(document.body).outlineWidth)).not.toBe("7px");
    expect(await attacked.evaluate(() => document.baseURI)).toContain(stack.consoleUrl);
    violations.length = 0;
    await attacked.context().close();
  });
});

test("guesses with forged addresses are refused, and the person's known device still works", async () => {
  const guess = (number: number): Promise<number> =>
    fetch(`${stack.consoleUrl}/control/auth/sign-in/email`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        origin: stack.consoleUrl,
        "x-forwarded-for": `192.0.2.${number}`,
        "x-plinth-console": "guessed",
      },
      body: JSON.stringify({ email: "dana@example.com", password: "a guess" }),
    }).then(({ status }) => status);
  const statuses: number[] = [];
  for (let number = 0; number < 12; number++) statuses.push(await guess(number));
  expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
  const stranger = await newPage();
  await signIn(stranger, "dana@example.com", PASSWORD);
  await stranger.getByText(/Too many attempts. Try again in \d+ minutes/).waitFor();
  await takePicture(stranger, pictures, "people-15-too-many");
  await page.context().clearCookies({ name: "plinth.session_token" });
  await signIn(page, "dana@example.com", PASSWORD);
  await page.getByRole("link", { name: "shop" }).waitFor();
});
