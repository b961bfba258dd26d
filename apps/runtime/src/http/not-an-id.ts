// What is said of a text in the place of an id. In: the text. Out: a Fault. It says nothing of any record, hidden or not.
import { Fault } from "@plinth/service";

const SHOWN_MAX = 64;

export function notAnId(text: string): Fault {
  return new Fault("not_found", {
    detail: `${text.slice(0, SHOWN_MAX)} is no id: each is a UUID, as the field \`id\` shows it.`,
  });
}
