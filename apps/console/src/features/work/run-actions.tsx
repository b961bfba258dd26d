// The actions of a person on a run: cancel, retry, approve, decide about a call. In: the run's id. Out: functions that send these requests
// and refetch the run; the confirmation before a request that can't be undone.
"use client";
import type { RunWait } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";

/** `from`: the path of a step; null for the first step that did not complete. */
export type RunAction = { readonly kind: "cancel" } | { readonly kind: "retry"; readonly from: string | null };

export interface RunActions {
  readonly error: unknown;
  /** The action that waits for its confirmation. */
  readonly unconfirmed: RunAction | null;
  /** Asks for a confirmation of the action; null closes the question. */
  readonly ask: (action: RunAction | null) => void;
  readonly pending: "cancel" | "retry" | null;
  /** The answer to an approval that is being sent; null if none is. */
  readonly answering: boolean | null;
  readonly start: (action: RunAction) => void;
  readonly answer: (wait: RunWait, approved: boolean, note: string | undefined) => void;
  /** The decision about a call that is being sent; null if none is. */
  readonly deciding: "done" | "fail" | null;
  readonly markDone: (decision: CallDecision, output: unknown) => void;
  readonly markFailed: (decision: CallDecision) => void;
}

/** A person's decision about a call of the run. */
export interface CallDecision {
  /** The path of the step that sent the call. */
  readonly step: string;
  readonly note: string | undefined;
}

export function useRunActions(projectId: string, runId: string): RunActions {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [unconfirmed, ask] = useState<RunAction | null>(null);
  // Also after an error: then the run has probably changed since it was loaded.
  const onSettled = (): Promise<void> => queryClient.invalidateQueries({ queryKey: trpc.work.pathKey() });
  const cancel = useMutation(trpc.work.cancel.mutationOptions({ onSettled }));
  const retry = useMutation(trpc.work.retry.mutationOptions({ onSettled }));
  const approve = useMutation(trpc.work.approve.mutationOptions({ onSettled }));
  const done = useMutation(trpc.work.markDone.mutationOptions({ onSettled }));
  const failed = useMutation(trpc.work.markFailed.mutationOptions({ onSettled }));
  const all = [cancel, retry, approve, done, failed];
  const pending = cancel.isPending ? "cancel" : retry.isPending ? "retry" : null;
  const reset = (): void => {
    for (const each of all) each.reset();
  };
  return {
    error: all.find((each) => each.error !== null)?.error ?? null,
    unconfirmed,
    ask,
    pending,
    answering: approve.isPending ? approve.variables.approved : null,
    start: (action) => {
      if (pending !== null) return;
      reset();
      if (action.kind === "cancel") cancel.mutate({ projectId, runId });
      else retry.mutate({ projectId, runId, ...(action.from === null ? {} : { from: action.from }) });
    },
    answer: ({ path, createdAt }, approved, note) => {
      reset();
      approve.mutate({
        projectId,
        runId,
        step: path,
        since: createdAt,
        approved,
        ...(note === undefined ? {} : { note }),
      });
    },
    deciding: done.isPending ? "done" : failed.isPending ? "fail" : null,
    markDone: (decision, output) => {
      reset();
      done.mutate({ projectId, runId, output, ...decision });
    },
    markFailed: (decision) => {
      reset();
      failed.mutate({ projectId, runId, ...decision });
    },
  };
}

export function RunActionDialog({ actions }: { actions: RunActions }) {
  const { unconfirmed, ask, start } = actions;
  if (unconfirmed === null) return null;
  return (
    <ConfirmDialog
      open
      onClose={() => ask(null)}
      {...questionOf(unconfirmed)}
      onConfirm={() => {
        ask(null);
        start(unconfirmed);
      }}
    />
  );
}

function questionOf(action: RunAction): { title: string; description: string; action: string; keep: string } {
  if (action.kind === "cancel") {
    return {
      title: "Cancel this run?",
      description:
        "No further step begins, and completed steps with a compensation are undone. A call in progress still ends.",
      action: "Cancel run",
      keep: "Keep it running",
    };
  }
  if (action.from === null) {
    return {
      title: "Retry this run?",
      description:
        "It continues from the first step that did not complete. A call of that step is sent again, even if it already had its effect.",
      action: "Retry",
      keep: "Leave it",
    };
  }
  return {
    title: `Retry from ${action.from}?`,
    description:
      "This step and all steps that began after it run again, including completed ones. The results of earlier steps stay.",
    action: "Retry from here",
    keep: "Leave it",
  };
}
