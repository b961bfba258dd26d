// Says how each field is read and written. In: an entity's fields. Out: the bundle's fields with their SQL templates.
// It never writes whole statements: the runtime joins the parts a request asks for.
import type { Field, FieldType } from "@plinth/blueprint";
import type { BundleField, SqlTemplate } from "@plinth/bundle";
import { referenceOf } from "./catalog.ts";
import { quoteIdentifier } from "./sql-text.ts";
import { columnDefaultOf, sqlTypeOf } from "./tables.ts";

export function bundleFieldOf(field: Field): BundleField {
  const isRaw = field.type.kind === "int" || field.type.kind === "bool";
  return {
    name: field.name,
    column: field.name,
    sqlType: sqlTypeOf(field.type),
    wire: isRaw ? "raw" : "string",
    select: selectOf(field.name, field.type),
    optional: field.optional,
    writer: writerOf(field),
    default: defaultOf(field),
    references: referenceOf(field.type),
    filterable: true,
  };
}

function selectOf(name: string, type: FieldType): SqlTemplate {
  const column = `{row}.${quoteIdentifier(name)}`;
  return type.kind === "datetime" ? `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')` : column;
}

/** Only an admin names somebody else in a field that the service fills with the current user. */
function writerOf(field: Field): BundleField["writer"] {
  if (field.writer === "service") return "service";
  return field.default?.kind === "current_user_id" ? "admin" : "caller";
}

function defaultOf(field: Field): SqlTemplate | null {
  return field.default?.kind === "current_user_id" ? "{user.id}::uuid" : columnDefaultOf(field);
}

const id: BundleField = {
  name: "id",
  column: "id",
  sqlType: "uuid",
  wire: "string",
  select: '{row}."id"',
  optional: false,
  writer: "service",
  default: null,
  references: null,
  filterable: true,
};

const timestamp = (name: string): BundleField => ({
  ...id,
  name,
  column: name,
  sqlType: "timestamptz",
  select: selectOf(name, { kind: "datetime" }),
  default: "now()",
});

/** The built-in `user`; what secrets its table holds are no fields. */
export const userFields: readonly BundleField[] = [
  id,
  { ...id, name: "email", column: "email", sqlType: "text", select: '{row}."email"' },
  { ...id, name: "name", column: "name", sqlType: "text", select: '{row}."name"', optional: true, writer: "caller" },
  {
    ...id,
    name: "roles",
    column: "roles",
    sqlType: "text[]",
    wire: "raw",
    select: 'to_json({row}."roles")',
    default: "'{}'",
    filterable: false,
  },
  timestamp("created_at"),
  timestamp("updated_at"),
  {
    ...id,
    name: "version",
    column: "version",
    sqlType: "integer",
    wire: "raw",
    select: '{row}."version"',
    default: "1",
  },
];
