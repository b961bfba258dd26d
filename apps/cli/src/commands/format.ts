// `plinth fmt FILE`. In: a blueprint. Out: the same in its canonical form, written only if it differs. With --check it writes
// nothing. A file that can't be parsed is not changed.
import { writeFile } from "node:fs/promises";
import { formatBlueprint } from "@plinth/blueprint";
import type { ExitCode } from "../failure.ts";
import { printDiagnostics } from "../print-diagnostics.ts";
import { readText } from "../read-blueprint.ts";
import type { Terminal } from "../terminal.ts";

export async function format(
  terminal: Terminal,
  file: string,
  options: { readonly check: boolean; readonly json: boolean },
): Promise<ExitCode> {
  const before = await readText(file);
  const result = formatBlueprint(before);
  if ("diagnostics" in result) {
    if (options.json) terminal.out(JSON.stringify({ formatted: false, diagnostics: result.diagnostics }));
    else printDiagnostics(terminal, file, before, result.diagnostics);
    return 1;
  }
  const same = result.text === before;
  if (options.json) terminal.out(JSON.stringify({ formatted: same || !options.check, changed: !same }));
  if (same) return 0;
  if (options.check) {
    if (!options.json) terminal.err(`${file} is not formatted: plinth fmt ${file}`);
    return 1;
  }
  await writeFile(file, result.text);
  if (!options.json) terminal.out(`formatted ${file}`);
  return 0;
}
