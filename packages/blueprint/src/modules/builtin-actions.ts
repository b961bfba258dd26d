// The actions that every project has, for steps. Only data; `background/step-action.ts` reads their input.
import type { Egress } from "../model/background.ts";
import type { ModuleName } from "../model/model.ts";

interface BuiltinAction {
  /** One sentence: its effect. */
  readonly help: string;
  /** Where data of the project goes. */
  readonly egress?: Egress["to"];
  readonly module?: ModuleName;
}

export const builtinActions: Readonly<Record<string, BuiltinAction>> = {
  "record.create": { help: "Creates a record. Its fields are keys of `with`." },
  "record.update": { help: "Changes the record of the work, or the one with the given `id`." },
  "record.delete": { help: "Deletes the record of the work, or the one with the given `id`." },
  "record.find": { help: "Looks a record up. With `limit`, the result is a list." },
  "record.transition": { help: "Takes a transition (`edge`) of a record." },
  "event.emit": { help: "Emits an event that is declared under `events`." },
  "audit.write": { help: "Writes a note into the audit log.", module: "audit_logs" },
  "webhook.emit": {
    help: "Sends an event to the endpoints that subscribe to it.",
    egress: "webhook",
    module: "webhooks",
  },
  "email.send": { help: "Sends a mail.", egress: "email" },
  "email.send_receipt": {
    help: "Sends a receipt. Without a text, it lists the fields of the record.",
    egress: "email",
  },
  "subscription.activate": { help: "Activates a subscription." },
  "subscription.cancel": { help: "Cancels a subscription." },
  "http.request": { help: "Calls another service.", egress: "http" },
  "worker.run": { help: "Runs a worker and waits for its output.", module: "workers" },
  wait: { help: "Waits for a time, such as `for: 5m`." },
  wait_for: { help: "Waits for an event." },
  approve: { help: "Waits until somebody approves." },
};
