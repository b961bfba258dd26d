// Translates a cell's failure to public words. In: an error of the cell client. Out: the error for the caller. It never passes on
// a detail that isn't meant for people.
import type { TRPCError } from "@trpc/server";
import { refuse } from "../failure.ts";
import { CellRefused, CellUnavailable } from "./failures.ts";

/** Runs a call to a cell for a person who waits for it. */
export async function callCell<T>(call: Promise<T>, refusals: CellRefusals = {}): Promise<T> {
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

/** The error for each expected status. Any other status is our fault. */
export type CellRefusals = Readonly<Record<number, (refused: CellRefused) => TRPCError>>;
