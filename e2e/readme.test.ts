// The claims of the README: its blueprint is valid, its links have targets, its commands and variables exist.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { checkBlueprint } from "@plinth/blueprint";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const readme = readFileSync(join(root, "README.md"), "utf8");

function blocksOf(language: string): string[] {
  return [...readme.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([^]*?)^\\1\`\`\``, "gm"))].map(
    (match) => match[2] ?? "",
  );
}

test("its blueprint is valid as printed", () => {
  const blueprints = blocksOf("yaml");
  expect(blueprints).toHaveLength(1);
  for (const text of blueprints) expect(checkBlueprint(text).diagnostics).toEqual([]);
});

test("its links lead to existing files", () => {
  const targets = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map((match) => match[1] as string);
  expect(targets.length).toBeGreaterThan(5);
  expect(targets.filter((target) => !existsSync(join(root, target)))).toEqual([]);
});

test("its npm commands are scripts, and its plinth commands exist", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object };
  // `npm install` is npm's own.
  for (const [, name] of readme.matchAll(/npm (?!install\b)(?:run )?(start|test|[a-z]+)\b/g))
    expect(Object.keys(scripts)).toContain(name);
  const commands = [
    "command-line.ts",
    "account-commands.ts",
    "blueprint-commands.ts",
    "data-commands.ts",
    "environment-commands.ts",
    "mail-commands.ts",
    "webhook-commands.ts",
    "work-commands.ts",
  ]
    .map((file) => readFileSync(join(root, "apps/cli/src", file), "utf8"))
    .join("\n");
  const rows = readme.split("\n").filter((line) => /^\| `[a-z]+[ `]/.test(line));
  const named = rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([a-z]+)/g)].map((match) => match[1]));
  expect(named.filter((name) => name !== "npx").length).toBeGreaterThan(9);
  // The table contains every command of the program, and no other.
  const declared = [...commands.matchAll(/(?:program|importing|users)\s*\.command\("([a-z]+)"\)/g)].map(
    (one) => one[1],
  );
  const outermost = declared.filter((name) => !["prisma", "postgres", "data"].includes(name ?? ""));
  expect([...new Set(named)].filter((name) => name !== "npx").sort()).toEqual(outermost.sort());
  for (const [, line = ""] of readme.matchAll(/npx plinth ([a-z ]+)/g))
    expect(declared, line).toContain(line.trim().split(" ")[0]);
});
