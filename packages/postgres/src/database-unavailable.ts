// Distinguishes an unavailable database from our own errors. In: a promise of a query. Out: its answer, or Fault
// `unavailable`. It never hides the error of a wrong statement.
import { Fault } from "@plinth/service";
import { isGivenUp } from "./bounded-query.ts";
import { asFault, isTimeout } from "./errors.ts";

export async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isTimeout(error) && !isGivenUp(error)) throw asFault(error);
    throw new Fault("unavailable", { headers: { "retry-after": "1" }, cause: error });
  }
}
