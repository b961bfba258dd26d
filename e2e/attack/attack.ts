// The definition of an attack. In: nothing. Out: types that the harness, the attackers' processes and the report share.
// It contains no attack: each family has its own file under attacks/.
import type { Target } from "./target.ts";

export interface Attack {
  readonly name: string;
  /** One line that names the attacker and the attack. */
  readonly about: string;
  /** The subject: the cost for a neighbour, or what a stranger or an author can do. */
  readonly kind: "neighbour" | "stranger" | "author";
  /** Runs in the harness before each window. Its result is sent to `run` as JSON. */
  readonly prepare?: (stage: Stage) => Promise<unknown>;
  /** Runs in a separate process. It ends within about `seconds`. */
  readonly run: (target: Target, seconds: number, prepared: unknown) => Promise<Outcome>;
  /** Runs afterwards in the harness, for facts that only the database knows. It gets the result of `prepare`. */
  readonly count?: (stage: Stage, prepared: unknown) => Promise<Readonly<Record<string, number>>>;
  /** Problems with the outcome that are not about time. */
  readonly problems?: (outcome: Outcome) => readonly string[];
  /** Problems with the times. */
  readonly lateness?: (outcome: Outcome) => readonly string[];
}

export interface Outcome {
  /** The number of answers by status; 0 means no complete answer. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Other figures; null if nothing was measured. */
  readonly facts: Readonly<Record<string, number | null>>;
}

/** What the harness can provide before an attack starts. */
export interface Stage {
  readonly target: Target;
  /** A publishable key that the service has never seen. */
  readonly freshKey: () => Promise<string>;
  /** Runs SQL as an administrator of the cell's database. */
  readonly query: (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** The statuses that an attack is allowed to get (0: no answer). Any other status is a problem. */
export function onlyStatuses(...allowed: readonly number[]): (outcome: Outcome) => readonly string[] {
  return ({ statuses }) =>
    Object.entries(statuses)
      .filter(([status]) => !allowed.includes(Number(status)))
      .map(([status, count]) => `${count} x ${status === "0" ? "no answer" : status}`);
}
