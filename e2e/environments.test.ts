// Environments as people use them: a preview is created, changed, promoted and deleted, in the console and on the
// command line. An app names its environment and is refused with a key of another one. With PLINTH_PICTURES=DIR, it
// saves pictures there.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@plinth/sdk";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { runCommandLine } from "../apps/cli/src/command-line.ts";
import { deploy } from "../apps/cli/src/local/deploy.ts";
import { openControl, projectCalled } from "../apps/cli/src/local/open-control.ts";
import { readLocalSettings } from "../apps/cli/src/local/settings.ts";
import { createTerminal } from "../apps/cli/src/terminal.ts";
import { agreeToAll, startBrowser, takePicture } from "./browser.ts";
import { type DevStack, startDev } from "./stack.ts";

const notes = (fields = ""): string => `project: notes
modules: [auth, users, roles]

entities:
  note:
    fields:
      title: string
${fields}    permissions:
      admin:
        all: true
`;

let folder: string;
let stack: DevStack;
let browser: Browser;
let page: Page;
let environment: Record<string, string>;
const pictures = process.env["PLINTH_PICTURES"];
const consoleErrors: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plinth-environments-"));
  writeFileSync(join(folder, "notes.yaml"), notes());
  [stack, browser] = await Promise.all([startDev(join(folder, "notes.yaml")), startBrowser()]);
  const portOf = (url: string): string => new URL(url).port;
  environment = {
    PLINTH_HOME: stack.home,
    PLINTH_API_PORT: portOf(stack.apiUrl),
    PLINTH_INTERNAL_PORT: portOf(stack.internalUrl),
    PLINTH_CONTROL_PORT: portOf(stack.controlUrl),
    PLINTH_CONSOLE_PORT: portOf(stack.consoleUrl),
  };
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(20_000);
  page.on("pageerror", (error) => consoleErrors.push(error.message));
}, 240_000);

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

afterEach(async ({ task }) => {
  if (task.result?.state === "fail") await picture(`failed-${task.name.replaceAll(/\W+/g, "-").slice(0, 40)}`);
});

const picture = (name: string, everyLook = false): Promise<void> => takePicture(page, pictures, name, everyLook);

async function plinth(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const written = { out: "", err: "" };
  const stream = (name: "out" | "err") => ({
    write: (text: string) => {
      written[name] += text;
    },
  });
  const code = await runCommandLine(args, environment, createTerminal(stream("out"), stream("err"), undefined));
  return { code, ...written };
}

const client = (apiKey: string, name?: string) =>
  createClient({
    project: "notes",
    ...(name === undefined ? {} : { environment: name }),
    apiKey,
    baseUrl: stack.apiUrl,
  });
const titlesOf = async (of: ReturnType<typeof client>) =>
  (await of.entity("note").findMany({})).map((record) => record["title"]);

async function openRoom(name: string): Promise<void> {
  await page.getByRole("navigation", { name: "Project" }).getByRole("link", { name, exact: true }).click();
}

async function approveAndDeploy(): Promise<void> {
  await agreeToAll(page);
  await page.getByRole("button", { name: /^Approve/ }).click();
  await page.getByRole("button", { name: "Deploy" }).click();
  await page
    .getByText(/is live/i)
    .first()
    .waitFor();
}

let previewKey: string;

