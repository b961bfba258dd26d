// Says how long ago. In: two moments in ms. Out: "just now", "5 minutes ago", "in 3 days". Never a clock of its own.

const units: readonly { readonly unit: Intl.RelativeTimeFormatUnit; readonly ms: number }[] = [
  { unit: "year", ms: 365 * 86_400_000 },
  { unit: "month", ms: 30 * 86_400_000 },
  { unit: "day", ms: 86_400_000 },
  { unit: "hour", ms: 3_600_000 },
  { unit: "minute", ms: 60_000 },
];

export function relativeTime(at: number, now: number): string {
  const distance = at - now;
  const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  for (const { unit, ms } of units) {
    if (Math.abs(distance) >= ms) return format.format(Math.trunc(distance / ms), unit);
  }
  return "just now";
}
