// Mistakes of people who know other systems: `testdata/mistakes/*.md` contains each with its diagnostics. After a
// change of messages, `UPDATE_GOLDENS=1` writes the new diagnostics; review the diff before you commit.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { goldenDirectory } from "@plinth/testkit";
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "./check-blueprint.ts";
import type { Diagnostic } from "./text/diagnostic.ts";

const directory = new URL("testdata/mistakes/", import.meta.url);
const files = readdirSync(directory);
/** For mistakes outside of this part. */
const HEAD = "project: shop\nmodules: [auth, users]\n";
const LINE_LENGTH_MAX = 200;

interface Mistake {
  readonly title: string;
  readonly yaml: string;
  readonly expected: string;
}

function mistakesIn(name: string): readonly Mistake[] {
  const text = readFileSync(new URL(name, directory), "utf8");
  return [...text.matchAll(/^## ([^\n]*)\n\n~~~yaml\n(.*?)^~~~\n\n~~~text\n(.*?)^~~~$/gms)].map(
    ([, title = "", yaml = "", expected = ""]) => ({ title, yaml, expected }),
  );
}

function diagnosticsOf({ yaml }: Mistake): readonly Diagnostic[] {
  return checkBlueprint(fullText(yaml)).diagnostics;
}

function fullText(yaml: string): string {
  return /^(?:project|name):/m.test(yaml) ? yaml : HEAD + yaml;
}

/** As the command line shows it: the wrong line, the problem, and the correction. */
function told(mistake: Mistake): string {
  const lines = fullText(mistake.yaml).split("\n");
  return diagnosticsOf(mistake)
    .map(({ code, message, hint, span: { start } }) => {
      const line = (lines[start.line - 1] ?? "").trim();
      return `${line}\n  ${code}: ${message}\n${hint === null ? "" : `  hint: ${hint}\n`}`;
    })
    .join("");
}

/** The file with the current diagnostics of each mistake. */
function answered(name: string): string {
  const text = readFileSync(new URL(name, directory), "utf8");
  return mistakesIn(name).reduce((all, mistake) => {
    const before = `${mistake.yaml}~~~\n\n~~~text\n${mistake.expected}~~~`;
    return all.replace(before, () => `${mistake.yaml}~~~\n\n~~~text\n${told(mistake)}~~~`);
  }, text);
}

test("each mistake has the reviewed diagnostics", () =>
  goldenDirectory(fileURLToPath(directory), () => Object.fromEntries(files.map((name) => [name, answered(name)]))));

describe.each(files)("%s", (name) => {
  test("each gets one short diagnostic, at its line, with a correction", () => {
    const mistakes = mistakesIn(name);
    expect(mistakes.length).toBeGreaterThan(10);
    const poor = mistakes.flatMap((mistake) => {
      const found = diagnosticsOf(mistake);
      const long = found.some(({ message, hint }) => Math.max(message.length, hint?.length ?? 0) > LINE_LENGTH_MAX);
      if (found.length === 1 && !long && found[0]?.hint !== null) return [];
      return [`${mistake.title}: ${found.length} answers${long ? ", too long" : ""}`];
    });
    expect(poor).toEqual([]);
  });
});
