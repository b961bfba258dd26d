// Writes a foreign schema as a blueprint. In: tables. Out: the text, and a note for everything that it says differently or
// not at all. It grants nothing to anybody but `admin`: who may do what, the source doesn't tell.
import { checkName } from "@plinth/blueprint";
import type { ForeignSchema, ForeignTable, ImportNote } from "./foreign-schema.ts";
import { createNames, singular, snakeCase } from "./names.ts";
import { type FieldContext, writeField } from "./write-field.ts";

export interface ImportedBlueprint {
  readonly text: string;
  readonly notes: readonly ImportNote[];
}

export function writeBlueprint(project: string, schema: ForeignSchema): ImportedBlueprint {
  const notes: ImportNote[] = [...schema.notes];
  const people = schema.tables.find(isPeople) ?? null;
  const joins = schema.tables.filter((table) => isJoin(table, schema.tables));
  const tables = schema.tables.filter((table) => table !== people && !joins.includes(table));
  const entities = nameEntities(tables, people, notes);
  const writer: Writer = { schema, people, joins, entities, notes };
  const modules = ["auth", "users", "roles", "audit_logs"];
  const lines = [`project: ${project}`, `modules: [${modules.join(", ")}]`, ""];
  if (people !== null) lines.push(...writePeople(people, writer));
  lines.push("entities:");
  for (const table of tables) lines.push(...writeEntity(table, writer), "");
  if (tables.length === 0) lines[lines.length - 1] = "entities: {}";
  return { text: `${lines.join("\n").trimEnd()}\n`, notes };
}

interface Writer {
  readonly schema: ForeignSchema;
  /** The table that becomes the built-in `user`. */
  readonly people: ForeignTable | null;
  readonly joins: readonly ForeignTable[];
  /** Table > entity. */
  readonly entities: ReadonlyMap<string, string>;
  readonly notes: ImportNote[];
}

function isPeople(table: ForeignTable): boolean {
  return singular(snakeCase(table.name, "table")) === "user" && table.columns.some((column) => column.name === "email");
}

/** Two references that are the key together, and nothing else that says something. */
function isJoin(table: ForeignTable, tables: readonly ForeignTable[]): boolean {
  if (table.primaryKey.length !== 2 && table.uniques.every((columns) => columns.length !== 2)) return false;
  const references = table.columns.filter((column) => column.references !== null);
  const others = table.columns.filter(
    (column) => column.references === null && !["id", "created_at", "createdAt"].includes(column.name),
  );
  if (references.length !== 2 || others.length > 0 || references.some((column) => column.optional)) return false;
  return references.every((column) => tables.some((one) => one.name === column.references?.table && !isPeople(one)));
}

function nameEntities(
  tables: readonly ForeignTable[],
  people: ForeignTable | null,
  notes: ImportNote[],
): ReadonlyMap<string, string> {
  const unused = createNames();
  const names = new Map<string, string>();
  for (const table of tables) {
    const plain = singular(snakeCase(table.name, "table")).slice(0, 40);
    // What the service calls its own gets `app_` before it.
    const name = unused(checkName(plain, "entity") === null ? plain : `app_${plain}`);
    names.set(table.name, name);
    if (name !== snakeCase(table.name, "table") && name !== singular(table.name))
      notes.push({ kind: "changed", path: table.name, text: `The entity is called \`${name}\`.` });
  }
  if (people !== null) names.set(people.name, "user");
  return names;
}

/** What everybody has without saying so. */
const userColumns = ["id", "email", "name", "roles", "created_at", "updated_at", "version"];
const secretColumn = /pass(word|wd|_?hash|phrase)|salt|token|otp|secret/;

function writePeople(table: ForeignTable, writer: Writer): string[] {
  const context = contextOf(table, "user", writer);
  const fields: string[] = [];
  for (const column of table.columns) {
    const name = snakeCase(column.name, "field");
    if (["id", "email", "name", "created_at", "updated_at"].includes(name)) continue;
    if (secretColumn.test(name) || name === "role" || name === "roles") {
      const text = secretColumn.test(name)
        ? "Credentials stay behind: people sign in anew with the module auth."
        : "Roles are granted to users; declare yours under `roles:`.";
      writer.notes.push({ kind: "left_out", path: `${table.name}.${column.name}`, text });
      continue;
    }
    const line = writeField(column, { ...context, taken: context.taken });
    if (line !== null) fields.push(line);
  }
  const text = "It becomes the built-in `user`; its other columns are profile fields.";
  writer.notes.push({ kind: "changed", path: table.name, text });
  if (fields.length === 0) return [];
  return ["users:", "  fields:", ...fields.map((line) => `    ${line}`), ""];
}

