// Organizations, an app's users, the deletion of a project, and a person's own account, as a person uses them in a real
// browser. With PLINTH_PICTURES=DIR, it saves a picture of each page there.
import { createHmac } from "node:crypto";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { signUpOnConsole, startBrowser, takePicture } from "./browser.ts";
import { type Stack, startUp } from "./stack.ts";

const PASSWORD = "correct horse battery staple";
const EMAIL = "dana@example.com";
const APP = `project: parcel-desk
modules: [auth, users, roles]
roles: { clerk: { inherits: user } }
entities:
  parcel:
    fields:
      label: string
      weight: int?
      owner_id: user_ref = current_user.id
      note: string?
    permissions:
      public: { read: weight < 10 }
      user:
        read: owner_id == current_user.id
        create: true
      clerk:
        read: { allow: weight < 100, fields: [id, label, weight] }
      admin: { all: true }
`;

const pictures = process.env["PLINTH_PICTURES"];
const errors: string[] = [];
let stack: Stack;
let browser: Browser;
let page: Page;
let organizationId: string;
let projectId: string;
let key: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startUp(), startBrowser()]);
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(20_000);
  page.on("pageerror", (error) => errors.push(error.message));
  await signUpOnConsole(page, stack.consoleUrl, { name: "Dana Developer", email: EMAIL });
  const me = await ask<{ organizations: { id: string }[] }>("me.get");
  organizationId = me.organizations[0]?.id ?? "";
  projectId = (await ask<{ id: string }>("projects.create", { organizationId, slug: "parcel-desk" })).id;
  const { id, hash, consents } = await ask<{ id: string; hash: string; consents: string[] }>("proposals.create", {
    projectId,
    text: APP,
  });
  await ask("proposals.approve", { proposalId: id, hash, consents });
  await ask("deployments.create", { proposalId: id });
  const isLive = async (): Promise<boolean> =>
    (await ask<{ live: object | null }>("projects.get", undefined, { projectId })).live !== null;
  while (!(await isLive())) await new Promise((later) => setTimeout(later, 200));
  key = (await ask<{ key: string }>("keys.create", { projectId, name: "app", kind: "publishable" })).key;
  for (const name of ["ana", "ben", "cem"]) await enter("sign-up", `${name}@example.com`);
});

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

afterEach(async ({ task }) => {
  if (task.result?.state === "fail") await takePicture(page, pictures, "failed-accounts");
  expect(errors.splice(0)).toEqual([]);
});

/** Calls the control API in the page, with its session; with `query`, a query. */
async function ask<Answer>(procedure: string, input?: object, query?: object): Promise<Answer> {
  const answer = await page.evaluate(
    async ({ procedure, input, query }) => {
      const parameters = query === undefined ? "" : `?input=${encodeURIComponent(JSON.stringify(query))}`;
      const headers = { "content-type": "application/json" };
      const init = input === undefined ? {} : { method: "POST", headers, body: JSON.stringify(input) };
      return (await fetch(`/control/trpc/${procedure}${parameters}`, init)).json();
    },
    { procedure, input, query },
  );
  return (answer as { result: { data: Answer } }).result.data;
}

async function enter(how: "sign-up" | "sign-in", email: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ email, password: PASSWORD });
  return (await fetch(`${stack.apiUrl}/v1/auth/${how}`, { method: "POST", headers, body })).status;
}

/** Pictures of the page, light and dark, in three widths. */
async function look(name: string): Promise<void> {
  if (pictures === undefined) return;
  for (const width of [1440, 768, 360]) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({
        animations: "disabled",
        path: `${pictures}/${name}-${width}-${colorScheme}.png`,
        fullPage: true,
      });
    }
  }
  await page.emulateMedia({ colorScheme: null });
  await page.setViewportSize({ width: 1440, height: 900 });
}

async function open(path: string): Promise<void> {
  await page.goto(`${stack.consoleUrl}${path}`);
}

