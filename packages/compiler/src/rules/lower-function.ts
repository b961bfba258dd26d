// Lowers functions of one value: rounding, parts of dates and times, an address in a network. In: the call. Out: SQL
// that fails for no value.
import { type Expression, type FunctionName, parseNetwork, printNetwork } from "@plinth/expression";
import { quoteText } from "../sql/sql-text.ts";
import { asNumeric, usableFloat, within } from "./lower-arithmetic.ts";
import { once } from "./lower-once.ts";
import type { LowerScope } from "./lower-scope.ts";

interface Called {
  readonly name: FunctionName;
  readonly value: Expression;
  /** The type of the value. */
  readonly sql: string;
  /** The literal argument. */
  readonly second: Expression | undefined;
}

export function lowerFunction(called: Called, scope: LowerScope): string {
  const { name, value, sql, second } = called;
  switch (name) {
    case "round":
    case "floor":
    case "ceil":
    case "abs":
      return ofNumber(name, called, scope);
    case "in_cidr":
      return inNetwork(sql, textOf(second), scope);
    case "date":
      return known(value, sql, (at) => `${at}::date`, scope);
    case "weekday":
      return known(value, sql, (at) => `extract(isodow from ${at})`, scope);
    default:
      return known(value, sql, (at) => `extract(${name} from ${at})`, scope);
  }
}

function ofNumber(name: "round" | "floor" | "ceil" | "abs", called: Called, scope: LowerScope): string {
  const { value, sql } = called;
  const places = placesOf(called.second);
  if (value.type.kind !== "float") {
    const exact = asNumeric(value, sql);
    return name === "round" ? `round(${exact}, ${places})` : `${name}(${exact})`;
  }
  return once(scope, [sql], (a) => {
    // A tiny negative number would be printed as `-0`.
    const result = name === "round" ? `round(${a}::numeric, ${places})::double precision` : `${name}(${a}) + 0`;
    return `case when ${usableFloat(a)} then ${result} end`;
  });
}

/** For an instant within the years that rules support, in UTC. */
function known(value: Expression, sql: string, made: (at: string) => string, scope: LowerScope): string {
  if (value.type.kind !== "datetime") return made(sql);
  return once(scope, [sql], (a) => `case when ${within(a, value)} then ${made(`(${a} at time zone 'UTC')`)} end`);
}

const octet = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
const four = `${octet}[.]${octet}[.]${octet}[.]${octet}`;
const group = "[0-9a-f][0-9a-f]?[0-9a-f]?[0-9a-f]?";
const groups = `${group}(:${group})*`;
const six = `${groups}(:${four})?|(${groups})?::(${groups}(:${four})?|${four})?`;

/**
 * RFC 4291, 2.2, in lower case: eight groups, with at most one run of zeros left out; an IPv4 address at the end counts
 * as two.
 */
function isAddress(a: string): string {
  const count = `cardinality(array_remove(string_to_array(${a}, ':'), '')) + (strpos(${a}, '.') > 0)::integer`;
  const isWhole = `case when strpos(${a}, '::') > 0 then ${count} < 8 else ${count} = 8 end`;
  return `(${a} ~ '^(${four})$' or ${a} ~ '^(${six})$' and ${isWhole})`;
}

/**
 * Postgres also accepts an address with a prefix length, and more IPv4 notations; and before version 16, only the cast
 * itself shows whether it accepts a text.
 */
function inNetwork(sql: string, network: string, scope: LowerScope): string {
  const parsed = once(scope, [`lower(${sql})`], (a) => `case when ${isAddress(a)} then ${a}::inet end`);
  return once(scope, [parsed], (a) => {
    const mapped = `'0.0.0.0'::inet + (${a} - '::ffff:0:0'::inet)`;
    return `(case when ${a} <<= '::ffff:0:0/96'::inet then ${mapped} else ${a} end) <<= ${quoteText(network)}::inet`;
  });
}

function placesOf(second: Expression | undefined): number {
  return second?.kind === "literal" && typeof second.value === "number" ? second.value : 0;
}

function textOf(second: Expression | undefined): string {
  const network = second?.kind === "literal" ? parseNetwork(String(second.value)) : null;
  if (network === null) throw new Error("a network is a literal");
  return printNetwork(network);
}
