// The shape of a field in a bundle, for the decoder: of an entity, or of an action's input.
import { z } from "zod";

// Names become SQL identifiers in the runtime: no other characters are allowed.
export const identifier: z.ZodString = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/, "not an identifier");
export const sql: z.ZodString = z.string();
export const sqlType: z.ZodString = z.string().regex(/^[a-z][a-z0-9 ()[\],]*$/, "not a type's name");

const member: z.ZodType = z.looseObject({
  name: z.string(),
  sqlType,
  get members() {
    return z.array(member).optional();
  },
});

/** Members of an object. */
export const field: Readonly<Record<string, z.ZodType>> = {
  name: identifier,
  column: identifier.nullable(),
  sqlType,
  wire: z.enum(["string", "raw"]),
  select: sql,
  value: sql.optional(),
  write: sql,
  optional: z.boolean(),
  writer: z.enum(["caller", "admin", "service"]),
  default: sql.nullable(),
  references: identifier.nullable(),
  filterable: z.boolean(),
  immutable: z.boolean(),
  hidden: z.boolean(),
  secret: z.boolean(),
  masked: z.boolean(),
  searchable: z.boolean(),
  slugFrom: identifier.nullable(),
  sequence: z
    .looseObject({
      counter: z.string(),
      prefix: z.string(),
      perOrganization: z.literal(true).optional(),
      at: z.string().optional(),
    })
    .nullable(),
  members: z.array(member).optional(),
  join: z.looseObject({ table: identifier, own: identifier, other: identifier }).nullable(),
};
