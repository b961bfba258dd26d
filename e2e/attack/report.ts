// Computes and formats the results. In: the rounds of each attack. Out: medians, verdicts, a Markdown table. A verdict
// is printed and never asserted, because times say little on a busy machine.
import type { Attack, Outcome } from "./attack.ts";
import type { Window } from "./window.ts";

export interface Round {
  readonly quiet: Window;
  readonly attacked: Window;
}

export interface Figures {
  readonly name: string;
  readonly about: string;
  readonly rounds: number;
  readonly quietP50Ms: number;
  readonly quietP99Ms: number;
  readonly attackedP50Ms: number;
  readonly attackedP99Ms: number;
  /** The p99 of each round; the median over the rounds. */
  readonly ratio: number;
  readonly differenceMs: number;
  /** The neighbour's failed requests in all rounds, and their total number. */
  readonly failed: number;
  readonly sent: number;
  readonly quietStallMs: number | null;
  readonly attackedStallMs: number | null;
  /** The maximum of the runtime and its children in any round, and in the quiet window before that round. */
  readonly memoryMb: number;
  readonly quietMemoryMb: number;
  readonly outcomes: readonly Readonly<Record<string, Outcome>>[];
  /** The problems; empty if there are none. */
  readonly misses: readonly string[];
}

export const bounds = {
  ratio: 1.2,
  differenceMs: 3,
  /** All attacks at once. */
  ratioOfAll: 2,
  stallMs: 20,
  memoryMb: 512,
  /** A process rarely gives back memory that an earlier attack has used. So an attack is charged with the increase. */
  memoryGrowthMb: 32,
} as const;

export function figuresOf(name: string, about: string, parts: readonly Attack[], rounds: readonly Round[]): Figures {
  const stall = (pick: (round: Round) => Window): number | null => {
    const known = rounds.map((round) => pick(round).stallMs).filter((ms) => ms !== null);
    return known.length === 0 ? null : median(known);
  };
  const figure = (pick: (round: Round) => number): number => median(rounds.map(pick));
  const largest = rounds.reduce((most, round) => (round.attacked.memoryMb > most.attacked.memoryMb ? round : most));
  const figures = {
    name,
    about,
    rounds: rounds.length,
    quietP50Ms: figure(({ quiet }) => quiet.victim.p50Ms),
    quietP99Ms: figure(({ quiet }) => quiet.victim.p99Ms),
    attackedP50Ms: figure(({ attacked }) => attacked.victim.p50Ms),
    attackedP99Ms: figure(({ attacked }) => attacked.victim.p99Ms),
    ratio: figure(({ quiet, attacked }) => attacked.victim.p99Ms / quiet.victim.p99Ms),
    differenceMs: figure(({ quiet, attacked }) => attacked.victim.p99Ms - quiet.victim.p99Ms),
    failed: rounds.reduce((sum, { attacked }) => sum + attacked.victim.failed, 0),
    sent: rounds.reduce((sum, { attacked }) => sum + attacked.victim.sent, 0),
    quietStallMs: stall(({ quiet }) => quiet),
    attackedStallMs: stall(({ attacked }) => attacked),
    memoryMb: largest.attacked.memoryMb,
    quietMemoryMb: largest.quiet.memoryMb,
    outcomes: rounds.map(({ attacked }) => attacked.outcomes),
  };
  return { ...figures, misses: [...missesOf(figures, parts.length > 1), ...missesOfParts(parts, rounds)] };
}

function missesOf(figures: Omit<Figures, "misses">, isAll: boolean): string[] {
  const { ratio, differenceMs, failed, attackedStallMs, memoryMb, quietMemoryMb } = figures;
  const isSlow = isAll ? ratio > bounds.ratioOfAll : ratio > bounds.ratio && differenceMs > bounds.differenceMs;
  return [
    ...(isSlow ? ["p99"] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(attackedStallMs !== null && attackedStallMs > bounds.stallMs ? ["stall"] : []),
    ...(memoryMb > bounds.memoryMb && memoryMb - quietMemoryMb > bounds.memoryGrowthMb ? ["memory"] : []),
  ];
}

/** Each problem once, even if several rounds had it. */
function missesOfParts(parts: readonly Attack[], rounds: readonly Round[]): string[] {
  const found = parts.flatMap((attack) =>
    rounds.flatMap(({ attacked }) => {
      const outcome = attacked.outcomes[attack.name] as Outcome;
      const misses = [...(attack.problems?.(outcome) ?? []), ...(attack.lateness?.(outcome) ?? [])];
      return parts.length === 1 ? misses : misses.map((miss) => `${attack.name} ${miss}`);
    }),
  );
  return [...new Set(found)];
}

export function toMarkdown(all: readonly Figures[]): string {
  const rows = all.map((f) => [
    f.name,
    `${ms(f.quietP50Ms)} / ${ms(f.quietP99Ms)}`,
    `${ms(f.attackedP50Ms)} / ${ms(f.attackedP99Ms)}`,
    `${f.ratio.toFixed(1)} (${f.differenceMs >= 0 ? "+" : ""}${ms(f.differenceMs)})`,
    `${f.failed} of ${f.sent}`,
    f.quietStallMs === null || f.attackedStallMs === null ? "" : `${ms(f.quietStallMs)} > ${ms(f.attackedStallMs)}`,
    `${f.quietMemoryMb.toFixed(0)} > ${f.memoryMb.toFixed(0)}`,
    answersOf(f),
    f.misses.length === 0 ? "pass" : `FAIL: ${f.misses.join("; ")}`,
  ]);
  const head = [
    "attack",
    "quiet p50 / p99 ms",
    "attacked p50 / p99 ms",
    "p99 ratio (ms)",
    "failed",
    "longest stall ms",
    "MB at most",
    "the attacker's answers (last round)",
    "verdict",
  ];
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [
    [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n"),
    `Bounds: p99 <= ${bounds.ratio} times or +${bounds.differenceMs} ms (all at once: ${bounds.ratioOfAll} times), no failed request, stalls <= ${bounds.stallMs} ms, <= ${bounds.memoryMb} MB.`,
  ].join("\n\n");
}

/** `200 x12, 429 x3, look_ups 7`, from the last round. */
export function answersOf({ outcomes }: Pick<Figures, "outcomes">): string {
  const last = outcomes.at(-1) ?? {};
  const named = Object.keys(last).length > 1;
  return Object.entries(last)
    .map(([name, { statuses, facts }]) => {
      const counts = Object.entries(statuses).map(([status, count]) => `${status === "0" ? "none" : status} x${count}`);
      const rest = Object.entries(facts).map(([fact, value]) => `${fact} ${value ?? "never"}`);
      return `${named ? `${name}: ` : ""}${[...counts, ...rest].join(", ")}`;
    })
    .join("<br>");
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function ms(value: number): string {
  return value.toFixed(value < 100 ? 1 : 0);
}