function writeEntity(table: ForeignTable, writer: Writer): string[] {
  const entity = writer.entities.get(table.name) ?? table.name;
  const context = contextOf(table, entity, writer);
  const fields = [
    ...writeKey(table, writer),
    ...writeColumns(table, context),
    ...writeLinks(table, entity, writer, context),
  ];
  const options = [
    ...(table.comment === null ? [] : [`help: ${JSON.stringify(table.comment)}`]),
    // A key of several columns is no id of ours, but it stays unique.
    ...listOption("unique", [table.primaryKey, ...table.uniques], context),
    ...listOption("index", table.indexes, context),
  ];
  if (fields.length === 0) {
    writer.notes.push({ kind: "changed", path: table.name, text: "Nothing of its columns could come along." });
    fields.push("note: text?");
  }
  return [
    `  ${entity}:`,
    ...options.map((line) => `    ${line}`),
    "    fields:",
    ...fields.map((line) => `      ${line}`),
    "    permissions:",
    "      admin: { all: true }",
  ];
}

function contextOf(table: ForeignTable, entity: string, writer: Writer): FieldContext {
  const own = entity === "user" ? userColumns : ["id", "version"];
  return {
    table,
    taken: createNames(own),
    names: new Map(),
    entityOf: (name) => writer.entities.get(name) ?? null,
    keyOf: (name) => writer.schema.tables.find((one) => one.name === name)?.primaryKey ?? [],
    note: (kind, column, text) => void writer.notes.push({ kind, path: `${table.name}.${column}`, text }),
  };
}

/** Records get UUIDs of their own; an old key of another kind is kept beside, so that data can be brought over. */
function writeKey(table: ForeignTable, writer: Writer): string[] {
  const [key, second] = table.primaryKey;
  const column = table.columns.find((one) => one.name === key);
  if (key === undefined || column === undefined || second !== undefined) return [];
  if (column.type.kind === "uuid" || column.references !== null) return [];
  const type = column.type.kind === "int" || column.type.kind === "bigint" ? "bigint" : "string";
  const text = `Records get new ids (UUIDs); the old ${key} is kept as \`legacy_id\`, to bring data and references over.`;
  writer.notes.push({ kind: "changed", path: `${table.name}.${key}`, text });
  return [`legacy_id: ${type}? unique`];
}

function writeColumns(table: ForeignTable, context: FieldContext): string[] {
  context.taken("legacy_id");
  return table.columns.flatMap((column) => {
    const isKey = table.primaryKey.length === 1 && table.primaryKey[0] === column.name;
    if (isKey && column.references === null) return [];
    const name = snakeCase(column.name, "field");
    const implied = ["created_at", "updated_at"].includes(name) && column.type.kind === "datetime";
    if (implied) {
      context.names.set(column.name, name);
      return [];
    }
    const line = writeField(column, context);
    return line === null ? [] : [line];
  });
}

/** Many-to-many: on the entity whose name comes first; the other side exists by itself. */
function writeLinks(table: ForeignTable, entity: string, writer: Writer, context: FieldContext): string[] {
  const implicit = table.links.flatMap(({ name, table: other }) => {
    const target = writer.entities.get(other);
    return target === undefined ? [] : [`${context.taken(snakeCase(name, "links"))}: refs(${target})`];
  });
  const explicit = writer.joins.flatMap((join) => {
    const ends = join.columns.flatMap((column) => (column.references === null ? [] : [column.references.table]));
    if (ends[0] !== table.name) return [];
    const target = writer.entities.get(ends[1] ?? "");
    if (target === undefined || target === "user") return [];
    const text = `It becomes the many-to-many field of \`${entity}\` that refers to \`${target}\`.`;
    writer.notes.push({ kind: "changed", path: join.name, text });
    return [`${context.taken(snakeCase(ends[1] ?? join.name, "links"))}: refs(${target})`];
  });
  return [...implicit, ...explicit];
}

function listOption(key: string, lists: readonly (readonly string[])[], context: FieldContext): string[] {
  const isWhole = (columns: readonly string[]): boolean => columns.every((column) => context.names.has(column));
  const several = lists.filter((columns) => columns.length > 1 && isWhole(columns));
  for (const columns of lists.filter((one) => one.length > 1 && !isWhole(one)))
    context.note("left_out", columns.join("+"), `The ${key} over these: not all of them came along.`);
  if (several.length === 0) return [];
  const named = several.map((columns) => `[${columns.map((column) => context.names.get(column)).join(", ")}]`);
  return [`${key}: [${[...new Set(named)].join(", ")}]`];
}
