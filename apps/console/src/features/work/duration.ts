// A duration as text. In: milliseconds. Out: at most two units, so that values in a column are easy to compare. Pure.

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
] as const;

export function durationText(ms: number): string {
  if (ms < 1) return "< 1 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const at = units.findIndex(([, size]) => ms >= size);
  const parts = units.slice(at, at + 2).map(([name, size], index, pair) => {
    const rest = index === 0 ? ms : ms % (pair[0]?.[1] ?? 1);
    return [Math.floor(rest / size), name] as const;
  });
  return parts.flatMap(([count, name], index) => (count === 0 && index > 0 ? [] : [`${count} ${name}`])).join(" ");
}
