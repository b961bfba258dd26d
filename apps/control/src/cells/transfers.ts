// The calls to a cell with large numbers of records. In: a project's cell, the person, a batch or a position. Out: the cell's
// answers. They can take longer than other calls: a batch is its own transaction over thousands of rows.
import {
  type BatchBody,
  type BatchOutcome,
  type CellCall,
  cellPath,
  type ExportPage,
  type ExportState,
  type ImportBody,
  type ImportState,
  type PageBody,
  type TransferShape,
  transferCalls,
} from "@plinth/bundle/cell";
import type { actorOf } from "./call-as-person.ts";
import { type Placement, read, type Transport } from "./transport.ts";

type Actor = ReturnType<typeof actorOf>;

/** All of them throw CellRefused and CellUnavailable. */
export interface TransferCells {
  shape(project: Placement, actor: Actor): Promise<TransferShape>;
  openImport(project: Placement, actor: Actor, body: ImportBody): Promise<ImportState>;
  findImport(project: Placement, actor: Actor, source: string): Promise<ImportState>;
  takeBatch(project: Placement, actor: Actor, body: BatchBody): Promise<BatchOutcome>;
  closeImport(project: Placement, actor: Actor, body: { readonly source: string | null }): Promise<ImportState>;
  openExport(project: Placement, actor: Actor): Promise<ExportState>;
  exportPage(project: Placement, actor: Actor, exportId: string, body: PageBody): Promise<ExportPage>;
  closeExport(project: Placement, actor: Actor, exportId: string): Promise<null>;
}

const TRANSFER_MS_MAX = 90_000;

export function createTransferCells({ ask }: Transport): TransferCells {
  const call = async <Body, Answer>(
    project: Placement,
    { email, role }: Actor,
    { method, path, answer }: CellCall<Body, Answer>,
    { body, names = {} }: { readonly body?: Body; readonly names?: Readonly<Record<string, string>> } = {},
  ): Promise<Answer> => {
    const answered = await ask(project, {
      method,
      path: cellPath(path, { projectId: project.id, ...names }),
      body: body === undefined ? undefined : JSON.stringify(body),
      as: { subject: email, role },
      signal: AbortSignal.timeout(TRANSFER_MS_MAX),
    });
    return answer === null ? (null as Answer) : read(answer, answered);
  };
  return {
    shape: (project, actor) => call(project, actor, transferCalls.shape),
    openImport: (project, actor, body) => call(project, actor, transferCalls.openImport, { body }),
    findImport: (project, actor, source) => call(project, actor, transferCalls.findImport, { names: { source } }),
    takeBatch: (project, actor, body) => call(project, actor, transferCalls.takeBatch, { body }),
    closeImport: (project, actor, body) => call(project, actor, transferCalls.closeImport, { body }),
    openExport: (project, actor) => call(project, actor, transferCalls.openExport),
    exportPage: (project, actor, exportId, body) =>
      call(project, actor, transferCalls.readPage, { body, names: { exportId } }),
    closeExport: (project, actor, exportId) => call(project, actor, transferCalls.closeExport, { names: { exportId } }),
  };
}
