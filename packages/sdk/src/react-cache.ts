// Updates cached data before the reply of a write. In: cached data of any hook: a record, records, pages of records.
// Out: the same with the record changed, or without it. It guesses as little as possible: what only the server knows
// stays unchanged.
import type { WriteOptions } from "./writing.ts";

/** A hook that writes: its input, its call, and its effect on cached data meanwhile. */
export interface Writing {
  readonly given: WriteOptions & { readonly id: string; readonly fields: object };
  readonly run: (given: Writing["given"]) => Promise<unknown>;
  readonly guess: (data: unknown, given: Writing["given"]) => unknown;
}

type Fields = Readonly<Record<string, unknown>>;

export function patched(data: unknown, id: string, fields: object): unknown {
  return mapped(data, (record) => {
    if (record["id"] !== id) return record;
    const shown = Object.entries(fields).filter(([name]) => name in record);
    return { ...record, ...Object.fromEntries(shown.map(([name, value]) => [name, next(record[name], value)])) };
  });
}

export function forgotten(data: unknown, id: string): unknown {
  return mapped(data, (record) => (record["id"] === id ? null : record));
}

function next(value: unknown, change: unknown): unknown {
  if (value === null || change === null) return change;
  if (typeof change === "object" && "add" in change) {
    // Exact numbers are texts: only the reply has the sum.
    return typeof value === "number" && typeof change.add === "number" ? value + change.add : value;
  }
  // Related records have another shape in a write than in a read. They stay unchanged until the reply.
  return shapeOf(value) === shapeOf(change) ? change : value;
}

function shapeOf(value: unknown): string {
  if (!Array.isArray(value)) return typeof value;
  return typeof value[0] === "object" ? "objects" : "list";
}

function mapped(data: unknown, change: (record: Fields) => Fields | null): unknown {
  if (typeof data !== "object" || data === null) return data;
  if (Array.isArray(data)) return data.map(change).filter((record) => record !== null);
  if ("pages" in data && Array.isArray(data.pages)) {
    return { ...data, pages: data.pages.map((page) => ({ ...page, data: mapped(page.data, change) })) };
  }
  // A single record stays in the cache until reading it shows that it is gone.
  return change(data as Fields) ?? data;
}
