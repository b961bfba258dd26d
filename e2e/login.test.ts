// The command line, signed in to a Plinth whose projects were created in the console: a person approves its code in a
// real browser, and CI uses an access token. With PLINTH_PICTURES=DIR, it saves a picture of each page there.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { signUpOnConsole, startBrowser, takePicture } from "./browser.ts";
import { type Stack, startUp } from "./stack.ts";

const main = resolve(import.meta.dirname, "../apps/cli/src/main.ts");
const pictures = process.env["PLINTH_PICTURES"];

let stack: Stack;
let browser: Browser;
let dana: Page;
let folder: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startUp(), startBrowser()]);
  folder = mkdtempSync(join(tmpdir(), "plinth-login-"));
  dana = await signUp("Dana", "dana@example.com");
});
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function signUp(name: string, email: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(20_000);
  await signUpOnConsole(page, stack.consoleUrl, { name, email });
  return page;
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

const organizationOf = async (page: Page): Promise<string> =>
  (await ask<{ organizations: { id: string }[] }>(page, "me.get")).organizations[0]?.id ?? "";

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function start(
  args: readonly string[],
  env: Record<string, string> = {},
): { child: ChildProcess; ended: Promise<Ran> } {
  const base = {
    PATH: process.env["PATH"],
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, "config"),
    PLINTH_HOME: folder,
  };
  const child = spawn(process.execPath, [main, ...args], { cwd: folder, env: { ...base, ...env } });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  return { child, ended: new Promise((done) => child.once("close", (code) => done({ code, out, err }))) };
}

const run = (args: readonly string[], env: Record<string, string> = {}): Promise<Ran> => start(args, env).ended;

/** Starts `plinth login`, and resolves with the address that it prints. */
async function beginLogin(): Promise<{ page: string; code: string; ended: Promise<Ran> }> {
  const { child, ended } = start(["login", "--url", stack.consoleUrl]);
  const page = await new Promise<string>((found, failed) => {
    let err = "";
    child.stderr?.on("data", (chunk) => {
      err += chunk;
      const [address] = /http\S+\/device#\S+/.exec(err) ?? [];
      if (address !== undefined) found(address);
    });
    child.once("close", () => failed(new Error(err)));
  });
  return { page, code: page.split("#")[1] ?? "", ended };
}

const blueprint = `project: shop
modules: [auth, users, roles]
entities:
  bike:
    fields:
      name: string
    permissions:
      public: { read: true }
      admin: { all: true }
`;
const next = blueprint.replace("name: string", 'title: string = "unnamed"');
const credentials = (): string => join(folder, "config/plinth/credentials.json");

test("a person approves the code in the console, and commands reach the same projects as the person", async () => {
  expect(await run(["whoami"])).toMatchObject({ code: 1, err: expect.stringContaining("is `plinth up` running?") });
  await ask(dana, "projects.create", { organizationId: await organizationOf(dana), slug: "shop" });
  const { page, code, ended } = await beginLogin();
  await dana.goto(page);
  expect(await dana.getByTestId("user-code").innerText()).toBe(code);
  expect(dana.url()).not.toContain(code);
  await takePicture(dana, pictures, "login-1-device", true);
  await dana.getByRole("button", { name: "Approve" }).click();
  await dana.getByText("Go back to your terminal.").waitFor();
  const done = await ended;
  expect(done).toMatchObject({
    code: 0,
    out: expect.stringContaining(`Signed in to ${stack.consoleUrl} as dana@example.com`),
  });
  expect(statSync(credentials()).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, "config/plinth")).mode & 0o777).toBe(0o700);
  expect((await run(["whoami"])).out).toContain("Dana <dana@example.com>");
  expect((await run(["projects", "create", "by-command"])).out).toMatch(/^Created by-command in /);
  expect((await run(["projects", "create", "by-command"])).code).toBe(1);
  expect((await run(["projects"])).out).toMatch(/^by-command +prj_\w+ +.*owner +not deployed$/m);
  expect((await run(["projects"])).out).toMatch(/^shop +prj_\w+ +.*owner +not deployed$/m);
}, 90_000);

test("a blueprint is proposed, deployed with the named consents, pulled, and its types are printed", async () => {
  const file = join(folder, "shop.yaml");
  writeFileSync(file, blueprint);
  const about = ["--project", "shop"];
  expect((await run(["pull", ...about])).err).toContain("shop serves nothing yet");
  expect((await run(["deploy", file, ...about])).out).toMatch(/Proposed\. Approve it at http\S+\/changes\/prp_\w+/);
  expect((await run(["deploy", file, ...about, "--approve"])).out).toContain(`Deployed ${file} to shop.`);
  expect((await run(["deploy", file, ...about])).out).toContain("shop already serves");
  expect((await run(["plan", file, ...about])).out).toContain("Nothing changes.");

  // A change that records prevent names them, and proposes nothing.
  const projects = JSON.parse((await run(["projects", "--json"])).out) as { id: string; slug: string }[];
  const projectId = projects.find(({ slug }) => slug === "shop")?.id ?? "";
  await ask(dana, "data.create", { projectId, entity: "bike", values: { name: "Racer" } });
  writeFileSync(file, blueprint.replace(/^( +)name: string.*$/m, "$&\n$1frame: string"));
  const blocked = await run(["deploy", file, ...about, "--approve"]);
  expect(blocked).toMatchObject({ code: 1, out: expect.stringMatching(/1 record of bikes has/) });
  expect(blocked.out).toContain("records violate step");
  const { changes } = await ask<{ changes: unknown[] }>(
    dana,
    `proposals.timeline?input=${encodeURIComponent(JSON.stringify({ projectId }))}`,
  );
  expect(changes).toHaveLength(1);

  writeFileSync(file, next);
  const refused = await run(["deploy", file, ...about, "--approve"]);
  const consents = [...refused.err.matchAll(/^ {2}(\S+ \S+)$/gm)].map(([, consent = ""]) => consent);
  expect([refused.code, consents]).toEqual([1, ["breaking bike.name", "destructive bike.name"]]);
  const deployed = await run(["deploy", file, ...about, "--approve", "--consent", ...consents, "--json"]);
  expect(JSON.parse(deployed.out)).toMatchObject({ status: "deployed", consents, error: null });

  writeFileSync(file, "# mine\n");
  expect(await run(["pull", ...about])).toMatchObject({ code: 1, err: expect.stringContaining("differs: --force") });
  expect((await run(["pull", ...about, "--force"])).code).toBe(0);
  expect(readFileSync(file, "utf8")).toBe(next);
  const types = await run(["types", ...about, "--out", join(folder, "shop.gen.d.ts")]);
  expect(types.code).toBe(0);
  expect(readFileSync(join(folder, "shop.gen.d.ts"), "utf8")).toContain("export interface Shop {");
}, 90_000);

