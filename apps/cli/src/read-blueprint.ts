// Reads a blueprint, or another text, from disk. In: a path. Out: its text, or its model. Its diagnostics are printed.
import { readFile } from "node:fs/promises";
import { checkBlueprint, type Model } from "@plinth/blueprint";
import { CommandFailure } from "./failure.ts";
import { hasErrors, printDiagnostics } from "./print-diagnostics.ts";
import type { Terminal } from "./terminal.ts";

/** @throws CommandFailure (usage) if the file can't be read. */
export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : null;
    const why = code === "ENOENT" ? "there is no such file" : code === "EISDIR" ? "that is a folder" : String(cause);
    throw new CommandFailure(`${file}: ${why}`, 2, { cause });
  }
}

/** The checked model. Null if there are errors. Warnings are printed, unless `quiet`, and don't count as errors. */
export async function checkFile(
  terminal: Terminal,
  file: string,
  { quiet = false }: { readonly quiet?: boolean } = {},
): Promise<Model | null> {
  const text = await readText(file);
  const { model, diagnostics } = checkBlueprint(text);
  const wrong = hasErrors(diagnostics);
  if (wrong || !quiet) printDiagnostics(terminal, file, text, diagnostics);
  return wrong ? null : model;
}
