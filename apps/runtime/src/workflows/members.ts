// Executes the members of a list, several at once. In: how to execute one, and the state of each. Out: the outcome of
// all. After a failure, no new member starts, but members in progress continue to their end. A later continuation sees
// the same members.
import { done, type Outcome, soonest } from "./outcome.ts";

export interface Members {
  readonly count: number;
  /** Members that are started and not ended, including those that wait. */
  readonly parallelMax: number;
  /** Members that this process executes at once, at most `parallelMax`. */
  readonly lanes: number;
  readonly stateOf: (at: number) => "new" | "begun" | "failed";
  readonly carry: (at: number) => Promise<Outcome>;
  readonly isStopping: () => boolean;
  readonly now: () => number;
}

/** @throws the errors of `carry`, when all members in progress have stopped. */
export async function carryMembers(members: Members): Promise<Outcome> {
  const { count, parallelMax, lanes, stateOf, isStopping, now } = members;
  const all = Array.from({ length: count }, (_, at) => at);
  const of = (state: ReturnType<Members["stateOf"]>): readonly number[] => all.filter((at) => stateOf(at) === state);
  const tally = createTally();
  // It must be known whether any has failed before another one starts.
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
  /** The outcome of the step once no member continues. */
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
        // A need for attention has priority over a failure.
        if (this.halt === null || outcome.kind === "attention") this.halt = outcome;
      }
    },
  };
}
