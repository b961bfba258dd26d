// Background work as people see it: a waiting run is approved and a failed one is retried in a real browser, and the
// same runs are listed, shown and followed in a terminal. With PLINTH_PICTURES=DIR, it saves a picture of each page
// there.
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Caller, callerOf } from "./api.ts";
import { type Bank, blueprint, openBank, payday, workflowsOf } from "./bakery.ts";
import { startBrowser, takePicture } from "./browser.ts";
import { publishBackground } from "./publish-background.ts";
import { answers, type DevStack, startDev } from "./stack.ts";

let stack: DevStack;
let bank: Bank;
let browser: Browser;
let page: Page;
let api: Caller;
let folder: string;
let root: string;
let projectId: string;
const pictures = process.env["PLINTH_PICTURES"];
const consoleErrors: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plinth-bakery-"));
  const file = join(folder, "bakery.yaml");
  writeFileSync(file, blueprint);
  bank = await openBank();
  const reachable = { PLINTH_OUTBOUND_ALLOW: "127.0.0.0/8" };
  [stack, browser] = await Promise.all([startDev(file, undefined, reachable), startBrowser()]);
  api = callerOf(stack.apiUrl, stack.keys.secret);
  const { developer } = JSON.parse(readFileSync(join(stack.home, "secrets.json"), "utf8"));
  projectId = developer.projects[stack.project].id;
  root = `${stack.consoleUrl}/projects/${projectId}/work`;
  const workflows = workflowsOf(bank.url);
  await publishBackground(stack, projectId, { workflows, schedules: [payday] });
  await answers(`${stack.consoleUrl}/sign-in`);
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(20_000);
  page.on("pageerror", (error) => consoleErrors.push(error.message));
  await page.goto(`${stack.consoleUrl}/sign-in`);
  await page.getByLabel("Email").fill(developer.email);
  await page.getByLabel("Password").fill(developer.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/projects/);
});

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
  bank?.close();
  rmSync(folder, { recursive: true, force: true });
});

afterEach(async ({ task }) => {
  if (task.result?.state === "fail") {
    await takePicture(page, pictures, `failed-${task.name.replaceAll(/\W+/g, "-").slice(0, 40)}`);
  }
});

const picture = (name: string): Promise<void> => takePicture(page, pictures, name, true);
const region = (name: string): Locator => page.getByRole("region", { name, exact: true });
const table = (name: string): Locator => page.getByRole("group", { name, exact: true });
const button = (name: string | RegExp): Locator => page.getByRole("button", { name });
const rowOf = (workflow: string): Locator =>
  table("Runs")
    .getByRole("row")
    .filter({ has: page.getByRole("link", { name: workflow, exact: true }) });

