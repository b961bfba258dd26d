// A cell's failure in public words. In: what the cell client threw. Out: the same as an error for the caller.
// It never passes on a detail that the cell did not mean for people.
import type { TRPCError } from "@trpc/server";
import { refuse } from "../failure.ts";
import { CellRefused, CellUnavailable } from "./failures.ts";

/** Runs a call to a cell for a person who waits for it. */
export async function askCell<T>(call: Promise<T>, refusals: CellRefusals = {}): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof CellUnavailable) {
      throw refuse("SERVICE_UNAVAILABLE", "The project's cell doesn't answer at the moment. Try again shortly.", error);
    }
    if (error instanceof CellRefused) {
      const known = refusals[error.status]?.(error);
      if (known !== undefined) throw known;
    }
    throw error;
  }
}

/** Status > what it means here. What isn't expected is a fault of ours. */
export type CellRefusals = Readonly<Record<number, (refused: CellRefused) => TRPCError>>;
