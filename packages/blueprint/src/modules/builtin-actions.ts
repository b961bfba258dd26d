// The actions that every project has, for steps. Only data; `background/step-action.ts` reads their input.
import type { Egress } from "../model/background.ts";
import type { ModuleName } from "../model/model.ts";

interface BuiltinAction {
  /** Where data of the project goes. */
  readonly egress?: Egress["to"];
  readonly module?: ModuleName;
}

export const builtinActions: Readonly<Record<string, BuiltinAction>> = {
  "record.create": {},
  "record.update": {},
  "record.delete": {},
  "record.find": {},
  "record.transition": {},
  "event.emit": {},
  "audit.write": { module: "audit_logs" },
  "webhook.emit": { egress: "webhook", module: "webhooks" },
  "email.send": { egress: "email" },
  "email.send_receipt": { egress: "email" },
  "subscription.activate": {},
  "subscription.cancel": {},
  "http.request": { egress: "http" },
  "worker.run": { module: "workers" },
  wait: {},
  wait_for: {},
  approve: {},
};
