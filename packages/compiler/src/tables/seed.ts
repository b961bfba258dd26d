// Writes seed rows in Postgres's input format. In: an entity. Out: column > text. It never invents a value.
import type { Entity, Field, SeedRow } from "@plinth/blueprint";
import type { BundleEntity } from "@plinth/bundle";
import { postgresText } from "../sql/constant-sql.ts";

export function seedOf(entity: Entity): BundleEntity["seed"] {
  const fields = fieldsByName(entity.fields);
  return entity.seed.map((row) => rowText(row, fields));
}

export function fieldsByName(fields: readonly Field[]): ReadonlyMap<string, Field> {
  return new Map(fields.map((field) => [field.name, field]));
}

/** Each value in its column's input format. */
export function rowText(row: SeedRow, fields: ReadonlyMap<string, Field>): Readonly<Record<string, string | null>> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const field = fields.get(name);
      if (field === undefined) throw new Error(`there is no field ${name}`);
      return [name, value === null ? null : postgresText(value, field.type)];
    }),
  );
}
