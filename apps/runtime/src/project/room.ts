// Limits the total size of values. In: JSON values, one after another. Out: nothing, or a fault when they are too much.
// Counting stops when no room is left, however large the value is.
import type { JsonValue } from "@plinth/bundle";
import { Fault } from "@plinth/service";

export interface Room {
  /** @throws Fault `conflict` if there is no room left for it. */
  take<Given extends JsonValue>(value: Given): Given;
  /** Counts a value that is stored already. It stays, even if it is too large. */
  add(value: JsonValue): void;
}

/**
 * @param charactersMax Characters of texts and names; any other value counts as one. @param what The subject of the
 * message.
 */
export function createRoom(charactersMax: number, what: string): Room {
  let left = charactersMax;
  const count = (value: JsonValue): void => {
    left -= typeof value === "string" ? value.length : 1;
    if (left < 0 || value === null || typeof value !== "object") return;
    for (const [name, member] of Object.entries(value)) {
      left -= name.length;
      count(member as JsonValue);
      if (left < 0) return;
    }
  };
  return {
    add: count,
    take(value) {
      const before = left;
      count(value);
      if (left >= 0) return value;
      // A refused value takes no room, so there is some left for handling the failure.
      left = before;
      throw new Fault("conflict", { detail: `${what} more than ${charactersMax} characters.` });
    },
  };
}

/** Characters of all results of one run's steps. They are read at once whenever the run continues. */
const OUTPUTS_MAX = 8_388_608;

export const roomOfRun = (): Room => createRoom(OUTPUTS_MAX, "The results of this run's steps have");
