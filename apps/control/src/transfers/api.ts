// Imports, batch by batch, and exports, page by page, as clients of the control API see them. Types only.
import type { BatchBody, BatchOutcome, ExportPage, ExportState, ImportState, TransferShape } from "@plinth/bundle/cell";
import type { Mutation, Query } from "../procedure.ts";

export type {
  BatchOutcome,
  ExportPage,
  ExportPart,
  ExportState,
  ImportState,
  ImportStep,
  RowRefusal,
  StepState,
  TransferEntity,
  TransferField,
  TransferShape,
} from "@plinth/bundle/cell";

export type ImportBatch = BatchBody;

/** All need the level `manage`: an import ignores permissions and creates users, and an export reads everything. */
export type TransferProcedures = {
  /** What an import can write: the entities of the live version. */
  shape: Query<{ projectId: string }, TransferShape>;
  /** Begins an import, or continues an unfinished one of the same source. */
  openImport: Mutation<{ projectId: string; source: string; label: string }, ImportState>;
  /** The state of an import of this source, without starting it. Null if there is none. */
  findImport: Query<{ projectId: string; source: string }, ImportState | null>;
  /** Stores at most 10,000 rows, in one transaction. */
  takeBatch: Mutation<{ projectId: string; batch: ImportBatch }, BatchOutcome>;
  /** Ends an import. Without `source`, the unfinished one, whatever its source is. Null if there is none. */
  closeImport: Mutation<{ projectId: string; source: string | null }, ImportState | null>;
  /** Begins to read all records in their state of this moment. */
  openExport: Mutation<{ projectId: string }, ExportState>;
  exportPage: Query<{ projectId: string; exportId: string; part: string; after: string | null }, ExportPage>;
  closeExport: Mutation<{ projectId: string; exportId: string }, null>;
};
