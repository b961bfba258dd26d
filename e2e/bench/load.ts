// One bounded round of load on one server. In: where, how long, which requests. Out: rate, latencies, CPU per request.
import autocannon from "autocannon";
import { cpuOfFamilyUs, cpuOfProcessUs, residentMb } from "./cpu.ts";

export interface Request {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
}

export interface Target {
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serverPid: number;
  readonly postgresPid: number;
  /** A fresh request each time it is called. */
  readonly next: () => Request;
}

export interface Round {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Server and Postgres together. */
  readonly cpuUsPerRequest: number;
  readonly serverCpuUsPerRequest: number;
  readonly serverMemoryMb: number;
}

export const connections = 48;

/** @throws Error where any reply was not a 2xx: a figure with refusals in it would say nothing. */
export async function runRound(target: Target, seconds: number): Promise<Round> {
  const cpuBefore = { server: cpuOfProcessUs(target.serverPid), postgres: cpuOfFamilyUs(target.postgresPid) };
  const result = await autocannon({
    url: target.origin,
    connections,
    duration: seconds,
    headers: target.headers,
    requests: [{ setupRequest: (request) => ({ ...request, ...target.next() }) }],
  });
  const serverUs = cpuOfProcessUs(target.serverPid) - cpuBefore.server;
  const postgresUs = cpuOfFamilyUs(target.postgresPid) - cpuBefore.postgres;
  if (result.non2xx + result.errors + result.timeouts > 0) {
    throw new Error(
      `${result.non2xx} refusals, ${result.errors} errors, ${result.timeouts} timeouts at ${target.origin}`,
    );
  }
  const requests = result.requests.total;
  return {
    requestsPerSecond: requests / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    cpuUsPerRequest: (serverUs + postgresUs) / requests,
    serverCpuUsPerRequest: serverUs / requests,
    serverMemoryMb: residentMb(target.serverPid),
  };
}
