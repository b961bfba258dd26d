// The message for a text in the place of an id. In: the text. Out: a Fault. The message is the same for hidden and
// missing records.
import { Fault } from "@plinth/service";

const SHOWN_MAX = 64;

export function notAnId(text: string): Fault {
  return new Fault("not_found", {
    detail: `${text.slice(0, SHOWN_MAX)} is not an id. Ids are UUIDs, as in the field \`id\`.`,
  });
}