describe("in the console", () => {
  test("a project without background work says what to write", async () => {
    const plain = await page.evaluate(async () => {
      const { result } = await (await fetch("/control/trpc/me.get")).json();
      const body = JSON.stringify({ organizationId: result.data.organizations[0].id, slug: "plain" });
      const headers = { "content-type": "application/json" };
      return (await (await fetch("/control/trpc/projects.create", { method: "POST", headers, body })).json()).result
        .data.id;
    });
    await page.goto(`${stack.consoleUrl}/projects/${plain}/work`);
    await page.getByText("Nothing is deployed yet").waitFor();
    await page.getByText("on: note.created").waitFor();
    await picture("work-00-none");
    await page.setViewportSize({ width: 390, height: 900 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole("link", { name: "Open editor" }).click();
    await page.waitForURL(/blueprint/);
  });

  test("a project without events says what to expect", async () => {
    await page.goto(root);
    await page.getByText("No runs yet").waitFor();
    await picture("work-01-empty");
  });

  test("a write is followed by its runs, and runs can be filtered by status and workflow", async () => {
    const created = await api.post("/v1/resources/orders", { cake: "Marble cake" });
    expect(created.status).toBe(201);
    await rowOf("charge").getByText("Failed").waitFor();
    await rowOf("bake").getByText("Waiting").waitFor();
    await rowOf("bake").getByRole("link", { name: "order.created" }).waitFor();
    await picture("work-02-runs");
    await page.getByLabel("Status").selectOption("failed");
    await page.waitForURL(/status=failed/);
    await rowOf("bake").waitFor({ state: "detached" });
    await rowOf("charge").waitFor();
    await page.getByLabel("Workflow").selectOption("bake");
    await page.getByText("No run matches").waitFor();
    await page.getByRole("link", { name: "Clear filters" }).click();
    await rowOf("bake").waitFor();
  });

  test("a waiting run is approved with a note, and completes", async () => {
    await rowOf("bake").getByRole("link", { name: "bake", exact: true }).click();
    const approval = region("Approval");
    await approval.getByText("approval of admin").waitFor();
    const timeline = region("Timeline");
    for (const step of ["write_down", "rise", "mix", "member 0", "member 2"]) {
      await timeline.getByRole("button", { name: step }).waitFor();
    }
    await timeline.getByText("waits for approval by admin").waitFor();
    await picture("work-03-waiting");
    await approval.getByLabel("Note").fill("Smells good");
    await approval.getByRole("button", { name: "Approve" }).press("Enter");
    await page.getByRole("status").filter({ hasText: "Completed" }).waitFor();
    await timeline.getByRole("button", { name: "taste" }).click();
    await page.getByText("“Smells good”").waitFor();
    const caused = region("Runs that it caused");
    await caused.getByRole("link", { name: "print" }).waitFor();
    await picture("work-04-completed");
    await timeline.getByRole("button", { name: "taste" }).press("ArrowUp");
    await region("mix/2 Completed")
      .or(page.getByRole("heading", { name: "mix/2" }))
      .first()
      .waitFor();
    await caused.getByRole("link", { name: "print" }).click();
    await page.getByRole("heading", { name: "print", level: 1 }).waitFor();
    await page.getByRole("link", { name: /^run / }).click();
    await page.getByRole("heading", { name: "bake", level: 1 }).waitFor();
    const { body } = await api.get("/v1/resources/orders");
    expect(body.data[0]).toMatchObject({ cake: "Marble cake", status: "baked" });
  });

  test("a failed run is retried from the step that can now succeed", async () => {
    await page.goto(root);
    await rowOf("charge").getByRole("link", { name: "charge", exact: true }).click();
    await page.getByText("The run failed").waitFor();
    const timeline = region("Timeline");
    await timeline.getByRole("button", { name: "undo: release" }).waitFor();
    await picture("work-05-failed");
    expect((await api.post("/v1/resources/notes", { text: "paid" })).status).toBe(201);
    await timeline.getByRole("button", { name: "payment" }).click();
    await button("Retry from this step").click();
    await picture("work-06-retry");
    await page.getByRole("dialog").getByRole("button", { name: "Retry from here" }).click();
    await page.getByRole("status").filter({ hasText: "Completed" }).waitFor();
    await timeline.getByRole("button", { name: "undo: release" }).waitFor({ state: "detached" });
  });

  test("an event shows its payload and the runs that it started; its request links to all consequences", async () => {
    await page.getByRole("link", { name: "order.created" }).click();
    const started = region("Runs that it started");
    await started.getByRole("link", { name: "bake" }).waitFor();
    await started.getByRole("link", { name: "charge" }).waitFor();
    await region("Payload").getByText("Marble cake").waitFor();
    await picture("work-07-event");
    await page.getByText("Request", { exact: true }).locator("..").getByRole("link").click();
    const tree = region("Consequences");
    await tree.getByRole("link", { name: "order.created" }).waitFor();
    await tree.getByText(/audit line \d+: create by key/).waitFor();
    // The write is above the run that it started, and this run above the run that it called.
    const bake = tree.getByRole("listitem").filter({ has: page.getByRole("link", { name: "bake", exact: true }) });
    await bake.last().getByRole("link", { name: "print", exact: true }).waitFor();
    await bake.last().getByText("taste").waitFor();
    await bake
      .last()
      .getByText(/audit line \d+: create by .*workflow bake/)
      .first()
      .waitFor();
    await tree.getByRole("link", { name: "charge", exact: true }).waitFor();
    await picture("work-08-request");
    const id = decodeURIComponent(new URL(page.url()).pathname.split("/").at(-1) ?? "");
    await page.goto(`${root}/events`);
    await table("Events").getByRole("link", { name: "order.created" }).waitFor();
    await picture("work-09-events");
    await page.getByRole("textbox", { name: "Request id" }).fill("nothing-of-ours");
    await button("Trace").click();
    await page.getByText("Nothing is known about this request").waitFor();
    await page.getByRole("link", { name: "Work", exact: true }).first().click();
    await page.getByRole("textbox", { name: "Request id" }).fill(id);
    await page.getByRole("textbox", { name: "Request id" }).press("Enter");
    await tree.getByRole("link", { name: "order.created" }).waitFor();
  });

  test("a schedule is run at once; its call gets no answer, and a person settles it", async () => {
    await page.goto(`${root}/schedules`);
    await page.getByText("at 00:00, on the 29th, in February").waitFor();
    await page.getByText("Tue, 29 Feb 2028, 00:00").or(page.getByText("Tue 29 Feb 2028, 00:00")).waitFor();
    await picture("work-10-schedules");
    await button("Run now: payday").click();
    await page.getByRole("link", { name: "See the run" }).click();
    const attention = region("Needs attention");
    await attention.getByText("whether transfer had its effect").waitFor();
    await picture("work-11-attention");
    await attention.getByLabel("Output of the call").fill("no. 7");
    await attention.getByRole("button", { name: "Mark as done" }).click();
    await attention.getByRole("alert").getByText("This is not valid JSON").waitFor();
    await attention.getByLabel("Output of the call").fill('{"receipt": "no. 7"}');
    await attention.getByLabel("Note").fill("Seen at the bank");
    await attention.getByRole("button", { name: "Mark as done" }).click();
    await page.getByRole("status").filter({ hasText: "Completed" }).waitFor();
    await region("Audit log").getByText("mark done").waitFor();
    await picture("work-12-settled");
    const { body } = await api.get("/v1/resources/notes");
    expect(body.data.map(({ text: written }: { text: string }) => written)).toContain("no. 7");
    expect(bank.transfers()).toBe(1);
  });

  test("a schedule is paused, shows who paused it, and is resumed", async () => {
    await page.goto(`${root}/schedules`);
    await button("Pause payday").click();
    await page.getByText("No tick starts a run until you resume it").waitFor();
    await picture("work-13-paused");
    await button("Resume payday").click();
    await page.getByRole("dialog").getByText("No tick was missed").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
    await button("Pause payday").waitFor();
  });

  test("after their number is shown, all runs with the same failure are retried, and all waiting runs are cancelled", async () => {
    for (const cake of ["Apple cake", "Plum cake"]) {
      expect((await api.post("/v1/resources/orders", { cake })).status).toBe(201);
    }
    await page.goto(`${root}/queues`);
    const bake = region("bake workflow");
    await bake.getByText("Waiting").locator("..").getByText("2", { exact: true }).waitFor();
    await region("pay worker").getByText("Completed in 1 day").locator("..").getByText("1", { exact: true }).waitFor();
    await picture("work-14-queues");
    const charge = region("charge workflow");
    await charge.getByRole("link", { name: "2 runs" }).waitFor();
    await charge.getByRole("button", { name: "Retry all" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Retry 2 runs" }).click();
    await page.getByText("2 runs retried").waitFor();
    await bake.getByRole("button", { name: "Cancel all" }).click();
    await picture("work-15-bulk");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel 2 runs" }).click();
    await page.getByText("2 runs cancelled").waitFor();
    await bake.getByText("Waiting").locator("..").getByText("0", { exact: true }).waitFor();
  });

  test("an action has a form made from its input, and names what is missing", async () => {
    await page.getByRole("navigation", { name: "Work" }).getByRole("link", { name: "Actions" }).click();
    await page.getByLabel("pieces").fill("many");
    await page.getByText("It must be a number.").waitFor();
    await page.getByLabel("pieces").fill("3");
    await page.getByLabel("icing (optional)").selectOption("sugar");
    await page.getByLabel("wrapped (optional)").selectOption("true");
    await button("Run order-again").click();
    await page.getByText("A value is required.").waitFor();
    const orders = await api.get("/v1/resources/orders");
    await page.getByLabel("order", { exact: true }).fill(orders.body.data[0].id);
    await page.getByText("Preview of the request").click();
    await page.getByText('"icing": "sugar"').waitFor();
    await picture("work-16-action");
  });

  test("the signing secret is shown on request, and rotated while the previous one still signs", async () => {
    await page.goto(`${stack.consoleUrl}/projects/${projectId}/keys`);
    const card = region("Signing secret");
    await card.getByText("Revealing it is recorded in the audit log").waitFor();
    await picture("work-17-secret-hidden");
    await button("Reveal secret").click();
    const secret = page.getByTestId("signing-secret");
    await secret.waitFor();
    const first = (await secret.textContent()) ?? "";
    expect(first).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect((await api.get("/v1/signing-secret")).body.data).toEqual({ secret: first, previous: null });
    await card.getByRole("button", { name: "Copy signing secret" }).click();
    await button("Hide secret").click();
    await secret.waitFor({ state: "detached" });
    await button("Rotate secret").click();
    await page.getByRole("dialog").getByText("calls have two signatures").waitFor();
    await picture("work-18-secret-rotate");
    await page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click();
    await card.getByText("The old secret is still used").waitFor();
    expect(await page.getByTestId("old-signing-secret").textContent()).toBe(first);
    await picture("work-19-secret-rotated");
    const told = (await api.get("/v1/signing-secret")).body.data;
    expect([told.secret, told.previous.secret]).toEqual([await secret.textContent(), first]);
    await page.setViewportSize({ width: 390, height: 900 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test("the browser has reported no error", () => {
    expect(consoleErrors).toEqual([]);
  });
});

describe("in a terminal", () => {
  const bin = resolve(import.meta.dirname, "../apps/cli/bin.mjs");
  const portOf = (url: string): string => new URL(url).port;

  function environment(): Record<string, string | undefined> {
    return {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      PLINTH_HOME: stack.home,
      PLINTH_API_PORT: portOf(stack.apiUrl),
      PLINTH_INTERNAL_PORT: portOf(stack.internalUrl),
      PLINTH_CONTROL_PORT: portOf(stack.controlUrl),
      PLINTH_CONSOLE_PORT: portOf(stack.consoleUrl),
    };
  }

  async function plinth(...args: readonly string[]): Promise<string> {
    const ofProject = [...args, "--project", stack.project];
    const { stdout } = await promisify(execFile)(process.execPath, [bin, ...ofProject], { env: environment() });
    return stdout;
  }

  test("runs are listed, shown and retried", async () => {
    const listed = (await plinth("runs", "list", "--workflow", "bake")).split("\n");
    expect(listed[0]).toMatch(/^ID +WORKFLOW +STATUS +STARTED +TOOK/);
    expect(listed.slice(1).join("\n")).toMatch(/^[0-9a-f-]{36} {2}bake +completed/m);
    expect((await api.post("/v1/resources/orders", { cake: "Another" })).status).toBe(201);
    await expect
      .poll(async () => JSON.parse(await plinth("runs", "list", "--status", "waiting", "--json")).length, {
        timeout: 20_000,
      })
      .toBe(1);
    const [{ id }] = JSON.parse(await plinth("runs", "list", "--status", "waiting", "--json"));
    await expect.poll(() => plinth("runs", "show", id), { timeout: 20_000 }).toMatch(/taste +waiting .*by admin/);
    await plinth("runs", "cancel", id);
    await expect
      .poll(async () => JSON.parse(await plinth("runs", "show", id, "--json")).status, { timeout: 20_000 })
      .toBe("cancelled");
    expect(await plinth("runs", "retry", id, "--from", "taste")).toContain(`${id} continues from taste`);
    await expect.poll(() => plinth("runs", "show", id), { timeout: 20_000 }).toMatch(/taste +waiting/);
  });

  test("the signing secret is shown and rotated", async () => {
    const shown = (await plinth("signing-secret", "show")).trim();
    expect(shown).toMatch(/^whsec_/);
    const rotated = JSON.parse(await plinth("signing-secret", "rotate", "--json"));
    expect(rotated).toMatchObject({ previous: { secret: shown } });
    expect((await plinth("signing-secret", "show")).trim()).toBe(rotated.secret);
  });

  test("schedules are listed, paused, resumed and run, and a call is settled", async () => {
    expect(await plinth("schedules", "list")).toMatch(
      /payday +pay +at 00:00, on the 29th, in February .*Europe\/Berlin/,
    );
    expect(await plinth("schedules", "pause", "payday")).toContain("payday is paused");
    expect(await plinth("schedules", "list")).toMatch(/payday .* paused .* since .* by /);
    expect(await plinth("schedules", "resume", "payday", "--skip-missed")).toContain("payday is resumed");
    const { id } = JSON.parse(await plinth("schedules", "run", "payday", "--json"));
    await expect.poll(() => plinth("runs", "show", id), { timeout: 20_000 }).toMatch(/pay +needs attention/);
    await expect(plinth("runs", "done", id, "--output", "no. 8")).rejects.toThrow("--output must be JSON");
    expect(await plinth("runs", "done", id, "--output", '{"receipt": "no. 8"}')).toContain(
      `${id} counts the call as done`,
    );
    await expect.poll(() => plinth("runs", "show", id), { timeout: 20_000 }).toMatch(/receipt +completed/);
    const again = JSON.parse(await plinth("schedules", "run", "payday", "--json")).id;
    await expect.poll(() => plinth("runs", "show", again), { timeout: 20_000 }).toMatch(/pay +needs attention/);
    expect(await plinth("runs", "fail", again, "--note", "The bank knows nothing")).toContain(
      `${again} counts the call as failed`,
    );
    await expect
      .poll(() => plinth("runs", "show", again), { timeout: 20_000 })
      .toMatch(/marked_failed: The bank knows/);
  });

  test("events are followed until Ctrl-C", async () => {
    const args = [bin, "events", "tail", "--since", "1h", "--name", "order.created", "--project", stack.project];
    const child = spawn(process.execPath, args, { env: environment(), stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk));
    const ended = new Promise((done) => child.once("exit", done));
    try {
      const known = (await api.get("/v1/events?name=order.created")).body.data.length;
      const before = known + 1;
      await expect.poll(() => output.split("\n").length, { timeout: 20_000 }).toBe(before);
      await api.post("/v1/resources/orders", { cake: "Third" });
      await expect.poll(() => output.split("\n").length, { timeout: 20_000 }).toBe(before + 1);
    } finally {
      child.kill("SIGINT");
    }
    expect(await ended).toBe(0);
  });
});
