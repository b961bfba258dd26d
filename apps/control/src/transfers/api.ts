// Records in large numbers, as clients of the control API see them: imports, batch by batch, and exports, page by page. Types alone.
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

/** All need the level `manage`: an import writes past permissions and makes users, and an export takes everything along. */
export type TransferProcedures = {
  /** What an import can write: the entities of the live version. */
  shape: Query<{ projectId: string }, TransferShape>;
  /** Begins an import, or goes on with an unfinished one of the same source. */
  openImport: Mutation<{ projectId: string; source: string; label: string }, ImportState>;
  /** Takes 10,000 rows at most, in one transaction. */
  takeBatch: Mutation<{ projectId: string; batch: ImportBatch }, BatchOutcome>;
  /** Ends an import; without `source`, whichever is unfinished. Null where there is none. */
  closeImport: Mutation<{ projectId: string; source: string | null }, ImportState | null>;
  /** Begins to read all records as they are at this moment. */
  openExport: Mutation<{ projectId: string }, ExportState>;
  exportPage: Query<{ projectId: string; exportId: string; part: string; after: string | null }, ExportPage>;
  closeExport: Mutation<{ projectId: string; exportId: string }, null>;
};
