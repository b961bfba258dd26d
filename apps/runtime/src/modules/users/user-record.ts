// A user in the API's form. In: SQL of a row, or a row of text. Out: select list and JSON. It never selects a
// password's hash: it only shows what callers may see of the bundle's `user`.
import { fillTemplate } from "@plinth/bundle";
import type { ActiveRelease, ServedBundle } from "../../project/active-release.ts";
import type { TextRow } from "../../project/tenant.ts";

export interface UserRecord {
  readonly id: string;
  readonly email: string;
  readonly roles: readonly string[];
  readonly [field: string]: unknown;
}

/** The select list over a row alias; `readUser` reads its columns in this order. */
export function userColumns({ bundle, schema }: ActiveRelease, alias: string): string {
  const holes: Readonly<Record<string, string>> = { row: alias, schema };
  return fieldsOf(bundle)
    .map((field) => `(${fillTemplate(field.select, (hole) => holes[hole])})::text`)
    .join(", ");
}

export function readUser(bundle: ServedBundle, row: TextRow): UserRecord {
  const record: Record<string, unknown> = {};
  for (const [at, field] of fieldsOf(bundle).entries()) {
    const text = row[at] ?? null;
    record[field.name] = text === null || field.wire === "string" ? text : rawValue(text);
  }
  return record as UserRecord;
}

function fieldsOf(bundle: ServedBundle): ServedBundle["entities"][number]["fields"] {
  const user = bundle.entities.find((entity) => entity.name === "user");
  if (user === undefined) throw new Error("a bundle without the built-in user");
  return user.fields.filter((field) => !field.hidden && !field.secret);
}

/** Postgres writes booleans as t and f. */
function rawValue(text: string): unknown {
  if (text === "t" || text === "f") return text === "t";
  return JSON.parse(text);
}