test("projects of other organizations are found by name, or by id if two have the same name", async () => {
  const eve = await signUp("Eve", "eve@example.com");
  const organizationId = await organizationOf(eve);
  const theirs = await ask<{ id: string }>(eve, "projects.create", { organizationId, slug: "shop" });
  await ask(eve, "projects.create", { organizationId, slug: "depot" });
  await ask(eve, "projects.create", { organizationId, slug: "hidden" });
  const scope = { kind: "projects", projectIds: [theirs.id] };
  const invited = { organizationId, email: "dana@example.com", role: "owner", scope };
  const { token } = await ask<{ token: string }>(eve, "invitations.create", invited);
  expect((await run(["types", "--project", "depot"])).err).toContain("dana@example.com has no project depot");
  await ask(dana, "invitations.accept", { token });
  expect((await run(["projects"])).out).not.toContain("hidden");
  const ambiguous = await run(["pull", "--project", "shop"]);
  expect(ambiguous).toMatchObject({
    code: 1,
    err: expect.stringContaining("more than one organization has a project shop"),
  });
  expect(ambiguous.err).toContain(theirs.id);
  expect((await run(["pull", "--project", theirs.id])).err).toContain("shop serves nothing yet");
  expect((await run(["runs", "list"])).err).toContain("`plinth projects` lists them");
}, 60_000);

test("a revoked token names the command to run, a denied code signs nobody in, and logout ends the token", async () => {
  await dana.goto(`${stack.consoleUrl}/account`);
  await dana.getByRole("list", { name: "Access tokens" }).waitFor();
  await takePicture(dana, pictures, "login-2-account", true);
  await dana.getByRole("button", { name: /^Revoke / }).click();
  await dana.getByRole("button", { name: "Revoke token" }).click();
  await dana.getByText("None yet.").waitFor();
  const revoked = await run(["projects"]);
  expect(revoked).toMatchObject({
    code: 1,
    err: expect.stringContaining(`run \`plinth login --url ${stack.consoleUrl}\``),
  });

  const denied = await beginLogin();
  await dana.goto(`${stack.consoleUrl}/device`);
  await dana.getByLabel("Code").fill("bbbb bbbb");
  await dana.getByRole("button", { name: "Continue" }).click();
  await dana.getByText("No program waits with this code").waitFor();
  await dana.getByLabel("Code").fill(denied.code.toLowerCase());
  await dana.getByRole("button", { name: "Continue" }).click();
  await dana.getByRole("button", { name: "Deny" }).click();
  await dana.getByText("was not signed in").waitFor();
  expect(await denied.ended).toMatchObject({ code: 1, err: expect.stringContaining("denied in the console") });

  const again = await beginLogin();
  await dana.goto(again.page);
  await dana.getByRole("button", { name: "Approve" }).click();
  expect((await again.ended).code).toBe(0);
  const { token } = JSON.parse(readFileSync(credentials(), "utf8")).servers[stack.consoleUrl];
  expect((await run(["logout"])).out).toContain("Signed out");
  expect(readFileSync(credentials(), "utf8")).not.toContain(token);
  const reused = await run(["whoami"], { PLINTH_URL: stack.consoleUrl, PLINTH_TOKEN: token });
  expect(reused).toMatchObject({ code: 1, err: expect.stringContaining("refuses PLINTH_TOKEN") });
}, 120_000);

test("an access token from the account page signs CI in, without a file", async () => {
  await dana.goto(`${stack.consoleUrl}/account`);
  await dana.getByRole("button", { name: "New token" }).click();
  await dana.getByRole("dialog").getByLabel("Name").fill("CI");
  await dana.getByRole("button", { name: "Create token" }).click();
  const token = (await dana.getByTestId("new-token").innerText()).trim();
  await takePicture(dana, pictures, "login-3-token", true);
  rmSync(join(folder, "config"), { recursive: true });
  const ci = { PLINTH_URL: stack.consoleUrl, PLINTH_TOKEN: token };
  expect((await run(["whoami", "--json"], ci)).out).toContain('"signedIn":"PLINTH_TOKEN"');
  expect(existsSync(credentials())).toBe(false);
  expect((await run(["whoami"], { PLINTH_TOKEN: token })).err).toContain("PLINTH_TOKEN needs PLINTH_URL");
  const { child, ended } = start(["login", "--url", stack.consoleUrl, "--with-token"]);
  child.stdin?.end(`${token}\n`);
  expect(await ended).toMatchObject({ code: 0, out: expect.stringContaining("as dana@example.com") });
  // Commands use the Plinth on this machine again, and there is none.
  expect((await run(["whoami"], { PLINTH_URL: "local" })).err).toContain("is `plinth up` running?");
}, 60_000);
