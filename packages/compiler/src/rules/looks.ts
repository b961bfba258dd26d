// Records where a predicate reads other rows, while it is lowered. In: each use of a table and its columns. Out: the
// uses, one for each table.
import type { Look } from "@plinth/bundle";

interface Use {
  readonly columns: Set<string>;
  byId: boolean;
}

export class Looks {
  readonly #uses = new Map<string, Use>();

  /** A row is looked up by its id. */
  one(table: string): void {
    this.#of(table);
  }

  /** Rows are looked up by something else. */
  some(table: string): void {
    this.#of(table).byId = false;
  }

  column(table: string, column: string): void {
    if (column !== "id") this.#of(table).columns.add(column);
  }

  get any(): boolean {
    return this.#uses.size > 0;
  }

  /** Adds everything that the other one has recorded. */
  add(other: Looks): void {
    for (const { table, columns, byId } of other.all()) {
      if (byId) this.one(table);
      else this.some(table);
      for (const column of columns) this.column(table, column);
    }
  }

  all(): readonly Look[] {
    return [...this.#uses]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([table, { columns, byId }]) => ({ table, columns: [...columns].sort(), byId }));
  }

  #of(table: string): Use {
    const use = this.#uses.get(table) ?? { columns: new Set(), byId: true };
    this.#uses.set(table, use);
    return use;
  }
}
