// Decides what each table becomes. In: a foreign schema. Out: which table holds the app's users, which are only links of a
// many-to-many relation, and what the entities are called.
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
  /** Id of a table > its entity; `user` for that of the users. */
  readonly entities: ReadonlyMap<string, string>;
  /** Entity > plural, where the usual one is taken. */
  readonly plurals: ReadonlyMap<string, string>;
  /** Names an entity that no table stands for. */
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

/** Two tables of one name are told apart by their schemas. What the service calls its own gets `app_` before it. */
function wantedName(table: ForeignTable, tables: readonly ForeignTable[]): string {
  const twice = tables.some((one) => one !== table && one.name === table.name);
  const words = twice && table.space !== null ? `${table.space}_${table.name}` : table.name;
  const plain = singular(snakeCase(words, "table").slice(0, NAME_LENGTH_MAX)).replace(/_+$/, "");
  return checkName(plain, "entity") === null ? plain : `app_${plain}`;
}

/**
 * Two references that are the key together, and nothing else that says something: no column, rule or relation is lost where
 * it becomes a `refs` field. Its rows go with either end, as those of `refs` do.
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

/** Whether a reference to these columns names one record of the table. */
export function isIdOf(table: ForeignTable, columns: readonly string[]): boolean {
  if (columns.length !== 1) return false;
  const lists = [...(table.key === null ? [] : [table.key]), ...table.uniques];
  return lists.some((list) => list.columns.length === 1 && list.columns[0] === columns[0]);
}