test("a preview is created in the console, with production's blueprint and its own key", async () => {
  const { developer } = JSON.parse(readFileSync(join(stack.home, "secrets.json"), "utf8")) as {
    developer: { email: string; password: string };
  };
  await page.goto(`${stack.consoleUrl}/sign-in`);
  await page.getByLabel("Email").fill(developer.email);
  await page.getByLabel("Password").fill(developer.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "notes" }).click();
  await openRoom("Environments");
  await page.getByText("You are here").waitFor();
  await page.getByRole("button", { name: "New environment" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Not a name");
  await dialog.getByRole("button", { name: "Create environment" }).click();
  await dialog.getByText(/Use lower-case words/).waitFor();
  await dialog.getByLabel("Name").fill("search-box");
  await picture("1-new-environment", true);
  await dialog.getByRole("button", { name: "Create environment" }).click();
  previewKey = (await page.getByTestId("new-key").innerText()).trim();
  expect(previewKey).toMatch(/^plk_sec_/);
  await picture("2-first-key");
  await dialog.getByRole("link", { name: "Open search-box" }).click();
  await page.getByRole("heading", { name: "notes", exact: true }).waitFor();
  await expect.poll(() => titlesOf(client(previewKey, "search-box")), { timeout: 20_000 }).toEqual([]);
});

test("the preview has its own data, and each environment refuses the other's key", async () => {
  await client(stack.keys.secret).entity("note").create({ title: "real" });
  await client(previewKey, "search-box").entity("note").create({ title: "tried" });
  expect(await titlesOf(client(stack.keys.secret))).toEqual(["real"]);
  expect(await titlesOf(client(previewKey, "search-box"))).toEqual(["tried"]);
  await expect(titlesOf(client(previewKey))).rejects.toMatchObject({
    code: "project_mismatch",
    detail: "The credential is for the environment search-box of notes; the request names production.",
  });
  await expect(titlesOf(client(stack.keys.secret, "search-box"))).rejects.toMatchObject({
    code: "project_mismatch",
    detail: "The credential is for the environment production of notes; the request names search-box.",
  });
  expect(() => createClient({ project: "notes--search-box", environment: "preview", apiKey: "x" })).toThrow(TypeError);
});

test("the preview is changed, compared and promoted in the console", async () => {
  await openRoom("Blueprint");
  await page.getByText("title: string").first().click();
  await page.keyboard.press("End");
  await page.keyboard.type("\nbody: text?");
  await page.getByRole("button", { name: "Review change" }).click();
  await approveAndDeploy();
  await openRoom("Overview");
  await page.getByText("search-box can be promoted to production").waitFor();
  await picture("3-banner", true);
  await page.getByRole("link", { name: "Compare" }).click();
  await page.getByRole("region", { name: "Changes in production" }).getByText("body").first().waitFor();
  await page.getByText("Blueprint of search-box against production").click();
  await picture("4-compare", true);
  await page.getByRole("button", { name: "Review in production" }).click();
  await page.getByText("Promoted from search-box").waitFor();
  await picture("5-promoted", true);
  await approveAndDeploy();
  const made = await client(stack.keys.secret).entity("note").create({ title: "with", body: "a body" });
  expect(made).toMatchObject({ body: "a body" });
  expect(await titlesOf(client(previewKey, "search-box"))).toEqual(["tried"]);
  await openRoom("Changes");
  await page.getByText(/promoted it from search-box/).waitFor();
});

test("the switcher stays on the same page, and names the environment", async () => {
  await openRoom("Keys");
  await page.getByRole("button", { name: "Switch environment" }).click();
  await picture("6-switcher");
  await page.getByRole("menuitem", { name: "search-box" }).click();
  await page.getByText("first key").waitFor();
  await expect.poll(() => new URL(page.url()).pathname).toMatch(/\/keys$/);
  await page.getByRole("main").getByText("search-box").waitFor();
  await picture("7-keys");
  await page.getByRole("link", { name: "All projects" }).click();
  await page.getByRole("list", { name: "Environments of notes" }).getByRole("link", { name: "search-box" }).waitFor();
  expect(await page.getByRole("link", { name: "notes", exact: true }).count()).toBe(1);
  await picture("8-projects", true);
});

test("a promotion never silently undoes changes that only production has", async () => {
  await openControl(readLocalSettings(environment), async (control, developer) => {
    const { id } = await projectCalled(control, developer, "notes");
    const proposal = await control.proposals.create.mutate({ projectId: id, text: notes("      mood: string?\n") });
    const { id: proposalId, hash, consents } = proposal;
    await control.proposals.approve.mutate({ proposalId, hash, consents: [...consents] });
    const { deploymentId } = await control.deployments.create.mutate({ proposalId });
    await expect.poll(async () => (await control.deployments.get.query({ deploymentId })).status).toBe("active");
  });
  const refused = await plinth("promote", "--project", "notes", "--from", "search-box", "--deploy");
  expect(refused).toMatchObject({
    code: 1,
    err: expect.stringContaining("production had this version of search-box earlier"),
  });
  await page.getByRole("list", { name: "Environments of notes" }).getByRole("link", { name: "search-box" }).click();
  await openRoom("Environments");
  await page
    .getByText(/production is ahead of search-box|production has changes/)
    .first()
    .waitFor();
  await picture("9-diverged", true);
});

test("environments are created, listed, changed, promoted and deleted on the command line", async () => {
  const created = await plinth("environments", "create", "development", "--project", "notes");
  expect(created).toMatchObject({ code: 0, err: "" });
  const key = /plk_sec_\w+/.exec(created.out)?.[0] ?? "";
  expect(await titlesOf(client(key, "development"))).toEqual([]);
  expect((await plinth("environments", "create", "development", "--project", "notes")).err).toContain("already");
  const { out } = await plinth("environments", "list", "--project", "notes");
  expect(out.split("\n").map((line) => line.split(/ +/)[0])).toEqual([
    "ENVIRONMENT",
    "production",
    "development",
    "search-box",
    "",
  ]);
  await openControl(readLocalSettings(environment), async (control, developer) => {
    const { id } = await projectCalled(control, developer, "notes--development");
    expect(await deploy(control, id, notes("      mood: string?\n      place: string?\n"))).toMatchObject({
      kind: "deployed",
    });
  });
  const shown = await plinth("promote", "--project", "notes", "--from", "development");
  expect(shown).toMatchObject({ code: 0, err: "" });
  expect(shown.out).toMatch(/From development to production:[\s\S]*place[\s\S]*It waits for approval: http/);
  const promoted = await plinth(
    "promote",
    "--project",
    "notes",
    "--from",
    "development",
    "--to",
    "production",
    "--deploy",
  );
  expect(promoted).toMatchObject({ code: 0, out: expect.stringContaining("Deployed to production.") });
  await client(stack.keys.secret).entity("note").create({ title: "placed", place: "here" });
  expect((await plinth("promote", "--project", "notes", "--from", "development")).err).toContain(
    "already serves the same blueprint",
  );

  await openControl(readLocalSettings(environment), async (control, developer) => {
    const { id } = await projectCalled(control, developer, "notes--development");
    const {
      id: proposalId,
      hash,
      consents,
    } = await control.proposals.create.mutate({
      projectId: id,
      text: notes("      mood: string?\n"),
    });
    await control.proposals.approve.mutate({ proposalId, hash, consents: [...consents] });
    const { deploymentId } = await control.deployments.create.mutate({ proposalId });
    await expect.poll(async () => (await control.deployments.get.query({ deploymentId })).status).toBe("active");
  });
  const owing = await plinth("promote", "--project", "notes", "--from", "development", "--deploy");
  expect(owing.code).toBe(1);
  expect(owing.err).toContain("A person must give these consents:\n  breaking note.place\n  destructive note.place\n");
  expect(owing.err).toMatch(/give them here: http\S+\/changes\/prp_\w+/);
  const consents = [...owing.err.matchAll(/^ {2}(\S+ \S+)$/gm)].flatMap(([, text]) => ["--consent", text ?? ""]);
  const agreed = await plinth("promote", "--project", "notes", "--from", "development", "--deploy", ...consents);
  expect(agreed).toMatchObject({ code: 0, err: "" });

  const planned = await plinth(
    "plan",
    join(folder, "notes.yaml"),
    "--project",
    "notes",
    "--env",
    "search-box",
    "--json",
  );
  expect(JSON.parse(planned.out).changes.map(({ path }: { path: string }) => path)).toContain("note.body");
  expect((await plinth("plan", join(folder, "notes.yaml"), "--project", "notes", "--env", "none")).err).toContain(
    "notes has no environment none: it has production, development, search-box",
  );
  expect(await plinth("environments", "delete", "development", "--project", "notes", "--yes")).toMatchObject({
    code: 0,
  });
  await expect(titlesOf(client(key, "development"))).rejects.toMatchObject({ status: 401 });
});

test("deleting the preview in the console also deletes its key", async () => {
  await page.reload();
  await page.getByRole("button", { name: "Delete search-box" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete environment" }).click();
  await page.getByRole("list", { name: "Environments" }).getByText("You are here").waitFor();
  await expect.poll(() => page.getByRole("list", { name: "Environments" }).getByRole("listitem").count()).toBe(1);
  await expect(titlesOf(client(previewKey, "search-box"))).rejects.toMatchObject({ status: 401 });
  expect(await titlesOf(client(stack.keys.secret))).toEqual(expect.arrayContaining(["real"]));
  expect(consoleErrors).toEqual([]);
});
