// The thread that checks large bodies. In: a shape and bytes. Out: texts and problems, or a fault, as plain data. It
// has no credentials and no connections, and keeps records only while it checks them.
import { parentPort } from "node:worker_threads";
import { Fault, type FaultCode, type FieldError, giveWayAsThread, RecentMap } from "@plinth/service";
import {
  type BodyChecker,
  type BodyShape,
  type CheckedBody,
  checkBody,
  createBodyChecker,
} from "../../records/check-body.ts";
import { checkList, type ListedBody } from "../../records/check-list.ts";

export interface BodyTask {
  readonly key: string;
  /** Null: the thread should know the shape by its key. */
  readonly shape: BodyShape | null;
  readonly bytes: Uint8Array;
  /** For a list: what is done to each of its records. */
  readonly list: "create" | "update" | null;
}

export type BodyAnswer =
  | { readonly kind: "checked"; readonly bodies: readonly (CheckedBody | ListedBody)[] }
  | { readonly kind: "unknown_shape"; readonly bytes: Uint8Array }
  | {
      readonly kind: "fault";
      readonly code: FaultCode;
      readonly detail: string | null;
      readonly errors: readonly FieldError[];
    }
  | { readonly kind: "failed"; readonly message: string };

const SHAPES_MAX = 100;
/** Under load this thread gets about a tenth of the processor time of another process. */
const NICENESS = 10;

// Small requests have priority when both want the processor. On systems other than Linux, this thread competes with the
// rest of the process, with one body at a time.
giveWayAsThread(NICENESS);
const checkers = new RecentMap<string, BodyChecker>(SHAPES_MAX);
parentPort?.on("message", (task: BodyTask) => {
  const answer = answerOf(task);
  parentPort?.postMessage(answer, answer.kind === "unknown_shape" ? [answer.bytes.buffer as ArrayBuffer] : []);
});

function answerOf({ key, shape, bytes, list }: BodyTask): BodyAnswer {
  try {
    const checker = checkerOf(key, shape);
    if (checker === null) return { kind: "unknown_shape", bytes };
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const bodies = list === null ? [checkBody(checker, buffer)] : checkList(checker, list, buffer);
    return { kind: "checked", bodies };
  } catch (error) {
    if (!(error instanceof Fault)) return { kind: "failed", message: (error as Error).message };
    return { kind: "fault", code: error.code, detail: error.detail, errors: error.errors };
  }
}

function checkerOf(key: string, shape: BodyShape | null): BodyChecker | null {
  const known = checkers.get(key);
  if (known !== undefined) return known;
  if (shape === null) return null;
  const checker = createBodyChecker(shape);
  checkers.set(key, checker);
  return checker;
}
