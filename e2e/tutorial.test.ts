// The tutorial, followed from its first line to its last: its files are saved while `plinth dev` runs, its commands run
// in a shell, and each reply is compared with the one on the page.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { checkBlueprint } from "@plinth/blueprint";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type DevStack, startDev } from "./stack.ts";

const root = resolve(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs/tutorial.md"), "utf8");

interface Block {
  readonly language: string;
  readonly text: string;
}

const blocks: readonly Block[] = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
  ([, language = "", text = ""]) => ({ language, text }),
);

const folder = mkdtempSync(join(tmpdir(), "plinth-tutorial-"));
const file = join(folder, "help-desk.yaml");
const variables = join(folder, "variables");
let stack: DevStack;

beforeAll(async () => {
  writeFileSync(file, blocks.find(({ language }) => language === "yaml")?.text ?? "");
  stack = await startDev(file);
});
afterAll(async () => {
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a block like the reader: in one terminal, so that variables and functions of earlier blocks exist. */
async function runInTerminal(commands: string): Promise<string> {
  const script = `set -a; [ -f ${variables} ] && . ${variables}; set -e
${commands.replaceAll("npx plinth", `${process.execPath} apps/cli/bin.mjs`).replaceAll("help-desk.yaml", file)}
{ export -p; declare -f; } > ${variables}`;
  const { stdout } = await promisify(execFile)("bash", ["-c", script], {
    cwd: root,
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      PLINTH_HOME: stack.home,
      PLINTH_CONTROL_PORT: new URL(stack.controlUrl).port,
      PLINTH_API_PORT: new URL(stack.apiUrl).port,
      PLINTH_CONSOLE_PORT: new URL(stack.consoleUrl).port,
      API: stack.apiUrl,
      KEY: stack.keys.publishable,
      SECRET: stack.keys.secret,
    },
  });
  return stdout;
}

/** Saves a changed file, and waits until it is served. */
async function save(text: string): Promise<void> {
  expect(checkBlueprint(text).diagnostics).toEqual([]);
  const deployments = () => stack.output().split("Deployed ").length;
  const before = deployments();
  writeFileSync(file, text);
  await expect.poll(deployments, { timeout: 30_000 }).toBeGreaterThan(before);
}

function applied(difference: string, text: string): string {
  const lines = (sign: string) =>
    difference
      .split("\n")
      .filter((line) => line.startsWith(sign))
      .map((line) => line.slice(1))
      .join("\n");
  expect(text).toContain(lines("-"));
  return text.replace(lines("-"), lines("+"));
}

function expectReply(output: string, shown: Block): void {
  if (shown.language === "text") expect(output).toContain(shown.text.trim());
  else {
    const wanted = JSON.parse(shown.text, (_, value) => (value === "..." ? expect.any(String) : value));
    expect(JSON.parse(output)).toMatchObject(wanted);
  }
}

test("each step does what the page says", { timeout: 180_000 }, async () => {
  let text = "";
  let output = "";
  let compared = 0;
  for (const [index, block] of blocks.entries()) {
    if (block.language === "yaml") {
      text = block.text.startsWith("project:") ? block.text : `${text}\n${block.text}`;
      if (index > 0) await save(text);
    } else if (block.language === "diff") {
      text = applied(block.text, text);
      if (blocks[index + 1]?.language !== "diff") await save(text);
    } else if (block.language === "sh") {
      output = await runInTerminal(block.text);
    } else if (block.language !== "console") {
      expectReply(output, block);
      compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(7);
});

test("a change that drops data waits for a person, as the last step says", { timeout: 60_000 }, async () => {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace(/^ +priority:.*\n/m, ""));
  await expect
    .poll(stack.output, { timeout: 30_000 })
    .toMatch(new RegExp(`${stack.consoleUrl}/projects/\\S+/changes/`));
});
