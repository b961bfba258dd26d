// Measures memory under load. In: servers that have just started. Out: their resident memory before and after W1 to W4,
// with the same number of requests in turn; the maximum; and the ratio between ours and the others.
import { residentMb, residentPeakMb } from "./cpu.ts";
import { sendAmount } from "./drivers/autocannon.ts";
import { type Target, workOf } from "./load.ts";
import { table } from "./report.ts";
import { workloads as all, type Workload } from "./workloads.ts";

/** The workloads that every server supports. */
const workloads = all.filter((workload) => workload !== "W5");

export interface MemoryFigure {
  readonly server: string;
  readonly requestsPerWorkload: number;
  readonly startMb: number;
  readonly afterMb: Readonly<Record<Workload, number>>;
  /** The maximum since the process started. */
  readonly peakMb: number;
}

/** About the number of W3 requests that ours answers in a second. */
const requestsPerSecond = 5_000;

export async function measureMemory(
  targets: Readonly<Record<string, Target>>,
  seconds: number,
): Promise<readonly MemoryFigure[]> {
  const requestsPerWorkload = requestsPerSecond * seconds;
  const figures: MemoryFigure[] = [];
  for (const [server, target] of Object.entries(targets)) {
    console.error(`memory of ${server}`);
    const startMb = residentMb(target.serverPid);
    const afterMb = { W1: 0, W2: 0, W3: 0, W4: 0, W5: 0 };
    for (const workload of workloads) {
      await sendAmount(workOf(target, workload), requestsPerWorkload);
      afterMb[workload] = residentMb(target.serverPid);
    }
    figures.push({ server, requestsPerWorkload, startMb, afterMb, peakMb: residentPeakMb(target.serverPid) });
  }
  return figures;
}

export function memoryTable(figures: readonly MemoryFigure[]): string {
  const [ours] = figures;
  if (ours === undefined) return "";
  const beside = (other: MemoryFigure): string =>
    other === ours
      ? ""
      : `${(ours.afterMb.W4 / other.afterMb.W4).toFixed(2)} (${(ours.peakMb / other.peakMb).toFixed(2)})`;
  const rows = figures.map((figure) => [
    figure.server,
    figure.startMb.toFixed(0),
    ...workloads.map((workload) => figure.afterMb[workload].toFixed(0)),
    figure.peakMb.toFixed(0),
    beside(figure),
  ]);
  return [
    `Resident memory in MB: of a server that has just started, after ${ours.requestsPerWorkload.toLocaleString("en")} requests of each workload in turn, and the maximum:`,
    table(
      [
        "server",
        "at the start",
        ...workloads.map((workload) => `after ${workload}`),
        "maximum",
        "ours divided by it: after W4 (maximum)",
      ],
      rows,
    ),
  ].join("\n\n");
}
