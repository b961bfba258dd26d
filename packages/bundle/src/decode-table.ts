// The shape of a table in a project's schema, for the decoder.
import { z } from "zod";
import { identifier, sql, sqlType } from "./decode-field.ts";

const columnNames = z.array(identifier).min(1);
const bound = z.string().nullable();
const count = z.number().nullable();

const check = z.looseObject({
  name: identifier,
  columns: z.array(identifier),
  rule: z.discriminatedUnion("kind", [
    z.looseObject({ kind: z.enum(["one_of", "subset_of"]), values: z.array(z.string()) }),
    z.looseObject({ kind: z.literal("length"), min: count, max: count }),
    z.looseObject({ kind: z.literal("range"), min: bound, max: bound }),
    z.looseObject({ kind: z.literal("sql"), sql }),
  ]),
});

export const table: z.ZodType = z.looseObject({
  name: identifier,
  columns: z.array(
    z.looseObject({
      name: identifier,
      sqlType,
      nullable: z.boolean(),
      default: z.string().nullable(),
      identity: z.boolean(),
      encrypted: z.literal(true).optional(),
    }),
  ),
  primaryKey: columnNames,
  uniques: z.array(
    z.looseObject({
      name: identifier,
      columns: columnNames,
      where: sql.nullable(),
      constraint: z.literal(true).optional(),
    }),
  ),
  indexes: z.array(
    z.looseObject({
      name: identifier,
      method: z.enum(["btree", "gin"]),
      keys: z.array(sql).min(1),
      where: sql.nullable(),
    }),
  ),
  foreignKeys: z.array(
    z.looseObject({
      name: identifier,
      column: identifier,
      table: identifier,
      onDelete: z.enum(["no action", "cascade", "restrict", "set null"]),
    }),
  ),
  checks: z.array(check),
  exclusions: z
    .array(
      z.looseObject({
        name: identifier,
        guard: identifier,
        same: columnNames,
        rangeType: sqlType,
        from: identifier,
        to: identifier,
        where: sql.nullable(),
      }),
    )
    .optional(),
  search: z.looseObject({ column: identifier, index: identifier, value: sql }).optional(),
  privileges: z.array(z.enum(["select", "insert", "update", "delete"])),
});
