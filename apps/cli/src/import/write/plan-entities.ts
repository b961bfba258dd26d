// Decides what each table becomes. In: a foreign schema. Out: the table of the app's users, the tables with only pairs of a
// many-to-many relation, and the names of the entities.
import { checkName } from "@plinth/blueprint";
import type { ForeignSchema, ForeignTable } from "../foreign-schema.ts";
import type { Inventory } from "../inventory.ts";
import { createNames, plural, singular, snakeCase } from "./names.ts";

export interface Plan {
  readonly schema: ForeignSchema;
  readonly inventory: Inventory;
  /** The table that becomes the built-in `user`. */
  readonly people: ForeignTable | null;
  readonly joins: ReadonlySet<ForeignTable>;
  /** The id of a table > its entity; `user` for that of the users. */
  readonly entities: ReadonlyMap<string, string>;
  /** Entity > plural, if the usual one is taken. */
  readonly plurals: ReadonlyMap<string, string>;
  /** Names an entity without a table. */
  nameEntity(wanted: string): string;
}

const NAME_LENGTH_MAX = 40;

export function planEntities(schema: ForeignSchema, inventory: Inventory): Plan {
  const people = schema.tables.find(isPeople) ?? null;
  const joins = new Set(schema.tables.filter((table) => isJoin(table, schema, people)));
  const used = createNames();
  const plurals = new Map<string, string>();
  const entities = new Map<string, string>();
  const nameEntity = (wanted: string): string => {
    const name = used.give(wanted);
    const usual = plural(name);
    const isFree = (one: string): boolean => (one === name || !used.has(one)) && checkName(one, "plural") === null;
    const chosen = isFree(usual) ? usual : used.give(`${name}_records`);
    if (chosen !== usual) plurals.set(name, chosen);
    used.take(chosen);
    return name;
  };
  for (const table of schema.tables) {
    if (table === people || joins.has(table)) continue;
    entities.set(table.id, nameEntity(wantedName(table, schema.tables)));
  }
  if (people !== null) entities.set(people.id, "user");
  for (const id of schema.usersElsewhere) entities.set(id, "user");
  return { schema, inventory, people, joins, entities, plurals, nameEntity };
}

function isPeople(table: ForeignTable): boolean {
  return singular(snakeCase(table.name, "table")) === "user" && table.columns.some((column) => column.name === "email");
}

/** Two tables with the same name are distinguished by their schemas. A name that Plinth uses gets the prefix `app_`. */
function wantedName(table: ForeignTable, tables: readonly ForeignTable[]): string {
  const twice = tables.some((one) => one !== table && one.name === table.name);
  const words = twice && table.space !== null ? `${table.space}_${table.name}` : table.name;
  const plain = singular(snakeCase(words, "table").slice(0, NAME_LENGTH_MAX)).replace(/_+$/, "");
  return checkName(plain, "entity") === null ? plain : `app_${plain}`;
}

/**
 * Whether the key is exactly two references, without other content: no column, rule or relation is lost if the table becomes a
 * `refs` field. Its rows are deleted with either end, like those of `refs`.
 */
function isJoin(table: ForeignTable, { tables }: ForeignSchema, people: ForeignTable | null): boolean {
  const { columns, key, references, uniques, checks, security, links } = table;
  if (columns.length !== 2 || references.length !== 2 || key?.columns.length !== 2) return false;
  if (uniques.length + checks.length + links.length > 0 || security !== null) return false;
  if (tables.some((one) => one.references.some((reference) => reference.table === table.id))) return false;
  return columns.every(({ name }) => {
    const own = references.find((one) => one.columns.length === 1 && one.columns[0] === name);
    const target = tables.find((one) => one.id === own?.table);
    return (
      own?.onDelete === "cascade" && target !== undefined && target !== people && isIdOf(target, own.targetColumns)
    );
  });
}

/** Whether a reference to these columns identifies one record of the table. */
export function isIdOf(table: ForeignTable, columns: readonly string[]): boolean {
  if (columns.length !== 1) return false;
  const lists = [...(table.key === null ? [] : [table.key]), ...table.uniques];
  return lists.some((list) => list.columns.length === 1 && list.columns[0] === columns[0]);
}
