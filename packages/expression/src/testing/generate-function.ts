// Test-only. In: a kind of value, and a generator of values. Out: a call of a function that returns this kind, or a
// calculation with dates; null if there is none.
import type { Aggregate, Expression, FunctionName, Operator, Type } from "../tree.ts";
import type { Draw } from "./generate-values.ts";

type Made = "int" | "decimal" | "float" | "date" | "time" | "datetime" | "duration" | "text";

const int: Type = { kind: "int" };
const networks: readonly string[] = ["203.0.113.0/24", "0.0.0.0/0", "10.1.2.3/32", "2001:db8::/32", "::/0"];

export function generateCall(kind: string, draw: Draw, make: (kind: Made) => Expression): Expression | null {
  switch (kind) {
    case "int":
      return draw.chance(30)
        ? call("-", int, make("date"), make("date"))
        : draw.chance(50)
          ? whole(make(draw.pick(["int", "decimal"])), draw)
          : part(draw, make);
    case "decimal":
    case "float": {
      const value = make(kind);
      if (draw.chance(30)) return call("abs", value.type, value);
      return draw.chance(50) ? rounded(value, draw) : whole(value, draw);
    }
    case "date":
      return draw.chance(40)
        ? call("date", { kind }, make("datetime"))
        : call(draw.pick(["+", "-"]), { kind }, make(kind), draw.chance(50) ? days(draw) : make("int"));
    case "datetime":
      return draw.chance(60) ? null : call(draw.pick(["+", "-"]), { kind }, make("date"), make("duration"));
    case "bool":
      return call("in_cidr", { kind }, make("text"), {
        kind: "literal",
        type: { kind: "text" },
        value: draw.pick(networks),
      });
    default:
      return null;
  }
}

function part(draw: Draw, make: (kind: Made) => Expression): Expression {
  const name: FunctionName = draw.pick(["year", "month", "day", "weekday", "hour", "minute"]);
  const ofClock = name === "hour" || name === "minute";
  return call(name, int, make(draw.chance(50) ? "datetime" : ofClock ? "time" : "date"));
}

function whole(value: Expression, draw: Draw): Expression {
  const type: Type = value.type.kind === "float" ? value.type : int;
  return call(draw.pick(["floor", "ceil", "round"]), type, value);
}

function rounded(value: Expression, draw: Draw): Expression {
  return call("round", value.type, value, { kind: "literal", type: int, value: draw.pick([0, 1, 2, 7]) });
}

function days(draw: Draw): Expression {
  return { kind: "literal", type: int, value: draw.pick([0, 1, 30, 366, 3_000_000, 100_000_000]) };
}

function call(operator: Operator, type: Type, ...args: readonly Expression[]): Expression {
  return { kind: "operation", type, operator, args };
}

/** Aggregates that return a kind from the values of many records. */
export const aggregatesOf: Readonly<Partial<Record<string, readonly Aggregate[]>>> = {
  int: ["sum", "min", "max"],
  decimal: ["sum", "sum", "min", "max", "avg", "avg"],
  float: ["sum", "min", "max", "avg"],
  duration: ["sum", "min", "max"],
  text: ["min", "max"],
  date: ["min", "max"],
  time: ["min", "max"],
  datetime: ["min", "max"],
};
