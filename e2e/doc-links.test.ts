// Every link between our pages leads to an existing file, and to one of its headings.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const pages = ["README.md", "CONTRIBUTING.md", "packages/sdk/README.md", ...globSync("docs/**/*.md", { cwd: root })];

/** The anchor of a heading, as code hosts make it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
}

function anchorsOf(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading)));
}

function brokenLinks(page: string): string[] {
  const text = readFileSync(join(root, page), "utf8").replaceAll(/^```[\s\S]*?^```$/gm, "");
  return [...text.matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)]+))?\)/g)].flatMap(([, path = "", anchor]) => {
    const file = path === "" ? join(root, page) : join(root, dirname(page), path);
    if (!existsSync(file)) return [`${page}: ${path}`];
    if (anchor === undefined || !file.endsWith(".md") || anchorsOf(readFileSync(file, "utf8")).has(anchor)) return [];
    return [`${page}: ${path}#${anchor}`];
  });
}

test("all links in the documents have a target", () => {
  expect(pages.length).toBeGreaterThan(40);
  expect(pages.flatMap(brokenLinks)).toEqual([]);
});
