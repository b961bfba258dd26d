// Checks habits that no other tool checks. In: the repository's own files. Out: one line per problem. It never changes
// a file, and reads only files that git tracks or would add.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

const linesMax = 400;

/** All problems in a repository, as `file:line: what`. */
export async function checkTidiness(repository: string): Promise<string[]> {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: repository,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  const files = listed.split("\0").filter((file) => isText(file));
  const problems: string[] = [];
  for (const file of new Set(files)) {
    const text = readIfPresent(join(repository, file));
    if (text !== null) problems.push(...problemsIn(file, text));
  }
  return problems;
}

/** The problems of one file; `file` is its path from the repository's root, with forward slashes. */
export function problemsIn(file: string, text: string): string[] {
  const problems = [...forbiddenText(file, text)];
  if (isGenerated(file)) return problems;
  const name = basename(file);
  if (isCode(file)) {
    problems.push(...problemsOfName(file, name));
    const lines = text.split("\n").length - 1;
    if (lines > linesMax) problems.push(`${file}: ${lines} lines (at most ${linesMax}): is this one concept?`);
    if (needsHeader(name) && !hasHeader(text)) {
      problems.push(`${file}:1: no header: say what comes in, what goes out, what it never does`);
    }
  }
  return problems;
}

function problemsOfName(file: string, name: string): string[] {
  const problems: string[] = [];
  const stem = name.split(".")[0] ?? "";
  if (/^(utils?|helpers?|commons?|managers?|misc)$/.test(stem) || /-(utils?|helpers?|manager)$/.test(stem)) {
    problems.push(`${file}: a name that says nothing: name the concept`);
  }
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(stem)) problems.push(`${file}: file names are kebab-case`);
  if (stem === "index" && !/^(apps|packages)\/[^/]+\/src\/index\.tsx?$/.test(file)) {
    problems.push(`${file}: index files stand only at a package's root`);
  }
  return problems;
}

// Written in pieces, so that this list does not find itself.
const forbidden: readonly { readonly pattern: RegExp; readonly why: string }[] = [
  { pattern: new RegExp(`\\b(TO${""}DO|FIX${""}ME|XX${""}X|HA${""}CK)\\b`), why: "left for later" },
  { pattern: new RegExp(`not ${""}implemented|for ${""}now\\b|\\bst${""}ub\\b`, "i"), why: "unfinished" },
  // A folder in one of our paths can have this name.
  { pattern: new RegExp(`(?<![\\w.\\])}])/work${""}/|\\.\\./shared${""}/|/root${""}/`), why: "a path of one machine" },
  { pattern: new RegExp(`registry\\.npm${""}js|deb\\.deb${""}ian`), why: "a registry's host" },
  {
    pattern: new RegExp(`\\b(it|test|describe|suite)\\.(on${""}ly|sk${""}ip|to${""}do|fai${""}ls)\\b`),
    why: "a test switched off, or alone",
  },
];

function* forbiddenText(file: string, text: string): Generator<string> {
  const lines = text.split("\n");
  for (const [index, line] of lines.entries()) {
    for (const { pattern, why } of forbidden) {
      const found = pattern.exec(line);
      if (found !== null) yield `${file}:${index + 1}: "${found[0]}": ${why}`;
    }
  }
}

function hasHeader(text: string): boolean {
  const lines = text.split("\n").filter((line) => !/^(#!|"use (client|server)";|\s*$)/.test(line));
  return /^(\/\/|\/\*)/.test(lines[0] ?? "");
}

function needsHeader(name: string): boolean {
  // A test explains itself by its name and its cases.
  return !/^index\.tsx?$|\.d\.ts$|\.(test|config)\.[a-z]+$/.test(name);
}

function isCode(file: string): boolean {
  return /\.(ts|tsx|mjs|js)$/.test(file);
}

function isGenerated(file: string): boolean {
  return /(^|\/)(testdata|goldens)\/|\.gen\.ts$/.test(file);
}

function isText(file: string): boolean {
  return (
    /\.(ts|tsx|mjs|js|json|ya?ml|md|sql|css|html|txt)$|(^|\/)\.ci\/run$/.test(file) && !/-lock\.(yaml|json)$/.test(file)
  );
}

function readIfPresent(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Deleted, and the deletion is not committed yet.
    return null;
  }
}
