// Formats the results. In: the rounds of each workload and target. Out: medians with their range, ratios, Markdown.
import type { Round } from "./load.ts";

export interface Figure {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export interface Measurement {
  readonly workload: string;
  readonly target: string;
  readonly requestsPerSecond: Figure;
  readonly p50Ms: Figure;
  readonly p99Ms: Figure;
  readonly cpuUsPerRequest: Figure;
  readonly serverCpuUsPerRequest: Figure;
  readonly serverMemoryMb: Figure;
  readonly driverCpu: Figure;
}

/** Our figure divided by another target's, for each round, so that temporary load of the machine cancels out. */
export interface Ratio {
  readonly workload: string;
  readonly comparedWith: string;
  readonly requestsPerSecond: Figure;
  readonly cpuUsPerRequest: Figure;
}

export function summarize(workload: string, target: string, rounds: readonly Round[]): Measurement {
  const figure = (pick: (round: Round) => number) => figureOf(rounds.map(pick));
  return {
    workload,
    target,
    requestsPerSecond: figure((round) => round.requestsPerSecond),
    p50Ms: figure((round) => round.p50Ms),
    p99Ms: figure((round) => round.p99Ms),
    cpuUsPerRequest: figure((round) => round.cpuUsPerRequest),
    serverCpuUsPerRequest: figure((round) => round.serverCpuUsPerRequest),
    serverMemoryMb: figure((round) => round.serverMemoryMb),
    driverCpu: figure((round) => round.driverCpu),
  };
}

export function compare(
  workload: string,
  comparedWith: string,
  ours: readonly Round[],
  theirs: readonly Round[],
): Ratio {
  const ratio = (pick: (round: Round) => number) =>
    figureOf(ours.map((round, i) => pick(round) / pick(theirs[i] as Round)));
  return {
    workload,
    comparedWith,
    requestsPerSecond: ratio((round) => round.requestsPerSecond),
    cpuUsPerRequest: ratio((round) => round.cpuUsPerRequest),
  };
}

export function toMarkdown(measurements: readonly Measurement[], ratios: readonly Ratio[]): string {
  const rows = measurements.map((m) => [
    m.workload,
    m.target,
    range(m.requestsPerSecond, 0),
    range(m.p50Ms, 1),
    range(m.p99Ms, 1),
    range(m.cpuUsPerRequest, 0),
    m.serverMemoryMb.median === 0 ? "" : m.serverMemoryMb.median.toFixed(0),
    `${(m.driverCpu.median * 100).toFixed(0)} %`,
  ]);
  const against = ratios.map((r) => [
    r.workload,
    r.comparedWith,
    range(r.requestsPerSecond, 2),
    range(r.cpuUsPerRequest, 2),
  ]);
  return [
    table(["workload", "target", "requests/s", "p50 ms", "p99 ms", "CPU µs/request", "server MB", "driver CPU"], rows),
    "Our figures divided by those of each other target, in the same rounds:",
    table(["workload", "compared with", "requests/s", "CPU per request"], against),
  ].join("\n\n");
}

function figureOf(values: readonly number[]): Figure {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  return { median: at(Math.floor(sorted.length / 2)), min: at(0), max: at(sorted.length - 1) };
}

function range(figure: Figure, digits: number): string {
  const text = (value: number) => value.toFixed(digits);
  return `${text(figure.median)} (${text(figure.min)} to ${text(figure.max)})`;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
