// The guide to inbound webhooks, followed by a reader who knows nothing else: `plinth dev` serves its blueprint, and a
// shell runs its commands.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { checkBlueprint } from "@plinth/blueprint";
import { createInbound } from "@plinth/sdk/inbound";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Caller, callerOf } from "./api.ts";
import { type DevStack, startDev } from "./stack.ts";

const root = resolve(import.meta.dirname, "..");
const guide = readFileSync(join(root, "docs/blueprint/webhooks-in.md"), "utf8");
const blueprint = /```yaml\n([\s\S]*?)```/.exec(guide)?.[1] ?? "";
/** With the source for the guide's second request. */
const served = blueprint.replace(
  "  in:\n",
  "  in:\n    github: { verify: github, type: headers.x-github-event, events: { issues: issue.changed } }\n",
);
const [setUp = "", request = "", fromGitHub = "", look = ""] = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].map(
  ([, code]) => code,
);
const soon = { timeout: 20_000, interval: 200 };
const folder = mkdtempSync(join(tmpdir(), "plinth-webhooks-guide-"));

let stack: DevStack;
let admin: Caller;
beforeAll(async () => {
  const file = join(folder, "shop.yaml");
  writeFileSync(file, served);
  stack = await startDev(file);
  admin = callerOf(stack.apiUrl, stack.keys.secret);
});
afterAll(async () => {
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const portOf = (url: string): string => new URL(url).port;

/** Runs a block of the guide; `npx plinth` is the command of this repository. */
async function shell(code: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const ours = code.replaceAll("npx plinth", `"${process.execPath}" "${join(root, "apps/cli/bin.mjs")}"`);
  const local = {
    PLINTH_HOME: stack.home,
    PLINTH_API_PORT: portOf(stack.apiUrl),
    PLINTH_INTERNAL_PORT: portOf(stack.internalUrl),
    PLINTH_CONTROL_PORT: portOf(stack.controlUrl),
    PLINTH_CONSOLE_PORT: portOf(stack.consoleUrl),
  };
  const options = { env: { ...process.env, ...local, ...env }, encoding: "utf8" } as const;
  return (await promisify(execFile)("sh", ["-ec", ours], options)).stdout;
}

test("its blueprint is valid, without a warning", () => {
  expect(checkBlueprint(blueprint).diagnostics).toEqual([]);
});

test("its commands show the address, add a secret, and send a request that creates one order", async () => {
  const SECRET = "whsec_of_the_guide";
  const shown = await shell(setUp, { SECRET });
  const address = /http:\S+\/hooks\/prj_\w+\/stripe/.exec(shown)?.[0] ?? "";
  expect(address).toContain(stack.apiUrl);
  expect(shown).toContain("needs a secret");
  expect(shown).toContain("stripe has the secret");
  for (let at = 0; at < 2; at++) expect(await shell(request, { SECRET, ADDRESS: address })).toMatch(/^HTTP\/1.1 200/);
  const orders = async () => (await admin.get("/api/orders")).body.data;
  await expect.poll(orders, soon).toMatchObject([{ payment_ref: "pi_1", status: "paid" }]);
  const inbound = createInbound({ project: "shop", apiKey: stack.keys.secret, baseUrl: stack.apiUrl });
  expect(await inbound.sources()).toMatchObject([
    { name: "github", enabled: false },
    { name: "stripe", enabled: true },
    { name: "warehouse" },
  ]);
  const { data } = await inbound.requests({ source: "stripe" });
  expect(data).toMatchObject([{ status: "accepted", event: "payment.succeeded", repeats: 1 }]);
  expect(await inbound.request(data[0]?.id ?? "")).toMatchObject({ body: expect.stringContaining("pi_1") });
  expect(await shell(look)).toContain("payment.succeeded");
  expect(await shell(`${look.trim()} 2>&1`)).toContain("no request became an event");
});

test("its GitHub request is accepted once the source has the secret", async () => {
  const SECRET = "a secret of the repository";
  const ADDRESS = /http:\S+\/github/.exec(await shell(setUp.replaceAll("stripe", "github"), { SECRET }))?.[0] ?? "";
  expect(await shell(fromGitHub, { SECRET: "another", ADDRESS })).toMatch(/^HTTP\/1.1 404/);
  expect(await shell(fromGitHub, { SECRET, ADDRESS })).toMatch(/^HTTP\/1.1 200/);
});
