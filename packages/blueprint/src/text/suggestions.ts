// Suggests names. In: an unknown word, and the known words. Out: a hint for a diagnostic.
import { didYouMean } from "@plinth/expression";
import { DIAGNOSTICS_MAX, type Report } from "./report.ts";

/** Searching thousands of names for each of thousands of words would take minutes. */
const spent = new WeakMap<Report, number>();

/** Like `didYouMean`; null from the hundredth call on, when no more diagnostics are shown. */
export function suggestFor(word: string, known: Iterable<string>, report: Report): string | null {
  const before = spent.get(report) ?? 0;
  if (before >= DIAGNOSTICS_MAX) return null;
  spent.set(report, before + 1);
  return didYouMean(word, known);
}
