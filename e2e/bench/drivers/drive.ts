// What a driver of load takes and gives. In: a server, a request with holes, for how long. Out: a count and latencies.
import type { Request } from "../workloads.ts";

export interface Work {
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly request: Request;
}

export interface Driven {
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** @throws Error where any reply was not a 2xx: a figure with refusals in it would say nothing. */
export type Drive = (work: Work, seconds: number) => Promise<Driven>;

export const connections = 48;
