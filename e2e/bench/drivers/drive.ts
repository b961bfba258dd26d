// The input and output of a load generator. In: a server, a request with placeholders, a time. Out: a count and
// latencies.
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

/** @throws Error if any reply was not 2xx, because a figure with refusals would be meaningless. */
export type Drive = (work: Work, seconds: number) => Promise<Driven>;

export const connections = 48;
