// The question before many runs are retried or cancelled at once. In: which, and how many. Out: the answer. It names the number, and
// says where that is more than one call takes.
"use client";
import type { RunKind } from "@plinth/control/router";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";

/** As the cell bounds it: what is more is left to the next call. */
const onceMax = 500;

export interface BulkQuestion {
  readonly workflow: string;
  readonly kind: RunKind;
  /** The error of those that are to be retried; null to cancel all that have not ended. */
  readonly code: string | null;
  readonly count: number;
  /** When they were counted: what came later is not meant. */
  readonly until: string;
}

interface BulkDialogProps {
  question: BulkQuestion | null;
  onClose: () => void;
  onConfirm: (question: BulkQuestion) => void;
}

export function BulkDialog({ question, onClose, onConfirm }: BulkDialogProps) {
  if (question === null) return null;
  const { workflow, code, count } = question;
  const runs = countText(Math.min(count, onceMax));
  const bound =
    count > onceMax
      ? ` It is the oldest ${onceMax} of ${count.toLocaleString("en")}: more than that is not done at once.`
      : "";
  const words =
    code === null
      ? {
          title: `Cancel ${runs} of ${workflow}?`,
          description: `No further step of them begins, and what they have done is undone as their steps say.${bound}`,
          action: `Cancel ${runs}`,
          keep: "Keep them",
        }
      : {
          title: `Retry ${runs} of ${workflow}?`,
          description: `All that failed with ${code} go on from their first step that did not complete.${bound}`,
          action: `Retry ${runs}`,
          keep: "Leave them",
        };
  return <ConfirmDialog open onClose={onClose} {...words} onConfirm={() => onConfirm(question)} />;
}

export function countText(count: number): string {
  return count === 1 ? "1 run" : `${count.toLocaleString("en")} runs`;
}
