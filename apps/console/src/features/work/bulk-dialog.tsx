// The confirmation before many runs are retried or cancelled at once. In: which runs, and how many. Out: the confirmation. It names the
// number, and says if one call can't take all of them.
"use client";
import type { RunKind } from "@plinth/control/router";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";

/** The limit of the cell for one call. */
const perCallMax = 500;

export interface BulkQuestion {
  readonly workflow: string;
  readonly kind: RunKind;
  /** The error of the runs to retry; null to cancel all runs that have not ended. */
  readonly code: string | null;
  readonly count: number;
  /** The time of the count: later runs are not included. */
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
  const runs = countText(Math.min(count, perCallMax));
  const bound =
    count > perCallMax
      ? ` These are the oldest ${perCallMax} of ${count.toLocaleString("en")}: one call takes no more.`
      : "";
  const words =
    code === null
      ? {
          title: `Cancel ${runs} of ${workflow}?`,
          description: `They begin no further steps, and completed steps with a compensation are undone.${bound}`,
          action: `Cancel ${runs}`,
          keep: "Keep them",
        }
      : {
          title: `Retry ${runs} of ${workflow}?`,
          description: `All runs that failed with ${code} continue from their first step that did not complete.${bound}`,
          action: `Retry ${runs}`,
          keep: "Leave them",
        };
  return <ConfirmDialog open onClose={onClose} {...words} onConfirm={() => onConfirm(question)} />;
}

export function countText(count: number): string {
  return count === 1 ? "1 run" : `${count.toLocaleString("en")} runs`;
}
