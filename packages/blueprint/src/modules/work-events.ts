// Events about runs that need somebody. Only data.
import type { Field } from "../model/model.ts";
import { plainField } from "../model/plain-field.ts";
import type { ModuleEvent } from "./description.ts";

const ofRun: readonly Field[] = [
  plainField("run_id", { kind: "uuid" }),
  plainField("workflow", { kind: "string" }),
  plainField("kind", { kind: "enum", values: ["workflow", "worker", "action"] }),
];
/** Without messages, which can quote values of records. */
const code = plainField("code", { kind: "string" });

export const workerEvents: readonly ModuleEvent[] = [
  {
    name: "run.failed",
    entity: null,
    data: [...ofRun, code],
    help: "A run has failed, after all its retries. `code` is the code of its error.",
    yields: true,
  },
  {
    name: "run.needs_attention",
    entity: null,
    data: [...ofRun, plainField("status", { kind: "enum", values: ["needs_attention", "undo_failed"] }), code],
    help: "A run waits for a person: the answer to a call was lost, or a step could not be undone.",
    yields: true,
  },
];
