// Generates load in this process. In: a request, and a number of seconds or requests. Out: a count and latencies. Above
// about 15,000 requests a second, it is busier than the server, so wrk is preferred if it is installed.
import autocannon from "autocannon";
import { filled } from "../workloads.ts";
import { connections, type Drive, type Driven, type Work } from "./drive.ts";

export const driveByAutocannon: Drive = (work, seconds) => run(work, { duration: seconds });

/** Sends the same number of requests to each server, however fast it is. @throws Error if any reply was not 2xx. */
export async function sendAmount(work: Work, requests: number): Promise<void> {
  await run(work, { amount: requests });
}

async function run(work: Work, until: { readonly duration: number } | { readonly amount: number }): Promise<Driven> {
  const result = await autocannon({
    url: work.origin,
    connections,
    headers: work.headers,
    requests: [{ setupRequest: (request) => ({ ...request, ...filled(work.request) }) }],
    ...until,
  });
  if (result.non2xx + result.errors + result.timeouts > 0) {
    throw new Error(
      `${result.non2xx} refusals (${Object.keys(result.statusCodeStats ?? {}).join(", ")}), ${result.errors} errors, ${result.timeouts} timeouts at ${work.origin}`,
    );
  }
  return {
    requests: result.requests.total,
    seconds: result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  };
}
