// By which fields a record can be named in a path beside its id. In: an entity. Out: names of fields, key by key.
import type { Entity } from "@plinth/blueprint";
import { isFilterable } from "./queries.ts";

/**
 * Unique keys whose values can stand in a path, each in the order in which it is declared. The organization of one that is
 * unique within organizations is no part of it: the request names the organization.
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
