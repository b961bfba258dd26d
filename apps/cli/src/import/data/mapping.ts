// The mapping from tables to entities and from columns to fields. Types, and their form in a file.
import { readFile, writeFile } from "node:fs/promises";
import { parse, stringify } from "yaml";
import { CommandFailure, messageOf } from "../../failure.ts";

export interface DataMapping {
  /** By the id of a table, as `public.artist`. One table can have several entities. */
  readonly tables: readonly TableMapping[];
  readonly links: readonly LinkMapping[];
}

export interface TableMapping {
  readonly table: string;
  readonly entity: string;
  /** Field > column. The table's key becomes the id. */
  readonly fields: Readonly<Record<string, string>>;
  /** True if it is derived from the source: then fields that the project lacks are left out. Fields in a file must exist. */
  readonly isDerived: boolean;
}

/** A table whose rows are pairs of a many-to-many field. */
export interface LinkMapping {
  readonly table: string;
  readonly entity: string;
  readonly field: string;
  readonly own: string;
  readonly other: string;
}

type Written = Readonly<Record<string, unknown>>;

/** The derived mapping, changed by a file. `null` leaves a table out. @throws CommandFailure */
export async function overrideMapping(mapping: DataMapping, file: string): Promise<DataMapping> {
  let content: unknown;
  try {
    content = parse(await readFile(file, "utf8"));
  } catch (error) {
    throw new CommandFailure(`${file} can't be read: ${messageOf(error)}`, 2);
  }
  const { tables, links, ...others } = section(content, file, "it");
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined)
    throw new CommandFailure(`${file}: the keys are \`tables\` and \`links\`, not \`${unknown}\``, 2);
  const named = section(tables ?? {}, file, "tables");
  const pairs = section(links ?? {}, file, "links");
  const isNamed = ({ table }: { readonly table: string }): boolean =>
    Object.hasOwn(named, table) || Object.hasOwn(pairs, table);
  return {
    tables: [
      ...mapping.tables.filter((one) => !isNamed(one)),
      ...Object.entries(named).flatMap(([table, written]) =>
        [written].flat().flatMap((one) => (one === null ? [] : [tableOf(table, one, file)])),
      ),
    ],
    links: [
      ...mapping.links.filter((one) => !isNamed(one)),
      ...Object.entries(pairs).flatMap(([table, written]) => (written === null ? [] : [linkOf(table, written, file)])),
    ],
  };
}

/** @throws CommandFailure if the file already exists. */
export async function writeMapping({ tables, links }: DataMapping, file: string): Promise<void> {
  const written = new Map<string, unknown[]>();
  for (const { table, entity, fields } of tables)
    written.set(table, [...(written.get(table) ?? []), { entity, fields }]);
  const text = stringify({
    tables: Object.fromEntries([...written].map(([table, all]) => [table, all.length === 1 ? all[0] : all])),
    links: Object.fromEntries(links.map(({ table, ...link }) => [table, link])),
  });
  try {
    await writeFile(file, text, { flag: "wx" });
  } catch (error) {
    throw new CommandFailure(`${file} can't be written: ${messageOf(error)}`);
  }
}

function tableOf(table: string, written: unknown, file: string): TableMapping {
  const { entity, fields } = section(written, file, table);
  const named = section(fields, file, `${table}.fields`);
  for (const [field, column] of Object.entries(named)) text(column, file, `${table}.fields.${field}`);
  return {
    table,
    entity: text(entity, file, `${table}.entity`),
    fields: named as Readonly<Record<string, string>>,
    isDerived: false,
  };
}

function linkOf(table: string, written: unknown, file: string): LinkMapping {
  const link = section(written, file, table);
  const named = (key: "entity" | "field" | "own" | "other"): string => text(link[key], file, `${table}.${key}`);
  return { table, entity: named("entity"), field: named("field"), own: named("own"), other: named("other") };
}

function section(value: unknown, file: string, place: string): Written {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Written;
  throw new CommandFailure(`${file}: ${place} must be a map of names`, 2);
}

function text(value: unknown, file: string, place: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw new CommandFailure(`${file}: ${place} must be a name`, 2);
}
