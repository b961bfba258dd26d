import { describe, expect, test } from "vitest";
import { refusalOf } from "./statement-text.ts";

const schema = "t_00000000000000000001";

describe("the lexer accepts the compiler's statements", () => {
  test.each([
    [
      `SELECT l."id", to_char(l."at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') FROM "${schema}"."listings" l`,
    ],
    [`INSERT INTO "${schema}"."listings" ("id", "name") VALUES ($1::uuid, $2) RETURNING "id"`],
    [`INSERT INTO ${schema}.listings (id) SELECT id FROM unnest($1::uuid[]) AS u (id) ON CONFLICT (id) DO NOTHING`],
    [`WITH cur (id) AS (SELECT id FROM ${schema}.a WHERE id = $1 FOR UPDATE), b AS (DELETE FROM ${schema}.a) SELECT 1`],
    [`SELECT coalesce((a."x" = $1 and a."x" is not null), false) and (a."y" in ('p', 'q')) FROM ${schema}.a`],
    [
      `SELECT jsonb_build_object('it''s', a.x)::text, count(*) FILTER (WHERE a.y) OVER (PARTITION BY a.z) FROM ${schema}.a`,
    ],
    [`SELECT '; -- /* pg_read_file(' AS "pg_read_file", x::numeric(12, 2), CAST(x AS varchar(3)) FROM ${schema}.a`],
    [`UPDATE ${schema}.a SET (x, y) = (SELECT 1, 2) WHERE EXISTS (SELECT FROM ${schema}.b) RETURNING ${schema}.own(x)`],
    [`SELECT (chr(92) || 'x'), ARRAY(SELECT 1), ROW(1, 2), 1.5e3, a.x[1:2] FROM ${schema}.a LIMIT ($1)`],
  ])("%s", (text) => {
    expect(refusalOf(text, schema)).toBeNull();
  });
});

describe("the lexer refuses", () => {
  test.each([
    ["SELECT pg_read_file('/etc/passwd')", "a call of pg_read_file"],
    ["SELECT pg_catalog.pg_read_file('/etc/passwd')", "a call of pg_catalog.pg_read_file"],
    ["SELECT \"pg_read_file\"('x')", "a call of pg_read_file"],
    ['SELECT "pg_catalog" . "pg_sleep" (1)', "a call of pg_catalog.pg_sleep"],
    ["SELECT PG_SLEEP\n(1)", "a call of pg_sleep"],
    ["SELECT 1, set_config('a', 'b', false)", "a call of set_config"],
    ["SELECT current_setting('x')", "a call of current_setting"],
    ["SELECT public.anything(1)", "a call of public.anything"],
    ["SELECT t_00000000000000000002.lower('x')", "a call of t_00000000000000000002.lower"],
    ["SELECT nextval('t_00000000000000000002.s')", "a call of nextval"],
    ["SELECT query_to_xml('select 1', true, true, '')", "a call of query_to_xml"],
    ["SELECT lo_import('/etc/passwd')", "a call of lo_import"],
    ["SELECT dblink('x')", "a call of dblink"],
    ["SELECT 1; DROP TABLE x", "more than one statement"],
    ["SELECT 1 -- x", "a comment"],
    ["SELECT 1 /* x */", "a comment"],
    ["SELECT E'\\' || pg_sleep(1) || \\''", "a prefixed string"],
    ["SELECT U&'\\0041'", "a prefixed string"],
    ['SELECT u&"pg\\005fsleep"(1)', "a prefixed string"],
    ["SELECT $a$ x $a$", "a dollar-quoted string"],
    ["SELECT $$ x $$", "a dollar-quoted string"],
    ["SELECT 'x", "an unterminated quote"],
    ["SELECT 1pg_sleep(1)", "a number that runs into something else"],
    ["SELECT 1..pg_sleep(1)", "a number that runs into something else"],
    ["SELECT $1pg_sleep(1)", "a call of pg_sleep"],
    ["SELECT pg_sleep\u00a0(1)", "a character outside ASCII"],
    ["SELECT 1 INTO t_00000000000000000002.x", "SELECT INTO"],
    ["SELECT 'plinth.releases'::regclass", "the word regclass"],
    ["SELECT * FROM information_schema.tables", "the word information_schema"],
  ])("%s", (text, reason) => {
    expect(refusalOf(text, schema)).toBe(reason);
  });
});
