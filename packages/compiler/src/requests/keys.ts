// The keys of a record for paths, in addition to its id. In: an entity. Out: field names for each key.
import type { Entity } from "@plinth/blueprint";
import { isFilterable } from "./queries.ts";

/**
 * Unique keys whose values can be part of a path, each in its declared order. For a key that is unique within
 * organizations, the request names the organization, so it is not part of the key.
 */
export function keysOf({
  fields,
  uniques,
  orgField,
}: Pick<Entity, "fields" | "uniques" | "orgField">): readonly (readonly string[])[] {
  const nameable = new Set(fields.filter(isFilterable).map(({ name }) => name));
  const keys = uniques
    .map((key) => key.filter((name) => name !== orgField))
    .filter((key) => key.length > 0 && key.every((name) => nameable.has(name)));
  const byName = new Map(keys.map((key) => [key.join(","), key]));
  return [...byName.values()];
}
