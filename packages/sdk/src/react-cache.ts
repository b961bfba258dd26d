// What a write makes of what is cached, before its reply. In: cached data of any hook: a record, records, pages of records. Out: the same
// with the record changed, or without it. It guesses as little as it can: what only the server knows stays as it is.
import type { WriteOptions } from "./writing.ts";

/** A hook that writes: what it is given, what it calls, and what it makes of cached data meanwhile. */
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
    // Exact numbers are texts: what they add up to, the reply says.
    return typeof value === "number" && typeof change.add === "number" ? value + change.add : value;
  }
  // Related records are written in another shape than they are shown in. They stay until the reply.
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
  // A record by itself stays until its reading says that it is gone.
  return change(data as Fields) ?? data;
}
