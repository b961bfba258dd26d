// A query with a client-side timeout. In: a query and its limit. Out: the same, for `pool.query`. A server's timeout
// doesn't help if the network loses the answer: the pool then closes the connection.
import type { QueryConfig } from "pg";

/** `query_timeout` of node-postgres, which its types know for whole clients only. */
export function boundedQuery(query: QueryConfig, msMax: number): QueryConfig {
  const bounded: QueryConfig & { readonly query_timeout: number } = { ...query, query_timeout: msMax };
  return bounded;
}

/** Whether a query timed out; node-postgres gives this error no code. */
export function isGivenUp(error: unknown): boolean {
  return error instanceof Error && error.message === "Query read timeout";
}

/** The maximum time that a request waits for a credential or a release. */
export const LOOK_UP_MS_MAX = 2_000;
