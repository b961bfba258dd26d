// Lowers aggregates over a relation. In: the records with their values, as a SELECT. Out: SQL of one value, which fails
// for no value and doesn't depend on the order of records.
import type { Aggregate, Expression, Quantifier } from "@plinth/expression";
import { DURATION_MAX, usableFloat } from "./lower-arithmetic.ts";

type Each = Extract<Expression, { kind: "each" }>;

export type AggregateOf = Each & { readonly quantifier: Aggregate; readonly value: Expression };

export type QuantifierOf = Each & { readonly quantifier: Quantifier };

export function isAggregate(each: Each): each is AggregateOf {
  return each.value !== undefined;
}

/** SQL over `_judged`, if only some of the records count. */
interface Chosen {
  readonly held: string;
  readonly unknown: string;
}

/** @param records Returns `_value`, and `_held` if only some count. */
export function lowerAggregate({ quantifier, type, value }: AggregateOf, records: string, chosen?: Chosen): string {
  const over = (name: string, of = "_judged._value"): string =>
    `${name}(${of})${chosen === undefined ? "" : ` filter (where ${chosen.held})`}`;
  const known = (result: string): string =>
    chosen === undefined ? result : `case when ${chosen.unknown} then null else ${result} end`;
  const from = `from (${records}) _judged`;
  if (quantifier === "min" || quantifier === "max")
    return `(select ${known(over(quantifier, type.kind === "text" ? '_judged._value collate "C"' : undefined))} ${from})`;
  const parts = (sum: string): string => `(select ${known(sum)} as _sum, ${over("count")} as _count ${from}) _total`;
  switch (type.kind) {
    case "float": {
      const fine = over("bool_and", usableFloat("_judged._value"));
      const sum = `case when ${fine} is not false then ${total(over, "_judged._value::numeric")} end`;
      const made = quantifier === "sum" ? "" : " / nullif(_total._count, 0)::double precision";
      return `(select case when ${usableFloat("_total._sum")} then _total._sum::double precision${made} end from ${parts(sum)})`;
    }
    case "duration":
      return sumOfDurations(known(total(over, "extract(epoch from _judged._value) * 1000000")), from);
    default:
      return quantifier === "sum"
        ? `(select ${known(total(over, exactSource(value)))} ${from})`
        : `(select div(_total._sum * 10000000000, nullif(_total._count, 0)) * 0.0000000001 from ${parts(total(over, "_judged._value::numeric"))})`;
  }
}

/** Zero if there is nothing to add up. */
function total(over: (name: string, of: string) => string, of: string): string {
  return `coalesce(${over("sum", of)}, 0)`;
}

/** The sum of integer columns already has a wider type; a literal doesn't. */
function exactSource({ kind }: Expression): string {
  return kind === "literal" ? "_judged._value::numeric" : "_judged._value";
}

/** The sum of many intervals would leave the range of intervals. */
function sumOfDurations(micros: string, from: string): string {
  const whole = "(div(_total._sum, 1000000)::text || ' seconds')::interval";
  const rest = "(mod(_total._sum, 1000000)::text || ' microseconds')::interval";
  const most = `extract(epoch from '${DURATION_MAX}'::interval) * 1000000`;
  return `(select case when abs(_total._sum) <= ${most} then ${whole} + ${rest} end from (select ${micros} as _sum ${from}) _total)`;
}
