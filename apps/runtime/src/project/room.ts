// How much values may take together. In: JSON values, one after another. Out: nothing, until they are too much. Counting stops
// where no room is left, however large the value is.
import type { JsonValue } from "@plinth/bundle";
import { Fault } from "@plinth/service";

export interface Room {
  /** @throws Fault `conflict` where no room is left for it. */
  take<Given extends JsonValue>(value: Given): Given;
  /** Counts what is there already: it stays, also where it is too much. */
  add(value: JsonValue): void;
}

/** @param charactersMax Of texts and names; anything else counts as one. @param what Whose values they are, for the message. */
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
      // What is not kept takes no room: there is some left for what is done about it.
      left = before;
      throw new Fault("conflict", { detail: `${what} more than ${charactersMax} characters.` });
    },
  };
}

/** Characters of all that the steps of one run give: they are read at once whenever it goes on. */
const OUTPUTS_MAX = 8_388_608;

export const roomOfRun = (): Room => createRoom(OUTPUTS_MAX, "The steps of this run give");
