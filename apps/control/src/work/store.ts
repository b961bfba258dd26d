// What is done to a project's runs through the console, in control's log. In: an act. Out: a row in the audit log.
// It never holds a run: what became of it is in the project's own log.
import { writeAudit } from "../database/audit.ts";
import type { ControlDatabase } from "../database/tables.ts";

export interface RunAct {
  readonly personId: string;
  readonly projectId: string;
  readonly runId: string;
  readonly action: "run.cancelled" | "run.retried" | "run.approved" | "run.refused";
  readonly detail: Record<string, unknown>;
}

export interface WorkStore {
  audit(act: RunAct): Promise<void>;
}

export function createWorkStore(db: ControlDatabase): WorkStore {
  return { audit: ({ runId, ...act }) => writeAudit(db, { ...act, subject: runId }) };
}
