// Chooses the Postgres type of a field. In: a field's type. Out: the column's type; null if it has no column. It never
// says how a value is read or written; `wire-sql.ts` does.
import type { Field, FieldType } from "@plinth/blueprint";
import type { Type } from "@plinth/expression";

/** The maximum length of texts of all kinds, unless limits say otherwise; null for unlimited. */
export const TEXT_LENGTH_MAX: Readonly<Partial<Record<FieldType["kind"], number>>> = {
  string: 255,
  slug: 255,
  email: 254,
  url: 2048,
};

/** The type of the column, or of the expression that replaces it (a computed value, a list of ids). */
export function sqlTypeOf(type: FieldType): string {
  switch (type.kind) {
    case "string":
    case "text":
    case "markdown":
    case "slug":
    case "email":
    case "url":
    case "phone":
    case "color":
    case "timezone":
    case "enum":
    case "country":
    case "currency":
    case "locale":
    case "secret":
    case "sequence":
      return "text";
    case "int":
      return "integer";
    case "bigint":
      return "bigint";
    case "float":
      return "double precision";
    case "decimal":
      return `numeric(${type.precision},${type.scale})`;
    case "money":
      return `numeric(20,${type.scale})`;
    case "percent":
      return "numeric(7,4)";
    case "date":
      return "date";
    case "time":
      return "time(6)";
    case "datetime":
      return "timestamptz";
    case "duration":
      return "interval";
    case "bool":
      return "boolean";
    case "enum_set":
      return "text[]";
    case "json":
    case "object":
    case "i18n":
      return "jsonb";
    case "list":
      return isScalar(type.of) ? `${sqlTypeOf(type.of)}[]` : "jsonb";
    case "point":
      return "point";
    case "vector":
      return `vector(${type.dimensions})`;
    case "uuid":
    case "user_ref":
    case "org_ref":
    case "ref":
      return "uuid";
    case "refs":
      return "uuid[]";
    case "computed":
      return sqlTypeOfValue(type.expression.type);
    case "file":
    case "image":
      throw new Error(`the type ${type.kind} isn't available yet`);
  }
}

/** Whether a native array can hold it. */
export function isScalar(type: FieldType): boolean {
  switch (type.kind) {
    case "json":
    case "object":
    case "list":
    case "i18n":
    case "point":
    case "vector":
    case "enum_set":
      return false;
    default:
      return true;
  }
}

/** Whether the table has a column for it. */
export function isStored(field: Field): boolean {
  return field.type.kind !== "refs" && field.type.kind !== "computed" && isServed(field);
}

/** Files and images are declared and checked, but no route serves them. */
export function isServed(field: Field): boolean {
  return field.type.kind !== "file" && field.type.kind !== "image";
}

/** The type of an expression's value; whole numbers in rules have no limit. */
export function sqlTypeOfValue(type: Type): string {
  switch (type.kind) {
    case "bool":
      return "boolean";
    case "int":
    case "decimal":
      return "numeric";
    case "float":
      return "double precision";
    case "text":
    case "enum":
    case "null":
      return "text";
    case "uuid":
      return "uuid";
    case "date":
      return "date";
    case "time":
      return "time(6)";
    case "datetime":
      return "timestamptz";
    case "duration":
      return "interval";
    case "list":
      return type.of.kind === "opaque" ? "jsonb" : `${sqlTypeOfValue(type.of)}[]`;
    case "opaque":
      return "jsonb";
  }
}
