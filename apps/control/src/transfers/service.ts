// Imports to a project's cell and exports from it on behalf of a person. In: batches, and a position to read from. Out: the
// cell's answers. It passes rows on without reading them.
import type {
  BatchBody,
  BatchOutcome,
  ExportPage,
  ExportState,
  ImportBody,
  ImportState,
  PageBody,
  TransferShape,
} from "@plinth/bundle/cell";
import { actorOf, orNull, refusals } from "../cells/call-as-person.ts";
import { callCell } from "../cells/call-cell.ts";
import type { TransferCells } from "../cells/transfers.ts";
import { writeAudit } from "../database/audit.ts";
import type { ControlDatabase } from "../database/tables.ts";
import { refuse } from "../failure.ts";
import type { ProjectAccess } from "../organizations/access.ts";
import type { Person } from "../people/auth.ts";

export interface TransferService {
  shape(by: Person, project: ProjectAccess): Promise<TransferShape>;
  openImport(by: Person, project: ProjectAccess, source: ImportBody): Promise<ImportState>;
  findImport(by: Person, project: ProjectAccess, source: string): Promise<ImportState | null>;
  takeBatch(by: Person, project: ProjectAccess, batch: BatchBody): Promise<BatchOutcome>;
  closeImport(by: Person, project: ProjectAccess, source: string | null): Promise<ImportState | null>;
  openExport(by: Person, project: ProjectAccess): Promise<ExportState>;
  exportPage(by: Person, project: ProjectAccess, page: PageBody & { readonly exportId: string }): Promise<ExportPage>;
  closeExport(by: Person, project: ProjectAccess, exportId: string): Promise<null>;
}

export function createTransferService({
  cells,
  db,
}: {
  readonly cells: TransferCells;
  readonly db: ControlDatabase;
}): TransferService {
  /** Recorded before the call, so that no action is missing in the log. */
  const audit = (by: Person, project: ProjectAccess, action: string, detail: Record<string, unknown>): Promise<void> =>
    writeAudit(db, { personId: by.id, projectId: project.id, action, subject: project.id, detail });
  const call = <T>(answer: Promise<T>): Promise<T> =>
    callCell(answer, { ...refusals, 404: (refused) => refuse("NOT_FOUND", refused.detail) });
  return {
    shape: (by, project) => call(cells.shape(project, actorOf(by, project))),
    openImport: async (by, project, { source, label }) => {
      await audit(by, project, "import.opened", { source: label });
      return call(cells.openImport(project, actorOf(by, project), { source, label }));
    },
    findImport: (by, project, source) => orNull(cells.findImport(project, actorOf(by, project), source)),
    takeBatch: (by, project, batch) => call(cells.takeBatch(project, actorOf(by, project), batch)),
    closeImport: async (by, project, source) => {
      const closed = await orNull(cells.closeImport(project, actorOf(by, project), { source }));
      const total = (of: "accepted" | "refused"): number => closed?.steps.reduce((sum, step) => sum + step[of], 0) ?? 0;
      await audit(by, project, "import.closed", { accepted: total("accepted"), refused: total("refused") });
      return closed;
    },
    openExport: async (by, project) => {
      await audit(by, project, "export.opened", {});
      return call(cells.openExport(project, actorOf(by, project)));
    },
    exportPage: (by, project, { exportId, part, after }) =>
      call(cells.exportPage(project, actorOf(by, project), exportId, { part, after })),
    closeExport: (by, project, exportId) => call(cells.closeExport(project, actorOf(by, project), exportId)),
  };
}
