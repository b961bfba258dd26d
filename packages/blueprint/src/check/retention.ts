// Reads how long something is kept. In: a text such as `90d` or `12w`. Out: days, or a diagnostic.
import type { Report } from "../text/report.ts";
import type { Word } from "../text/syntax.ts";

/** A hundred years. */
const RETENTION_DAYS_MAX = 36_500;

export function readRetention({ text, range }: Word, report: Report): number | null {
  const [, count, unit] = /^(\d{1,5})([dw])$/.exec(text) ?? [];
  const days = Number(count) * (unit === "w" ? 7 : 1);
  if (days >= 1 && days <= RETENTION_DAYS_MAX) return days;
  const [, number, word = ""] = /^(\d{1,5})\s*(d|w)[a-z]*$/i.exec(text) ?? [];
  const hint =
    number !== undefined && count === undefined
      ? `Write \`${number}${word.toLowerCase()}\`.`
      : count === undefined
        ? "Write a number with `d` or `w`: `90d` or `12w`."
        : `Use a value from \`1d\` to \`${RETENTION_DAYS_MAX}d\`, or less if the operator of this Plinth allows less.`;
  report.add("invalid_option", range, "`retention` must be a number of days or weeks.", hint);
  return null;
}
