// Opens the parts of a cell that imports and exports need: separate connections. In: a cell. Out: the access to rows,
// and exports in progress; both are closed with the cell.
import { type BulkScope, createBulkScope } from "@plinth/postgres";
import { createExportSessions, type ExportSessions } from "../transfers/export-sessions.ts";
import type { Cell } from "./open-cell.ts";

/** Batches of all projects at once. Each keeps a database process fully busy. */
const PLACES = 2;
/** Exports at once. Each has a connection. */
const EXPORTS_MAX = 2;

export function openTransfers(cell: Cell): { readonly bulk: BulkScope; readonly exports: ExportSessions } {
  const bulk = createBulkScope({
    pool: cell.openPool("transfers", PLACES + EXPORTS_MAX, { statementTimeoutMs: 60_000 }),
    places: PLACES,
  });
  const exports = createExportSessions(bulk, EXPORTS_MAX);
  cell.onClose(exports.stop);
  return { bulk, exports };
}
