// Changes of a project's records through the console, in control's log. In: an action. Out: a row in the audit log. It never
// contains a record: the project's own log has the changed values.
import { writeAudit } from "../database/audit.ts";
import type { ControlDatabase } from "../database/tables.ts";

export interface RecordAct {
  readonly personId: string;
  readonly projectId: string;
  /** Null for a record that is about to be created. */
  readonly recordId: string | null;
  readonly action: "record.created" | "record.updated" | "record.deleted" | "record.restored" | "record.transitioned";
  readonly detail: Record<string, unknown>;
}

export interface DataStore {
  audit(act: RecordAct): Promise<void>;
}

export function createDataStore(db: ControlDatabase): DataStore {
  return {
    audit: ({ recordId, ...act }) => writeAudit(db, { ...act, ...(recordId === null ? {} : { subject: recordId }) }),
  };
}
