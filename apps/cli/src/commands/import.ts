// `plinth import prisma FILE`, `plinth import postgres URL`. In: another tool's schema. Out: a blueprint on stdout or in a file,
// and on stderr the result for each part of the source. It never overwrites a file.
import { writeFile } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { CommandFailure, type ExitCode, messageOf } from "../failure.ts";
import type { ForeignSchema } from "../import/foreign-schema.ts";
import { createInventory, type Inventory } from "../import/inventory.ts";
import { writeBlueprint } from "../import/write/write-blueprint.ts";
import { printDiagnostics } from "../print-diagnostics.ts";
import { printImport } from "../print-import.ts";
import type { Terminal } from "../terminal.ts";

export interface ImportOptions {
  /** The name of the project. By default derived from the source. */
  readonly project?: string;
  /** The file to write. By default stdout. */
  readonly out?: string;
  readonly json: boolean;
}

export async function importPrisma(terminal: Terminal, path: string, options: ImportOptions): Promise<ExitCode> {
  const { readPrisma } = await import("../import/prisma/read-prisma.ts");
  const { readPrismaTexts } = await import("../import/prisma/prisma-text.ts");
  const inventory = createInventory();
  const schema = readPrisma(await readPrismaTexts(path), inventory);
  return write(terminal, schema, inventory, options, nameOfPath(path));
}

/** @param options `schema` can have several names, separated by commas. */
export async function importPostgres(
  terminal: Terminal,
  url: string,
  options: ImportOptions & { readonly schema: string },
): Promise<ExitCode> {
  const { readCatalogue } = await import("../import/postgres/catalogue.ts");
  const { readPostgres } = await import("../import/postgres/read-postgres.ts");
  const schemas = options.schema.split(",").map((name) => name.trim());
  const inventory = createInventory();
  const schema = readPostgres(await readCatalogue(url, schemas), inventory);
  return write(terminal, schema, inventory, options, URL.canParse(url) ? new URL(url).pathname.slice(1) : "");
}

async function write(
  terminal: Terminal,
  schema: ForeignSchema,
  inventory: Inventory,
  options: ImportOptions,
  from: string,
): Promise<ExitCode> {
  const imported = writeBlueprint(options.project ?? projectName(from), schema, inventory);
  const { text, diagnostics, proposals } = imported;
  if (options.out !== undefined) await writeNew(options.out, text);
  const isRefused = diagnostics.some((one) => one.severity === "error");
  const isWhole = imported.inventory.rows.every((row) => row.unaccounted === 0);
  if (options.json) {
    const { rows, notes } = imported.inventory;
    terminal.out(JSON.stringify({ blueprint: text, inventory: rows, notes, proposals, diagnostics }));
  } else {
    if (options.out === undefined) terminal.out(text.trimEnd());
    printImport(terminal, imported);
    printDiagnostics(terminal, options.out ?? "blueprint", text, diagnostics);
    if (options.out !== undefined) terminal.err(written(options.out, isRefused));
  }
  return isRefused || !isWhole ? 1 : 0;
}

function written(file: string, isRefused: boolean): string {
  if (isRefused) return `Written to ${file}, with errors. Correct them, then: plinth validate ${file}`;
  return `Written to ${file}. Next: plinth dev ${file}`;
}

async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: "wx" });
  } catch (error) {
    const exists = (error as { code?: string }).code === "EEXIST";
    throw new CommandFailure(exists ? `${file} already exists.` : `${file} can't be written: ${messageOf(error)}`);
  }
}

/** The names `prisma/schema.prisma` and `prisma` don't name the project. A folder above them may. */
function nameOfPath(path: string): string {
  const names = resolve(path)
    .replace(/\.prisma$/, "")
    .split(sep);
  return names.findLast((name) => !/^(?:schema|prisma|models|db|database|src)$/.test(name)) ?? "";
}

function projectName(from: string): string {
  const name = from
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[-0-9]+/, "")
    .slice(0, 48)
    .replace(/-+$/, "");
  return name === "" || name === "schema" ? "imported" : name;
}
