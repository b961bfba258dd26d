// One limited round of load on one server. In: a server, a workload, a time. Out: rate, latencies, CPU per request.
import { cpuOfFamilyUs, cpuOfProcessUs, residentMb } from "./cpu.ts";
import type { Drive, Work } from "./drivers/drive.ts";
import { type Paths, requestOf, type Workload } from "./workloads.ts";

/** An HTTP server that serves articles and posts. */
export interface Target {
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly paths: Paths;
  readonly serverPid: number;
  readonly postgresPid: number;
}

export function workOf({ origin, headers, paths }: Target, workload: Workload): Work {
  return { origin, headers, request: requestOf(workload, paths) };
}

export interface Round {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The server and Postgres together. */
  readonly cpuUsPerRequest: number;
  readonly serverCpuUsPerRequest: number;
  readonly serverMemoryMb: number;
  /** The load of the load generator, as a part of one core. Near 1, the load generator is the bottleneck. */
  readonly driverCpu: number;
}

/** @throws Error if any reply was not 2xx. */
export async function runRound(target: Target, workload: Workload, drive: Drive, seconds: number): Promise<Round> {
  const { serverPid, postgresPid } = target;
  const startedMs = performance.now();
  const before = {
    server: cpuOfProcessUs(serverPid),
    postgres: cpuOfFamilyUs(postgresPid),
    driver: cpuOfProcessUs(process.pid),
  };
  const { requests, seconds: driven, p50Ms, p99Ms } = await drive(workOf(target, workload), seconds);
  const serverUs = cpuOfProcessUs(serverPid) - before.server;
  const postgresUs = cpuOfFamilyUs(postgresPid) - before.postgres;
  const driverUs = cpuOfProcessUs(process.pid) - before.driver;
  return {
    requestsPerSecond: requests / driven,
    p50Ms,
    p99Ms,
    cpuUsPerRequest: (serverUs + postgresUs) / requests,
    serverCpuUsPerRequest: serverUs / requests,
    serverMemoryMb: residentMb(serverPid),
    driverCpu: driverUs / 1000 / (performance.now() - startedMs),
  };
}
