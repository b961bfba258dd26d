// One effect for each submission, however often it is sent: a double click, or a retry whose first answer was lost.
// In: a submission with the client's key, and what carries it out. Out: the first one's result, for each of them.
// Results stay in this process's memory for a few minutes, because some hold a secret that is stored nowhere. Where a result
// is gone, the answer says that the work was done; the work is never done twice.
import { ByteCache, type Logger } from "@plinth/service";
import { refuse } from "../failure.ts";
import type { Claim, Submission, SubmissionStore } from "./store.ts";

/** What carrying out comes to: only what succeeded has had an effect. */
interface Outcome {
  readonly ok: boolean;
}

export interface Submissions {
  /** @throws BAD_REQUEST where the key was used for something else, CONFLICT where the first result can't be shown again. */
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
const DONE = "This was done by your first try, whose answer was lost. Reload the page to see what it made.";
const UNKNOWN = "The first try of this has not ended, or its end is unknown. Reload the page to see what it made.";

export function createSubmissions({ store, logger }: SubmissionsOptions): Submissions {
  const running = new Map<string, Kept>();
  const finished = new ByteCache<string, Kept & { readonly bytes: number }>({
    bytesMax: KEPT_BYTES_MAX,
    weigh: ({ bytes }) => bytes,
  });

  const first = async <Result extends Outcome>(submission: Submission, carryOut: () => Promise<Result>) => {
    await claimed(store, submission);
    const result = await carryOut();
    // Once it is done, a database that is away must not make it look undone.
    await (result.ok ? store.markDone(submission) : store.release(submission)).catch((error: unknown) => {
      logger.warn({ err: error, procedure: submission.procedure }, "the end of a submission could not be written down");
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

/** Waits for the same submission in another process, which may come to nothing. */
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
