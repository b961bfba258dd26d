// All attacks, in the order of the report. In: a name. Out: the attack. Add a new attack only to the list of its
// family.
import type { Attack } from "./attack.ts";
import { authors } from "./attacks/authors.ts";
import { busyCustomers } from "./attacks/busy-customers.ts";
import { heavyBodies } from "./attacks/heavy-bodies.ts";
import { lockedRows } from "./attacks/locked-rows.ts";
import { selfDescriptions } from "./attacks/self-descriptions.ts";
import { slowSockets } from "./attacks/slow-sockets.ts";
import { slowStatements } from "./attacks/slow-statements.ts";
import { strangers } from "./attacks/strangers.ts";

export const attacks: readonly Attack[] = [
  ...slowStatements,
  ...lockedRows,
  ...heavyBodies,
  ...busyCustomers,
  ...selfDescriptions,
  ...slowSockets,
  ...strangers,
  ...authors,
];

/** Not a separate attack: all attacks of customers on a neighbour at the same time. */
export const allAtOnce = "all";

/** @throws Error for an unknown name. */
export function attackNamed(name: string): Attack {
  const attack = attacks.find((each) => each.name === name);
  if (attack === undefined) {
    throw new Error(
      `There is no attack "${name}". There are: ${[...attacks.map((each) => each.name), allAtOnce].join(", ")}.`,
    );
  }
  return attack;
}
