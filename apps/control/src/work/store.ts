// Actions on a project's background work through the console, in control's log. In: an action. Out: a row in the audit log. It
// never contains a run: the project's own log has the result.
import { writeAudit } from "../database/audit.ts";
import type { ControlDatabase } from "../database/tables.ts";

export interface WorkAct {
  readonly personId: string;
  readonly projectId: string;
  /** The id of a run, or the name of a workflow, a schedule, an action or a secret. */
  readonly subject: string;
  readonly action:
    | `run.${"cancelled" | "retried" | "approved" | "refused" | "marked_done" | "marked_failed"}`
    | "action.called"
    | `queue.${"retried" | "cancelled" | "settled"}`
    | `schedule.${"run" | "paused" | "resumed"}`
    | `signing_secret.${"revealed" | "rotated"}`;
  readonly detail: Record<string, unknown>;
}

export interface WorkStore {
  audit(act: WorkAct): Promise<void>;
}

export function createWorkStore(db: ControlDatabase): WorkStore {
  return { audit: (act) => writeAudit(db, act) };
}
