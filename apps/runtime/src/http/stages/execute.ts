// Stage 9: executes the operation in one statement. In: a call. Out: the outcome, with the record as JSON text. It
// never looks into the record.
import type { CursorCodec } from "../../query/cursor.ts";
import { PLAIN_READING } from "../../query/read-statement.ts";
import {
  aggregateRecords,
  createRecord,
  deleteRecord,
  listRecords,
  type Request,
  readRecord,
  restoreRecord,
  takeTransition,
  updateRecord,
} from "../../query/run.ts";
import type { Call } from "./decode-input.ts";

export type Outcome =
  | { readonly kind: "page"; readonly json: Buffer }
  | ({ readonly kind: "record"; readonly json: string } & Written)
  | ({ readonly kind: "created"; readonly json: string; readonly recordId: string } & Written)
  | ({ readonly kind: "deleted" } & Written);

interface Written {
  /** The reply was saved earlier, and nothing has happened now. */
  readonly isReplayed?: true;
}

export interface ExecuteDependencies {
  readonly cursors: CursorCodec;
}

export async function execute(dependencies: ExecuteDependencies, request: Request, call: Call): Promise<Outcome> {
  switch (call.kind) {
    case "list":
      return { kind: "page", json: await listRecords(request, call.query, dependencies.cursors) };
    case "aggregate":
      return { kind: "page", json: await aggregateRecords(request, call.query) };
    case "read": {
      const reading = { ...PLAIN_READING, selection: call.selection };
      return { kind: "record", json: await readRecord(request, call.recordId, reading) };
    }
    case "find": {
      const reading = { ...PLAIN_READING, selection: call.selection, key: call.key };
      return { kind: "record", json: await readRecord(request, null, reading) };
    }
    case "create": {
      const { recordId, values, generated } = call;
      return { kind: "created", json: await createRecord(request, recordId, values, generated), recordId };
    }
    case "update":
      return { kind: "record", json: await updateRecord(request, call.recordId, call.values, call.isTouched) };
    case "transition":
      return { kind: "record", json: await takeTransition(request, call.recordId, call.edge, call.values) };
    case "restore":
      return { kind: "record", json: await restoreRecord(request, call.recordId) };
    case "delete":
      await deleteRecord(request, call.recordId);
      return { kind: "deleted" };
  }
}
