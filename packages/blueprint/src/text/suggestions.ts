// In: a word that is unknown, and the words that are known. Out: a hint for a diagnostic, as long as anybody will read it.
import { didYouMean } from "@plinth/expression";
import { DIAGNOSTICS_MAX, type Report } from "./report.ts";

/** A search through thousands of names for each of thousands of words would take minutes. */
const spent = new WeakMap<Report, number>();

/** As `didYouMean`; null from the hundredth time on, when no more diagnostics are shown. */
export function suggestFor(word: string, known: Iterable<string>, report: Report): string | null {
  const before = spent.get(report) ?? 0;
  if (before >= DIAGNOSTICS_MAX) return null;
  spent.set(report, before + 1);
  return didYouMean(word, known);
}
