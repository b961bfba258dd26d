// Ends the transaction of what was only tried. In: the reply that it would have had. Out: an error, so that nothing is committed.
import type { OnceReply } from "../query/idempotency.ts";

export class Tried extends Error {
  readonly reply: OnceReply;

  constructor(reply: OnceReply) {
    super("it was tried, and is undone");
    this.name = "Tried";
    this.reply = reply;
  }
}
