// Writes the results to docs/benchmarks.md. In: Markdown by section title. Out: the rewritten page.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Title > Markdown. */
export type Sections = ReadonlyMap<string, string>;

const page = join(import.meta.dirname, "../../docs/benchmarks.md");

export function toText(sections: Sections): string {
  return [...sections].map(([title, text]) => `## ${title}\n\n${text}`).join("\n\n");
}

/** The order of the sections on the page. */
const titles = [
  "The request path",
  "Memory",
  "The language",
  "Migrations of a long table",
  "Runs of workflows",
  "Calls of slow services",
  "Streams of changes",
  "Webhooks",
  "Idle and waiting work",
  "Many projects",
  "Imports of records",
];

/** Writes the whole page. */
export function writePage(sections: Sections): void {
  const place = (title: string): number => (titles.includes(title) ? titles.indexOf(title) : titles.length);
  const ordered = new Map([...sections].sort(([a], [b]) => place(a) - place(b)));
  const head = readFileSync(join(import.meta.dirname, "benchmarks-head.md"), "utf8");
  writeFileSync(page, `${head}\n${toText(ordered)}\n`);
}

/** Replaces the sections that were measured. The other sections of the page stay. */
export function replaceSections(sections: Sections): void {
  const [_head, ...rest] = readFileSync(page, "utf8").split(/^## /m);
  const kept = new Map(
    rest.map((section) => {
      const end = section.indexOf("\n");
      return [section.slice(0, end), section.slice(end).trim()];
    }),
  );
  for (const [title, text] of sections) kept.set(title, text);
  writePage(kept);
}
