// Checks the documents. In: the Markdown that people read first. Out: failures for paths that don't exist.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const decisions = readdirSync(join(root, "docs/decisions")).map((name) => `docs/decisions/${name}`);
const documents = ["README.md", "CONTRIBUTING.md", "docs/ARCHITECTURE.md", "docs/operating.md", ...decisions];

/** File names between backticks: `packages/a/b.ts`, `b.ts`, also inside a command. */
function filesIn(text: string): string[] {
  const quoted = [...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? "");
  return quoted.flatMap((words) => words.split(/[\s,]+/)).filter((word) => !/[<>*]/.test(word));
}

const isPath = (word: string): boolean => /^(?:packages|apps|scripts|tools|docs|e2e)\/[\w./-]+$/.test(word);
const isName = (word: string): boolean => /^[\w./-]*[\w-]\.tsx?$/.test(word) && !isPath(word);

test.each(documents)("every file that %s names is there", (document) => {
  const words = filesIn(readFileSync(join(root, document), "utf8"));
  // The packed SDK is made by a command that the page names.
  const isMade = (word: string): boolean => word.endsWith(".tgz");
  expect(words.filter((word) => isPath(word) && !isMade(word) && !existsSync(join(root, word)))).toEqual([]);
  const known = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  }).split("\n");
  const names = new Set(known.map((file) => basename(file)));
  expect(words.filter((word) => isName(word) && !names.has(basename(word)))).toEqual([]);
});

test("each decision has a number of its own", () => {
  const numbers = decisions.map((file) => basename(file).slice(0, 4));
  expect(numbers.length).toBeGreaterThan(30);
  expect(numbers).toEqual([...new Set(numbers)]);
});

test("the glossary is in order, and has each term once", () => {
  const glossary = readFileSync(join(root, "docs/glossary.md"), "utf8");
  const terms = [...glossary.matchAll(/^\| ([^|]+) \|/gm)].map((match) => match[1] ?? "").slice(1);
  expect(terms.length).toBeGreaterThan(70);
  expect(new Set(terms).size).toBe(terms.length);
  expect(terms).toEqual(terms.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)));
});

test("docs/operating.md has every variable that a program reads, and no other", () => {
  const variable = /\b(?:PLINTH_[A-Z][A-Z_]*[A-Z]|(?:[A-Z]+_)?DATABASE_URL|NO_COLOR)\b/g;
  const pathspecs = ["apps/*.ts", "apps/*.tsx", "packages/*.ts", ":!*.test.ts", ":!*/testing/*", ":!packages/testkit"];
  const files = execFileSync("git", ["ls-files", "--", ...pathspecs], { cwd: root, encoding: "utf8" })
    .trim()
    .split("\n");
  expect(files.length).toBeGreaterThan(500);
  const read = files.flatMap((file) => readFileSync(join(root, file), "utf8").match(variable) ?? []);
  const page = readFileSync(join(root, "docs/operating.md"), "utf8");
  const documented = [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name = ""]) => name);
  expect(documented.toSorted()).toEqual([...new Set(read)].toSorted());
});
