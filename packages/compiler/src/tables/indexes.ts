// Chooses the indexes of a table. In: an entity and its unique constraints. Out: declared indexes, and those for lists,
// references and read rules, without duplicates.
import { type Entity, type Field, targetOf } from "@plinth/blueprint";
import type { Index, Unique } from "@plinth/bundle";
import type { Expression } from "@plinth/expression";
import { DELETED_AT } from "../sql/catalog.ts";
import { isServed } from "../sql/column-type.ts";
import { constraintName, quoteIdentifier as q } from "../sql/sql-text.ts";
import { similarIndexes } from "./search.ts";

interface Wanted {
  readonly columns: readonly string[];
  readonly where: string | null;
}

/** Lists are most often sorted by newest first; foreign keys need an index for restricted deletes and for rules. */
export function indexesOf(entity: Entity, uniques: readonly Unique[]): readonly Index[] {
  const stored = new Map(entity.fields.filter(isServed).map((field) => [field.name, field]));
  const living = entity.softDelete ? `${q(DELETED_AT)} is null` : null;
  const page = stored.has("created_at") ? ["created_at", "id"] : ["id"];
  const asked = equalities(entity, stored);
  const wanted: Wanted[] = [
    ...entity.indexes.map((columns) => ({ columns: inOrder(columns), where: null })),
    ...[...stored.values()]
      .filter((field) => targetOf(field.type) !== null)
      .map(({ name }) => ({
        columns: name === entity.orgField || asked.get(name) === "page" ? [name, ...page] : [name],
        where: null,
      })),
    ...[...asked]
      .filter(([name]) => targetOf(stored.get(name)!.type) === null)
      .map(([name, shape]) => ({ columns: shape === "page" ? [name, ...page] : [name], where: living })),
    ...ordersOf(entity).map((columns) => ({ columns, where: living })),
    ...(page.length > 1 ? [{ columns: page, where: living }] : []),
  ];
  return [...withoutCovered(wanted, uniques).map((index) => named(entity.plural, index)), ...similarIndexes(entity)];
}

/** The orders of views that one index provides, in either direction: those with a single direction. */
function ordersOf({ views = [] }: Entity): readonly (readonly string[])[] {
  return views.flatMap(({ sort }) => {
    const names = sort.map(({ field }) => field);
    const isOne = sort.length > 0 && sort.every(({ descending }) => descending === sort[0]?.descending);
    return isOne ? [inOrder(names)] : [];
  });
}

/** Ties are sorted by id: without it in the index, the rows of each page would have to be sorted. */
function inOrder(columns: readonly string[]): readonly string[] {
  return columns.includes("id") ? columns : [...columns, "id"];
}

function named(table: string, { columns, where }: Wanted): Index {
  return { name: constraintName(table, columns, "idx"), method: "btree", keys: columns.map(q), where };
}

/** An index is redundant if another one starts with its columns, unless that one leaves out rows. */
function withoutCovered(wanted: readonly Wanted[], uniques: readonly Unique[]): readonly Wanted[] {
  const kept: Wanted[] = [];
  const covers = (by: Wanted, index: Wanted): boolean =>
    (by.where === null || by.where === index.where) && index.columns.every((column, at) => by.columns[at] === column);
  for (const [at, index] of wanted.entries()) {
    const others = [...uniques, ...kept, ...wanted.slice(at + 1).filter((other) => !covers(index, other))];
    if (!others.some((other) => covers(other, index))) kept.push(index);
  }
  return kept;
}

/**
 * Fields that a read rule compares for equality: with a constant (then lists read its rows in order: "page"), or with a
 * value of the caller ("point").
 */
function equalities(entity: Entity, stored: ReadonlyMap<string, Field>): ReadonlyMap<string, "page" | "point"> {
  const found = new Map<string, "page" | "point">();
  const visit = (expression: Expression): void => {
    if (expression.kind !== "operation") return;
    const { operator, args } = expression;
    if (operator === "&&" || operator === "||") {
      for (const arg of args) visit(arg);
      return;
    }
    if (operator !== "==") return;
    for (const [own, other] of [args, [...args].reverse()]) {
      if (own?.kind !== "field" || own.row !== "record" || own.path.length !== 1) continue;
      const name = own.path[0]!;
      const kind = stored.get(name)?.type.kind;
      if (kind === undefined || kind === "bool" || kind === "computed" || name === "id" || other?.type.kind === "null")
        continue;
      if (other?.kind === "literal") found.set(name, "page");
      else if ((other?.kind === "user" || other?.kind === "context") && !found.has(name)) found.set(name, "point");
    }
  };
  for (const { operation, rule } of entity.permissions) if (operation === "read") visit(rule);
  return found;
}