test("an organization is created, renamed and deleted, and the project list names it", async () => {
  await open("/projects");
  await page.getByRole("link", { name: "Dana Developer's organization" }).click();
  await page.getByRole("heading", { name: "Dana Developer's organization" }).waitFor();
  await page.getByRole("list", { name: "Members" }).getByText(EMAIL).waitFor();
  await look("organization");
  await open("/organizations");
  await page.getByRole("button", { name: "New organization" }).click();
  await page.getByLabel("Name of the organization").fill("Harbour Parcels");
  await page.getByRole("button", { name: "Create organization" }).click();
  await page.getByRole("heading", { name: "Harbour Parcels" }).waitFor();
  const switcher = page.getByRole("button", { name: /Switch organization$/ });
  expect(await switcher.innerText()).toContain("Harbour Parcels");
  await switcher.click();
  await page.getByRole("menuitem", { name: "Dana Developer's organization" }).click();
  await page.getByRole("heading", { name: "Dana Developer's organization" }).waitFor();
  await open(`/projects/${projectId}`);
  await page.getByRole("button", { name: "Dana Developer's organization Switch organization" }).click();
  await page.getByRole("menuitem", { name: "Harbour Parcels" }).click();
  await page.getByRole("heading", { name: "Harbour Parcels" }).waitFor();
  await page.getByRole("textbox", { name: "Name of the organization" }).fill("Harbour");
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("heading", { name: "Harbour", exact: true }).waitFor();
  await page.getByRole("button", { name: "Invite" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Email of the new member").fill("eve@example.com");
  await dialog.getByText("Developer", { exact: true }).click();
  await look("invite");
  await dialog.getByRole("button", { name: "Invite" }).click();
  await dialog.getByRole("button", { name: "Done" }).click();
  const invited = page.getByRole("region", { name: "Open invitations" });
  await invited.getByText("Developer", { exact: true }).waitFor();
  await invited.getByRole("button", { name: "New link for eve@example.com" }).click();
  await page.getByText("The old link no longer works.").waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Delete organization" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete organization" }).click();
  await page.getByRole("heading", { name: "Organizations" }).waitFor();
  await expect.poll(() => page.getByRole("link", { name: "Harbour" }).count()).toBe(0);
  await look("organizations");
});

test("a user is found, given a role, signed out, disabled and enabled", async () => {
  await open(`/projects/${projectId}/users`);
  await page.getByRole("link", { name: "ana@example.com" }).waitFor();
  await look("users");
  await page.getByLabel("Search users").fill("ben");
  await expect.poll(() => page.getByRole("link", { name: /@example.com/ }).count()).toBe(1);
  await page.getByRole("link", { name: "ben@example.com" }).click();
  await page.getByRole("list", { name: "Sessions" }).waitFor();
  await look("user");
  await page.getByRole("checkbox", { name: "clerk" }).check();
  await page.getByRole("button", { name: "Set roles" }).click();
  await page.getByText("The roles were changed.").waitFor();
  await page.getByRole("button", { name: "End all sessions" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End all sessions" }).click();
  await page.getByText("The user has no sessions.").waitFor();
  await page.getByRole("button", { name: "Disable" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disable user" }).click();
  await page.getByText("Disabled", { exact: true }).first().waitFor();
  expect(await enter("sign-in", "ben@example.com")).toBe(403);
  await page.getByRole("button", { name: "Enable" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Enable user" }).click();
  await page.getByText("Enabled", { exact: true }).waitFor();
  expect(await enter("sign-in", "ben@example.com")).toBe(200);
  await open(`/projects/${projectId}/users`);
  await page.getByRole("button", { name: "Add user" }).click();
  await page.getByRole("dialog").getByLabel("Email").fill("new@example.com");
  await page.getByRole("dialog").getByRole("button", { name: "Add user" }).click();
  await page.getByText("It is shown only now.").waitFor();
  await look("user-added");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("link", { name: "new@example.com" }).waitFor();
});

test("the permission matrix shows what a role can do, and why a user can't do it to a record", async () => {
  const secret = (await ask<{ key: string }>("keys.create", { projectId, name: "seed", kind: "secret" })).key;
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const users = await (await fetch(`${stack.apiUrl}/v1/users?email=ana@example.com`, { headers })).json();
  const body = JSON.stringify({ label: "Piano", weight: 250, owner_id: users.data[0].id });
  expect((await fetch(`${stack.apiUrl}/v1/resources/parcels`, { method: "POST", headers, body })).status).toBe(201);
  await open(`/projects/${projectId}/permissions`);
  await page.getByRole("button", { name: /^parcel, Read, clerk:/ }).waitFor();
  await look("permissions");
  await page.getByRole("button", { name: /^parcel, Read, clerk:/ }).click();
  const dialog = page.getByRole("dialog");
  const record = dialog.getByLabel("Record");
  await record.getByRole("option", { name: /Piano/ }).waitFor({ state: "attached" });
  await record.selectOption({ index: 1 });
  await dialog.getByRole("button", { name: "Explain" }).click();
  const told = dialog.getByRole("region", { name: "Explanation" });
  await told.getByText("Denied").waitFor();
  await told.getByText("= 250").first().waitFor();
  await told.getByText("read: { allow: weight < 100, fields: [id, label, weight] }").waitFor();
  await look("explain");
  await dialog.getByLabel("Caller").selectOption({ label: "ana@example.com (user)" });
  await dialog.getByRole("button", { name: "Explain" }).click();
  await told.getByText("Allowed").waitFor();
  await page.keyboard.press("Escape");
});

test("a theme is saved, and the server renders pages with it", async () => {
  await open("/account");
  await page.getByRole("radio", { name: "Dark" }).check({ force: true });
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset["theme"])).toBe("dark");
  const sent = await page.request.get(`${stack.consoleUrl}/account`);
  expect(await sent.text()).toMatch(/<html[^>]* data-theme="dark"/);
  expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe("rgb(15, 15, 16)");
  // On another device, the choice comes from the account.
  await page.context().clearCookies({ name: "plinth.theme" });
  await page.reload();
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset["theme"])).toBe("dark");
  await page.getByRole("radio", { name: "Like the system" }).check({ force: true });
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset["theme"])).toBeUndefined();
  await look("account");
});

