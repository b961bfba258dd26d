// What imports and exports need of a cell: connections of their own. In: a cell. Out: the way to rows, and exports under way; both are
// closed with the cell.
import { type BulkScope, createBulkScope } from "@plinth/postgres";
import { createExportSessions, type ExportSessions } from "../transfers/export-sessions.ts";
import type { Cell } from "./open-cell.ts";

/** Batches at once, of all projects; each takes a backend's whole time. */
const PLACES = 2;
/** Exports at once have a connection each. */
const EXPORTS_MAX = 2;

export function openTransfers(cell: Cell): { readonly bulk: BulkScope; readonly exports: ExportSessions } {
  const bulk = createBulkScope({ pool: cell.openPool("transfers", PLACES + EXPORTS_MAX), places: PLACES });
  const exports = createExportSessions(bulk, EXPORTS_MAX);
  cell.onClose(exports.stop);
  return { bulk, exports };
}
