// Carries the members of a list, several at once. In: how to carry one, and how far each is. Out: the outcome of all. A member that
// fails keeps new ones from beginning; those that have begun go on to their end. Whoever comes back sees the same members again.
import { done, type Outcome, soonest } from "./outcome.ts";

export interface Members {
  readonly count: number;
  /** Begun and not at their end, those that wait for something included. */
  readonly parallelMax: number;
  /** Carried at once by this process, at most `parallelMax`. */
  readonly lanes: number;
  readonly stateOf: (at: number) => "new" | "begun" | "failed";
  readonly carry: (at: number) => Promise<Outcome>;
  readonly isStopping: () => boolean;
  readonly now: () => number;
}

/** @throws what `carry` throws, when all that are being carried have come to a stop. */
export async function carryMembers(members: Members): Promise<Outcome> {
  const { count, parallelMax, lanes, stateOf, isStopping, now } = members;
  const all = Array.from({ length: count }, (_, at) => at);
  const of = (state: ReturnType<Members["stateOf"]>): readonly number[] => all.filter((at) => stateOf(at) === state);
  const tally = createTally();
  // Whether any has failed is known before one begins.
  for (const at of of("failed")) tally.end(await members.carry(at));
  const begun = of("begun");
  const queue = [...begun, ...of("new")];
  let next = 0;

  const take = (): number | null => {
    const isNew = next >= begun.length;
    if (next >= queue.length || tally.thrown !== null) return null;
    if (isNew && (tally.halt !== null || tally.parked + tally.running >= parallelMax)) return null;
    if (isStopping()) {
      tally.end({ kind: "parked", dueAtMs: now() });
      return null;
    }
    return queue[next++] ?? null;
  };
  const lane = async (): Promise<void> => {
    for (let at = take(); at !== null; at = take()) {
      tally.running++;
      try {
        tally.end(await members.carry(at));
      } catch (error) {
        tally.thrown ??= { error };
      } finally {
        tally.running--;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, queue.length) }, lane));
  if (tally.thrown !== null) throw tally.thrown.error;
  if (tally.parked > 0) return { kind: "parked", dueAtMs: tally.dueAtMs };
  return tally.halt ?? done;
}

interface Tally {
  running: number;
  parked: number;
  dueAtMs: number | null;
  /** What ends the step, once nothing goes on any more. */
  halt: Outcome | null;
  thrown: { readonly error: unknown } | null;
  end(outcome: Outcome): void;
}

function createTally(): Tally {
  return {
    running: 0,
    parked: 0,
    dueAtMs: null,
    halt: null,
    thrown: null,
    end(outcome) {
      if (outcome.kind === "parked") {
        this.parked++;
        this.dueAtMs = soonest(this.dueAtMs, outcome.dueAtMs);
      } else if (outcome.kind !== "done" && this.halt?.kind !== "attention") {
        // What a person has to look at outranks what has failed.
        if (this.halt === null || outcome.kind === "attention") this.halt = outcome;
      }
    },
  };
}
