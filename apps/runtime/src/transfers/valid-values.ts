// Finds staged texts that are not values of their field's type. In: a field and its staged column. Out: marks. Postgres
// 16 has a function for this. In older versions, a function of this session tries each text.
import { type BulkTransaction, quoteLiteral } from "@plinth/postgres";
import type { StoredField } from "../query/entity-view.ts";
import type { RefusedRows } from "./refused-rows.ts";

const SINCE = 160_000;

export async function markInvalid(
  open: BulkTransaction,
  refused: RefusedRows,
  { name, sqlType }: StoredField,
  staged: string,
): Promise<void> {
  if (sqlType === "text") return;
  const isValid = await validity(open);
  const invalid = `SELECT _n FROM pg_temp._rows _s WHERE _s.${staged} IS NOT NULL
    AND NOT ${isValid}(_s.${staged}, ${quoteLiteral(sqlType)})`;
  await refused.mark(invalid, name, "wrong_type", `It is not a value of the type ${sqlType}.`);
}

async function validity({ client, asCell }: BulkTransaction): Promise<string> {
  const { rows } = await client.query<{ version: number }>(
    "SELECT current_setting('server_version_num')::int AS version",
  );
  if ((rows[0]?.version ?? 0) >= SINCE) return "pg_catalog.pg_input_is_valid";
  await asCell((cell) => cell.query(TRY_INPUT));
  return "pg_temp._is_valid";
}

/** The exception replaces the function of Postgres 16, with the same answer for each text. */
const TRY_INPUT = `
  CREATE OR REPLACE FUNCTION pg_temp._is_valid(_text text, _type text) RETURNS boolean LANGUAGE plpgsql AS $body$
  BEGIN
    EXECUTE format('SELECT %L::%s', _text, _type);
    RETURN true;
  EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    RETURN false;
  END $body$`;
