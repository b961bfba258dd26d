// What an attack is. In: nothing. Out: types that the harness, the attackers' processes and the report share.
// It never holds an attack itself: each family stands in a file of its own under attacks/.
import type { Target } from "./target.ts";

export interface Attack {
  readonly name: string;
  /** One line: who does what. */
  readonly about: string;
  /** What it costs a neighbour, what a stranger may do, what an author may do. */
  readonly kind: "neighbour" | "stranger" | "author";
  /** In the harness, before each window; what it gives goes to `run` as JSON. */
  readonly prepare?: (stage: Stage) => Promise<unknown>;
  /** In a process of its own. It ends by itself after `seconds`, or soon after. */
  readonly run: (target: Target, seconds: number, prepared: unknown) => Promise<Outcome>;
  /** Afterwards, in the harness: what only the database knows. It gets what `prepare` gave. */
  readonly count?: (stage: Stage, prepared: unknown) => Promise<Readonly<Record<string, number>>>;
  /** What is wrong with the outcome and is no timing. */
  readonly problems?: (outcome: Outcome) => readonly string[];
  /** What is wrong with it in time. */
  readonly lateness?: (outcome: Outcome) => readonly string[];
}

export interface Outcome {
  /** Answers by status; 0 where no whole answer came. */
  readonly statuses: Readonly<Record<string, number>>;
  /** What else is worth a figure; null: it did not happen. */
  readonly facts: Readonly<Record<string, number | null>>;
}

/** What an attack may ask of the harness before it begins. */
export interface Stage {
  readonly target: Target;
  /** A publishable key that the service has never seen. */
  readonly freshKey: () => Promise<string>;
  /** As an administrator of the cell's database. */
  readonly query: (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** Statuses that an attack may be answered with (0: no answer); anything else is a problem. */
export function onlyStatuses(...allowed: readonly number[]): (outcome: Outcome) => readonly string[] {
  return ({ statuses }) =>
    Object.entries(statuses)
      .filter(([status]) => !allowed.includes(Number(status)))
      .map(([status, count]) => `${count} x ${status === "0" ? "no answer" : status}`);
}
