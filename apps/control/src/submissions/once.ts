// One effect for each submission, however often it is sent: a double click, or a retry after a lost answer. In: a submission with
// the client's key, and the function that carries it out. Out: the first result, for each of them. Results are in this process's
// memory for a few minutes, because some contain a secret that is stored nowhere. After that, the answer only says that the work
// was done. The work is never done twice.
import { ByteCache, type Logger } from "@plinth/service";
import { refuse } from "../failure.ts";
import type { Claim, Submission, SubmissionStore } from "./store.ts";

/** The result of the work. Only a success has had an effect. */
interface Outcome {
  readonly ok: boolean;
}

export interface Submissions {
  /** @throws BAD_REQUEST if the key was used for another input, CONFLICT if the first result can't be shown again. */
  once<Result extends Outcome>(submission: Submission, carryOut: () => Promise<Result>): Promise<Result>;
}

export interface SubmissionsOptions {
  readonly store: SubmissionStore;
  readonly logger: Logger;
}

interface Kept {
  readonly submission: Submission;
  readonly result: Promise<Outcome>;
}

const KEPT_MS = 5 * 60_000;
const KEPT_BYTES_MAX = 64 * 1024 * 1024;
/** How long a submission waits for the same one in another process. */
const WAIT_MS = 10_000;
const LOOK_MS = 200;

const OTHER = "This submission's key was used for something else. Reload the page and submit again.";
const DONE = "Your first attempt did this, but its answer was lost. Reload the page to see the result.";
const UNKNOWN = "Your first attempt has not ended, or its result is unknown. Reload the page to see the result.";

export function createSubmissions({ store, logger }: SubmissionsOptions): Submissions {
  const running = new Map<string, Kept>();
  const finished = new ByteCache<string, Kept & { readonly bytes: number }>({
    bytesMax: KEPT_BYTES_MAX,
    weigh: ({ bytes }) => bytes,
  });

  const first = async <Result extends Outcome>(submission: Submission, carryOut: () => Promise<Result>) => {
    await claimed(store, submission);
    const result = await carryOut();
    // After the work is done, an unreachable database must not make it look undone.
    await (result.ok ? store.markDone(submission) : store.release(submission)).catch((error: unknown) => {
      logger.warn({ err: error, procedure: submission.procedure }, "the end of a submission could not be recorded");
    });
    return result;
  };

  return {
    once: async <Result extends Outcome>(submission: Submission, carryOut: () => Promise<Result>) => {
      const id = `${submission.personId} ${submission.key}`;
      const before = running.get(id) ?? finished.get(id);
      if (before !== undefined) {
        if (!isSame(before.submission, submission)) throw refuse("BAD_REQUEST", OTHER);
        return (await before.result) as Result;
      }
      const result = first(submission, carryOut);
      running.set(id, { submission, result });
      try {
        const outcome = await result;
        if (outcome.ok) {
          const bytes = JSON.stringify("data" in outcome ? (outcome.data ?? null) : null).length * 2 + 1000;
          finished.set(id, { submission, result, bytes });
          setTimeout(() => finished.delete(id), KEPT_MS).unref();
        }
        return outcome;
      } finally {
        running.delete(id);
      }
    },
  };
}

function isSame(a: Submission, b: Submission): boolean {
  return a.procedure === b.procedure && a.inputHash === b.inputHash;
}

/** Waits for the same submission in another process, which may fail. */
async function claimed(store: SubmissionStore, submission: Submission): Promise<void> {
  const end = Date.now() + WAIT_MS;
  for (;;) {
    const claim: Claim = await store.claim(submission);
    if (claim.kind === "mine") return;
    if (!claim.same) throw refuse("BAD_REQUEST", OTHER);
    if (claim.done) throw refuse("CONFLICT", DONE);
    if (Date.now() > end) throw refuse("CONFLICT", UNKNOWN);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
