// Counts the items of an import's source and their outcomes. In: items from a reader, outcomes from the writer, and at the end
// the model of the blueprint. Out: a table whose sums match. An expressed item must be in the model. Otherwise it counts as
// unaccounted, like an item without an outcome.
import type { Model } from "@plinth/blueprint";

export const itemKinds = [
  "tables",
  "fields",
  "not null",
  "primary keys",
  "relations",
  "other sides",
  "on delete",
  "on update",
  "uniques",
  "indexes",
  "index details",
  "defaults",
  "generated fields",
  "checks",
  "exclusions",
  "enums",
  "enum values",
  "domains",
  "native types",
  "composite types",
  "row security",
  "policies",
  "triggers",
  "rules",
  "functions",
  "views",
  "materialized views",
  "foreign tables",
  "partitions",
  "inheritance",
  "sequences",
  "comments",
  "remarks",
  "database names",
  "grants",
  "extensions",
  "settings",
  "other",
] as const;

export type ItemKind = (typeof itemKinds)[number];

/** One construct of the source. */
export interface Item {
  readonly kind: ItemKind;
  /** Its path in the source: `BlogPost`, `public.blog_posts.price`. */
  readonly path: string;
}

/** `changed`: the blueprint expresses it differently, as `text` describes. `left_out`: `text` has the reason. */
export type Outcome =
  | { readonly kind: "expressed"; readonly holds: (model: Model) => boolean }
  | { readonly kind: "changed" | "left_out"; readonly text: string };

export interface ImportNote {
  readonly kind: "changed" | "left_out" | "unaccounted";
  readonly of: ItemKind;
  readonly path: string;
  /** One sentence, with advice if something can be done. */
  readonly text: string;
}

export interface InventoryRow {
  readonly kind: ItemKind;
  readonly found: number;
  readonly expressed: number;
  readonly changed: number;
  readonly leftOut: number;
  readonly unaccounted: number;
}

export interface InventoryReport {
  readonly rows: readonly InventoryRow[];
  readonly notes: readonly ImportNote[];
}

export interface Inventory {
  found(kind: ItemKind, path: string): Item;
  /** The first outcome counts, unless a later one is a loss: an expressed item can still be changed or left out. */
  expressed(item: Item | null | undefined, holds?: (model: Model) => boolean): void;
  changed(item: Item | null | undefined, text: string): void;
  leftOut(item: Item | null | undefined, text: string): void;
  isSettled(item: Item): boolean;
  report(model: Model | null): InventoryReport;
}

const always = (): boolean => true;

export function createInventory(): Inventory {
  const items: Item[] = [];
  const outcomes = new Map<Item, Outcome>();
  return {
    found(kind, path) {
      const item = { kind, path };
      items.push(item);
      return item;
    },
    expressed(item, holds = always) {
      if (item && !outcomes.has(item)) outcomes.set(item, { kind: "expressed", holds });
    },
    changed(item, text) {
      if (item && outcomes.get(item)?.kind !== "left_out")
        outcomes.set(item, { kind: "changed", text: joined(item, text) });
    },
    leftOut(item, text) {
      if (item) outcomes.set(item, { kind: "left_out", text });
    },
    isSettled: (item) => outcomes.has(item),
    report: (model) => reportOf(items, outcomes, model),
  };

  /** Two changes of one item are both kept. */
  function joined(item: Item, text: string): string {
    const before = outcomes.get(item);
    return before?.kind === "changed" && !before.text.includes(text) ? `${before.text} ${text}` : text;
  }
}

function reportOf(items: readonly Item[], outcomes: ReadonlyMap<Item, Outcome>, model: Model | null): InventoryReport {
  const notes: ImportNote[] = [];
  const counts = new Map<ItemKind, { found: number; expressed: number; changed: number; leftOut: number }>();
  for (const item of items) {
    const count = counts.get(item.kind) ?? { found: 0, expressed: 0, changed: 0, leftOut: 0 };
    counts.set(item.kind, count);
    count.found++;
    const outcome = outcomes.get(item);
    const note = (kind: ImportNote["kind"], text: string): void =>
      void notes.push({ kind, of: item.kind, path: item.path, text });
    if (outcome === undefined) note("unaccounted", "It isn't in the blueprint, for an unknown reason.");
    else if (outcome.kind === "expressed") {
      if (model !== null && outcome.holds(model)) count.expressed++;
      else note("unaccounted", "It should be in the blueprint, but isn't.");
    } else {
      if (outcome.kind === "changed") count.changed++;
      else count.leftOut++;
      note(outcome.kind, outcome.text);
    }
  }
  const rows = itemKinds.flatMap((kind): InventoryRow[] => {
    const count = counts.get(kind);
    if (count === undefined) return [];
    return [{ kind, ...count, unaccounted: count.found - count.expressed - count.changed - count.leftOut }];
  });
  return { rows, notes };
}
