// Lowers values that need no row: constants, the user, and the request. In: a node of an expression. Out: SQL of its
// value. It never passes an author's braces on: texts go through `quoteText`.
import type { Expression } from "@plinth/expression";
import { entityOf, USERS_TABLE } from "../sql/catalog.ts";
import { sqlTypeOfValue } from "../sql/column-type.ts";
import { quoteIdentifier as q, quoteDigits, quoteNumber, quoteText } from "../sql/sql-text.ts";
import type { LowerScope } from "./lower-scope.ts";

export const contexts: Readonly<Record<Extract<Expression, { kind: "context" }>["name"], string>> = {
  current_org: "{org}::uuid",
  now: "{now}::timestamptz",
  today: "({now}::timestamptz at time zone 'UTC')::date",
  "request.ip": "{request.ip}::text",
  "request.key_kind": "{request.key_kind}::text",
};

export function literal({ type, value }: Extract<Expression, { kind: "literal" }>): string {
  if (value === null) return "null";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return quoteNumber(value);
  switch (type.kind) {
    case "int":
    case "decimal":
      return quoteDigits(value);
    case "duration":
      // Postgres allows no sign before the P.
      return value.startsWith("-") ? `(-${quoteText(value.slice(1))}::interval)` : `${quoteText(value)}::interval`;
    case "uuid":
    case "date":
    case "time":
    case "datetime":
      return `${quoteText(value)}::${sqlTypeOfValue(type)}`;
    default:
      return quoteText(value);
  }
}

const userHoles: ReadonlyMap<string, string> = new Map([
  ["id", "{user.id}::uuid"],
  ["email", "{user.email}::text"],
  ["roles", "{user.roles}::text[]"],
]);

/** Values that the credential doesn't contain are read once for the statement. */
export function user(name: string, { catalog, looks }: LowerScope): string {
  const hole = userHoles.get(name);
  if (hole !== undefined) return hole;
  if (!entityOf(catalog, "user").fields.has(name)) throw new Error(`user has no field ${name}`);
  looks?.one(USERS_TABLE);
  looks?.column(USERS_TABLE, name);
  return `(select _me.${q(name)} from {schema}.${q(USERS_TABLE)} _me where _me."id" = {user.id}::uuid)`;
}