test("a second factor is set up with a QR code, and required at the next sign-in", async () => {
  await open("/account");
  await page.getByRole("button", { name: "Set up" }).click();
  await page.getByLabel("Your password").fill(PASSWORD);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("img", { name: "QR code with the secret" }).waitFor();
  await look("two-factor");
  const secret = (await page.getByTestId("totp-secret").innerText()).trim();
  await page.getByLabel("Six-digit code").fill("000000");
  await page.getByRole("button", { name: "Turn on" }).click();
  await page.getByText("The code is wrong").waitFor();
  await page.getByLabel("Six-digit code").fill(codeNow(secret));
  await page.getByRole("button", { name: "Turn on" }).click();
  const codes = page.getByRole("list", { name: "Backup codes" });
  await codes.waitFor();
  await look("backup-codes");
  const [backup = ""] = await codes.getByRole("listitem").allInnerTexts();
  await page.getByRole("button", { name: "I have saved them" }).click();
  await page.getByText("On", { exact: true }).waitFor();
  for (const [kind, code] of [
    // The current code has enabled the second factor and works once. The next code is accepted as well, for clocks that
    // are ahead.
    ["totp", () => codeNow(secret, 30)],
    ["backup", () => backup],
  ] as const) {
    await page.context().clearCookies();
    await open("/sign-in?next=%2Faccount");
    await page.getByLabel("Email").fill(EMAIL);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Enter a code" }).waitFor();
    if (kind === "totp") await look("sign-in-code");
    else await page.getByRole("button", { name: "Use a backup code" }).click();
    await page.getByLabel(kind === "totp" ? "Six-digit code" : "Backup code").fill(code());
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Account", exact: true }).waitFor();
  }
});

test("a project is deleted after its name is typed, and restored", async () => {
  await open(`/projects/${projectId}/settings`);
  await page.getByLabel("New name").waitFor();
  await look("settings");
  await page.getByRole("button", { name: "Delete project" }).click();
  const dialog = page.getByRole("dialog");
  expect(await dialog.getByRole("button", { name: "Delete project" }).isDisabled()).toBe(true);
  await dialog.getByLabel("Type parcel-desk to confirm").fill("parcel-desk");
  await look("delete-project");
  await dialog.getByRole("button", { name: "Delete project" }).click();
  const deleted = page.getByRole("region", { name: "Recently deleted" });
  await deleted.getByText("parcel-desk").waitFor();
  await look("deleted");
  expect(await enter("sign-in", "ana@example.com")).toBe(404);
  await deleted.getByRole("button", { name: "Restore parcel-desk" }).click();
  await page.getByRole("link", { name: "parcel-desk" }).waitFor();
  expect(await enter("sign-in", "ana@example.com")).toBe(200);
});

/** Computes the code that an authenticator app shows (RFC 6238). */
function codeNow(secret: string, secondsAhead = 0): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...secret.replace(/=+$/, "")]
    .map((sign) => alphabet.indexOf(sign).toString(2).padStart(5, "0"))
    .join("");
  const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor((Date.now() / 1000 + secondsAhead) / 30)));
  const digest = createHmac("sha1", bytes).update(counter).digest();
  const at = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}
