// Assertions for tests of the importer: an import without errors and without unaccounted items. For tests only.
import assert from "node:assert/strict";
import { checkBlueprint, type Entity, type Model } from "@plinth/blueprint";
import { createInventory, type ItemKind } from "../inventory.ts";
import { readCatalogue } from "../postgres/catalogue.ts";
import { readPostgres } from "../postgres/read-postgres.ts";
import { readPrisma } from "../prisma/read-prisma.ts";
import { type ImportedBlueprint, writeBlueprint } from "../write/write-blueprint.ts";

export interface Tried {
  readonly imported: ImportedBlueprint;
  readonly model: Model;
  entity(name: string): Entity;
  /** `kind: text` of each note with this path. */
  notesAt(path: string): readonly string[];
  /** The numbers of found and expressed items. */
  count(kind: ItemKind): readonly [found: number, expressed: number];
}

/** Prisma's blocks begin and end on separate lines. Those of a test don't need to. */
export function tryPrisma(...texts: readonly string[]): Tried {
  const inventory = createInventory();
  const laidOut = (text: string): string =>
    text.replace(/^(\s*(?:model|enum) \w+ \{) /gm, "$1\n").replace(/ \}\s*$/gm, "\n}");
  const files = texts.map((text, n) => ({ file: `${n}.prisma`, text: laidOut(text) }));
  return tried(writeBlueprint("trial", readPrisma(files, inventory), inventory));
}

export async function tryPostgres(url: string, ...schemas: readonly string[]): Promise<Tried> {
  const inventory = createInventory();
  return tried(writeBlueprint("trial", readPostgres(await readCatalogue(url, schemas), inventory), inventory));
}

function tried(imported: ImportedBlueprint): Tried {
  const { model, diagnostics } = checkBlueprint(imported.text);
  const errors = diagnostics.filter((one) => one.severity === "error");
  assert.deepEqual(errors, [], imported.text);
  if (model === null) throw new Error("there is no model without errors");
  const { rows, notes } = imported.inventory;
  const lost = notes.filter((note) => note.kind === "unaccounted");
  assert.deepEqual(lost, []);
  for (const row of rows) assert.equal(row.expressed + row.changed + row.leftOut, row.found, row.kind);
  return {
    imported,
    model,
    entity(name) {
      const found = model.entities.find((entity) => entity.name === name);
      if (found === undefined) throw new Error(`no ${name} in ${model.entities.map((one) => one.name).join(", ")}`);
      return found;
    },
    notesAt: (path) => notes.filter((note) => note.path === path).map((note) => `${note.kind}: ${note.text}`),
    count(kind) {
      const row = rows.find((one) => one.kind === kind);
      return [row?.found ?? 0, row?.expressed ?? 0];
    },
  };
}

/** `title: text`, `author_id: user_ref?`. */
export function fieldsOf(entity: Entity): readonly string[] {
  return entity.fields
    .filter((field) => field.declared)
    .map((field) => `${field.name}: ${field.type.kind}${field.optional ? "?" : ""}`);
}
