// `plinth import prisma FILE`, `plinth import postgres URL`. In: another tool's schema. Out: a blueprint on stdout or in a
// file, and on stderr everything that it says differently or not at all. It never overwrites a file.
import { writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { checkBlueprint, formatBlueprint } from "@plinth/blueprint";
import { CommandFailure, type ExitCode, messageOf } from "../failure.ts";
import type { ForeignSchema } from "../import/foreign-schema.ts";
import { type ImportedBlueprint, writeBlueprint } from "../import/write-blueprint.ts";
import { printDiagnostics } from "../print-diagnostics.ts";
import { readText } from "../read-blueprint.ts";
import type { Terminal } from "../terminal.ts";

export interface ImportOptions {
  /** Name of the project; made from the source where none is given. */
  readonly project?: string;
  /** File to write; stdout where none is given. */
  readonly out?: string;
  readonly json: boolean;
}

export async function importPrisma(terminal: Terminal, file: string, options: ImportOptions): Promise<ExitCode> {
  const { readPrisma } = await import("../import/read-prisma.ts");
  const text = await readText(file);
  return write(terminal, readPrisma(text), options, basename(file).replace(/\.prisma$/, ""));
}

export async function importPostgres(
  terminal: Terminal,
  url: string,
  options: ImportOptions & { readonly schema: string },
): Promise<ExitCode> {
  const { readPostgres } = await import("../import/read-postgres.ts");
  const name = URL.canParse(url) ? new URL(url).pathname.slice(1) : "";
  return write(terminal, await readPostgres(url, options.schema), options, name);
}

async function write(
  terminal: Terminal,
  schema: ForeignSchema,
  options: ImportOptions,
  from: string,
): Promise<ExitCode> {
  const project = options.project ?? projectName(from);
  const imported = writeBlueprint(project, schema);
  const formatted = formatBlueprint(imported.text);
  const text = "text" in formatted ? formatted.text : imported.text;
  const { diagnostics } = checkBlueprint(text);
  if (options.out !== undefined) await writeNew(options.out, text);
  if (options.json) terminal.out(JSON.stringify({ blueprint: text, notes: imported.notes, diagnostics }));
  else {
    if (options.out === undefined) terminal.out(text.trimEnd());
    printNotes(terminal, imported, options.out);
    printDiagnostics(terminal, options.out ?? "blueprint", text, diagnostics);
  }
  return diagnostics.some((one) => one.severity === "error") ? 1 : 0;
}

function printNotes(terminal: Terminal, { notes }: ImportedBlueprint, out: string | undefined): void {
  for (const kind of ["left_out", "changed"] as const) {
    const own = notes.filter((note) => note.kind === kind);
    if (own.length === 0) continue;
    terminal.err(terminal.paint("bold", kind === "left_out" ? "Left out:" : "Changed:"));
    for (const { path, text } of own) terminal.err(`  ${path}: ${text}`);
  }
  terminal.err("Only admin may do anything yet: write who may do what under `permissions:`.");
  if (out !== undefined) terminal.err(`Written to ${out}. Next: plinth dev ${out}`);
}

async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: "wx" });
  } catch (error) {
    const exists = (error as { code?: string }).code === "EEXIST";
    throw new CommandFailure(exists ? `${file} exists already.` : `${file} can't be written: ${messageOf(error)}`);
  }
}

function projectName(from: string): string {
  const name = from
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[-0-9]+|-+$/g, "");
  return name === "" || name === "schema" ? "imported" : name.slice(0, 48);
}
