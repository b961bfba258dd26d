// A time relative to now. In: two times in ms; it reads no clock. Out: "just now", "5 minutes ago", "in 3 days". The past counts whole
// units. The future is rounded: two days minus one minute is "in 2 days".

const units: readonly { readonly unit: Intl.RelativeTimeFormatUnit; readonly ms: number }[] = [
  { unit: "year", ms: 365 * 86_400_000 },
  { unit: "month", ms: 30 * 86_400_000 },
  { unit: "day", ms: 86_400_000 },
  { unit: "hour", ms: 3_600_000 },
  { unit: "minute", ms: 60_000 },
];

export function relativeTime(at: number, now: number): string {
  const distance = at - now;
  // Always a number, because "tomorrow" and "yesterday" are calendar days, not 24 hours.
  const format = new Intl.RelativeTimeFormat("en", { numeric: "always" });
  for (const [index, { unit, ms }] of units.entries()) {
    if (distance < 0 && -distance >= ms) return format.format(Math.trunc(distance / ms), unit);
    const finer = units[index + 1]?.ms ?? ms;
    if (Math.round(distance / finer) * finer >= ms) return format.format(Math.round(distance / ms), unit);
  }
  return "just now";
}
