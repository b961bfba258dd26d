// Says how long ago, or how long still. In: two moments in ms. Out: "just now", "5 minutes ago", "in 3 days". Never a clock of its own.
// What is past counts whole units. What is to come is rounded: two days less a minute are "in 2 days".

const units: readonly { readonly unit: Intl.RelativeTimeFormatUnit; readonly ms: number }[] = [
  { unit: "year", ms: 365 * 86_400_000 },
  { unit: "month", ms: 30 * 86_400_000 },
  { unit: "day", ms: 86_400_000 },
  { unit: "hour", ms: 3_600_000 },
  { unit: "minute", ms: 60_000 },
];

export function relativeTime(at: number, now: number): string {
  const distance = at - now;
  // Always a number: "tomorrow" and "yesterday" are days of a calendar, not 24 hours.
  const format = new Intl.RelativeTimeFormat("en", { numeric: "always" });
  for (const [index, { unit, ms }] of units.entries()) {
    if (distance < 0 && -distance >= ms) return format.format(Math.trunc(distance / ms), unit);
    const finer = units[index + 1]?.ms ?? ms;
    if (Math.round(distance / finer) * finer >= ms) return format.format(Math.round(distance / ms), unit);
  }
  return "just now";
}
