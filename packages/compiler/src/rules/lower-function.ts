// Lowers functions of one value: rounding, parts of dates and times, an address in a network. In: the call. Out: SQL that fails on
// no value.
import { type Expression, type FunctionName, parseNetwork, printNetwork } from "@plinth/expression";
import { quoteText } from "../sql/sql-text.ts";
import { asNumeric, usableFloat, within } from "./lower-arithmetic.ts";
import { once } from "./lower-once.ts";
import type { LowerScope } from "./lower-scope.ts";

interface Called {
  readonly name: FunctionName;
  readonly value: Expression;
  /** That of the value. */
  readonly sql: string;
  /** The literal behind it. */
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
    // A number less than nothing by a hair is printed as `-0`.
    const result = name === "round" ? `round(${a}::numeric, ${places})::double precision` : `${name}(${a}) + 0`;
    return `case when ${usableFloat(a)} then ${result} end`;
  });
}

/** Of an instant that the calendar of rules has, in UTC. */
function known(value: Expression, sql: string, made: (at: string) => string, scope: LowerScope): string {
  if (value.type.kind !== "datetime") return made(sql);
  return once(scope, [sql], (a) => `case when ${within(a, value)} then ${made(`(${a} at time zone 'UTC')`)} end`);
}

const octet = String.raw`(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;
const four = String.raw`${octet}(\.${octet}){3}`;
const group = "[0-9A-Fa-f]{1,4}";

/** RFC 4291, 2.2: eight groups, one run of them left out or none, the last two also as an address of IPv4. */
const six = [
  `(${group}:){7}${group}`,
  `(${group}:){1,7}:`,
  ...[1, 2, 3, 4, 5, 6].map((behind) => `(${group}:){1,${7 - behind}}(:${group}){${behind}}`),
  `:(:${group}){1,7}`,
  "::",
  `(${group}:){6}${four}`,
  `::(${group}:){0,5}${four}`,
  ...[1, 2, 3, 4, 5].map((before) => `(${group}:){${before}}:(${group}:){0,${5 - before}}${four}`),
];
const address = `^(${[four, ...six].join("|")})$`;

/**
 * Postgres also takes an address with a network's length, and more notations of IPv4; and before version 16 nothing but the
 * cast itself says whether it takes a text.
 */
function inNetwork(sql: string, network: string, scope: LowerScope): string {
  const parsed = once(scope, [sql], (a) => `case when ${a} ~ ${quoteText(address)} then ${a}::inet end`);
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
