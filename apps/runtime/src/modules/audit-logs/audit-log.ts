// What the audit log may be asked by.
import type { LogShape } from "../log-query.ts";

export const auditShape: LogShape = {
  name: "audit-log",
  filters: { actor_id: "text", entity: "text", operation: "text", record_id: "uuid", request_id: "text" },
};
