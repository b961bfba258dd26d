// Checks a call of a function of one value: rounding, parts of a date or time, an address in a network. In: its syntax.
// Out: a typed operation, or problems.
import { networkProblem } from "./address.ts";
import { typedAs } from "./check-pair.ts";
import { type Checking, report } from "./checking.ts";
import type { Syntax } from "./syntax.ts";
import type { Expression, FunctionName, Type } from "./tree.ts";
import { bool, isNumber, isText, nameOf } from "./types.ts";

type Call = Extract<Syntax, { kind: "call" }>;

/** The maximum number of decimal places for rounding. */
const PLACES_MAX = 20;

interface Taken {
  /** The type as which an untyped value of background work is read. */
  readonly as: Type;
  readonly takes: readonly Type["kind"][];
  readonly what: string;
  readonly example: string;
}

const numbers: readonly Type["kind"][] = ["int", "decimal", "float"];
const days: readonly Type["kind"][] = ["date", "datetime"];
const clocks: readonly Type["kind"][] = ["time", "datetime"];

const taken: Readonly<Record<FunctionName, Taken>> = {
  round: { as: { kind: "decimal" }, takes: numbers, what: "a number", example: "`round(price, 2)`" },
  floor: { as: { kind: "decimal" }, takes: numbers, what: "a number", example: "`floor(price)`" },
  ceil: { as: { kind: "decimal" }, takes: numbers, what: "a number", example: "`ceil(price)`" },
  abs: { as: { kind: "decimal" }, takes: numbers, what: "a number", example: "`abs(price)`" },
  year: { as: { kind: "datetime" }, takes: days, what: "a date or datetime", example: "`year(created_at)`" },
  month: { as: { kind: "datetime" }, takes: days, what: "a date or datetime", example: "`month(created_at)`" },
  day: { as: { kind: "datetime" }, takes: days, what: "a date or datetime", example: "`day(created_at)`" },
  weekday: { as: { kind: "datetime" }, takes: days, what: "a date or datetime", example: "`weekday(created_at)`" },
  hour: { as: { kind: "datetime" }, takes: clocks, what: "a time or datetime", example: "`hour(created_at)`" },
  minute: { as: { kind: "datetime" }, takes: clocks, what: "a time or datetime", example: "`minute(created_at)`" },
  date: { as: { kind: "datetime" }, takes: ["datetime"], what: "a datetime", example: "`date(created_at)`" },
  in_cidr: {
    as: { kind: "text" },
    takes: ["text"],
    what: "an address as text",
    example: '`in_cidr(request.ip, "10.0.0.0/8")`',
  },
};

export const functionNames: readonly FunctionName[] = Object.keys(taken) as FunctionName[];

export function isFunction(name: string): name is FunctionName {
  return Object.hasOwn(taken, name);
}

export function checkFunction(call: Call, name: FunctionName, checking: Checking): Expression | null {
  const { as, takes, what, example } = taken[name];
  const [argument, second, more] = call.args;
  const most = name === "round" || name === "in_cidr" ? 2 : 1;
  const isShort = argument === undefined || (name === "in_cidr" && second === undefined);
  if (isShort || more !== undefined || (second !== undefined && most === 1)) {
    return report(
      checking,
      call,
      "wrong_arguments",
      `\`${name}\` has wrong arguments.`,
      `Write it like this: ${example}.`,
    );
  }
  const found = checking.check(argument, isNumber(as) ? null : as, checking);
  const value = found === null ? null : typedAs(found, as, checking);
  if (value === null) return null;
  if (!takes.includes(value.type.kind) && !(takes.includes("text") && isText(value.type))) {
    const message = `\`${name}\` needs ${what}, but this has the type ${nameOf(value.type)}.`;
    return report(checking, argument, "type_mismatch", message);
  }
  if (name === "round" && second !== undefined) return checkRound(value, second, checking);
  if (name === "in_cidr" && second !== undefined) return checkNetwork(value, second, checking);
  return { kind: "operation", type: typeOf(name, value.type), operator: name, args: [value] };
}

function typeOf(name: FunctionName, of: Type): Type {
  switch (name) {
    case "abs":
      return of;
    case "round":
    case "floor":
    case "ceil":
      return of.kind === "float" ? of : { kind: "int" };
    case "date":
      return { kind: "date" };
    case "in_cidr":
      return bool;
    default:
      return { kind: "int" };
  }
}

/** A whole number stays a whole number. */
function checkRound(value: Expression, second: Syntax, checking: Checking): Expression | null {
  const places = checking.check(second, { kind: "int" }, checking);
  if (places === null) return null;
  const count = places.kind === "literal" && typeof places.value === "number" ? places.value : -1;
  if (places.type.kind !== "int" || count < 0 || count > PLACES_MAX) {
    const message = `The decimal places of \`round\` must be a number from 0 to ${PLACES_MAX}.`;
    return report(checking, second, "wrong_arguments", message, "Write it like this: `round(price, 2)`.");
  }
  return { kind: "operation", type: value.type, operator: "round", args: [value, places] };
}

function checkNetwork(value: Expression, second: Syntax, checking: Checking): Expression | null {
  const network = checking.check(second, { kind: "text" }, checking);
  if (network === null) return null;
  if (network.kind !== "literal" || typeof network.value !== "string") {
    const hint = 'Write it like this: `in_cidr(request.ip, "10.0.0.0/8")`.';
    return report(checking, second, "wrong_arguments", "The network of `in_cidr` must be a text in quotes.", hint);
  }
  const problem = networkProblem(network.value);
  if (problem !== null) return report(checking, second, "wrong_arguments", problem.message, problem.hint);
  return { kind: "operation", type: bool, operator: "in_cidr", args: [value, network] };
}
