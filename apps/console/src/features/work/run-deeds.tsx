// What a person does to a run. In: the run's id. Out: calls to cancel, retry and approve, each followed by a fresh look; and the
// question before what can't be taken back.
"use client";
import type { RunWait } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";

/** `from`: a step's path; null for the first that did not complete. */
export type Asked = { readonly deed: "cancel" } | { readonly deed: "retry"; readonly from: string | null };

export interface RunDeeds {
  readonly error: unknown;
  readonly asked: Asked | null;
  readonly ask: (asked: Asked | null) => void;
  readonly pending: "cancel" | "retry" | null;
  /** Which answer is under way; null for none. */
  readonly answering: boolean | null;
  readonly take: (asked: Asked) => void;
  readonly answer: (to: RunWait, approved: boolean, note: string | undefined) => void;
  /** Which end of a call is being marked; null for none. */
  readonly settling: "done" | "fail" | null;
  readonly markDone: (settling: Settling, output: unknown) => void;
  readonly markFailed: (settling: Settling) => void;
}

/** Which call of the run, and why. */
export interface Settling {
  /** The path of its step. */
  readonly step: string;
  readonly note: string | undefined;
}

export function useRunDeeds(projectId: string, runId: string): RunDeeds {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [asked, ask] = useState<Asked | null>(null);
  // Also after a refusal: the run then is probably not as it is shown.
  const onSettled = (): Promise<void> => queryClient.invalidateQueries({ queryKey: trpc.work.pathKey() });
  const cancel = useMutation(trpc.work.cancel.mutationOptions({ onSettled }));
  const retry = useMutation(trpc.work.retry.mutationOptions({ onSettled }));
  const approve = useMutation(trpc.work.approve.mutationOptions({ onSettled }));
  const done = useMutation(trpc.work.markDone.mutationOptions({ onSettled }));
  const failed = useMutation(trpc.work.markFailed.mutationOptions({ onSettled }));
  const all = [cancel, retry, approve, done, failed];
  const pending = cancel.isPending ? "cancel" : retry.isPending ? "retry" : null;
  const forget = (): void => {
    for (const each of all) each.reset();
  };
  return {
    error: all.find((each) => each.error !== null)?.error ?? null,
    asked,
    ask,
    pending,
    answering: approve.isPending ? approve.variables.approved : null,
    take: (wanted) => {
      if (pending !== null) return;
      forget();
      if (wanted.deed === "cancel") cancel.mutate({ projectId, runId });
      else retry.mutate({ projectId, runId, ...(wanted.from === null ? {} : { from: wanted.from }) });
    },
    answer: ({ path, createdAt }, approved, note) => {
      forget();
      const asked = { step: path, since: createdAt };
      approve.mutate({ projectId, runId, ...asked, approved, ...(note === undefined ? {} : { note }) });
    },
    settling: done.isPending ? "done" : failed.isPending ? "fail" : null,
    markDone: (settling, output) => {
      forget();
      done.mutate({ projectId, runId, output, ...settling });
    },
    markFailed: (settling) => {
      forget();
      failed.mutate({ projectId, runId, ...settling });
    },
  };
}

export function RunDeedDialog({ deeds }: { deeds: RunDeeds }) {
  const { asked, ask, take } = deeds;
  if (asked === null) return null;
  return (
    <ConfirmDialog
      open
      onClose={() => ask(null)}
      {...questionOf(asked)}
      onConfirm={() => {
        ask(null);
        take(asked);
      }}
    />
  );
}

function questionOf(asked: Asked): { title: string; description: string; action: string; keep: string } {
  if (asked.deed === "cancel") {
    return {
      title: "Cancel this run?",
      description: "No further step begins, and what is done is undone as its steps say. A call under way still ends.",
      action: "Cancel run",
      keep: "Keep it running",
    };
  }
  if (asked.from === null) {
    return {
      title: "Retry this run?",
      description:
        "It goes on from the first step that did not complete. A call of that step may have had its effect already, and would be made again.",
      action: "Retry",
      keep: "Leave it",
    };
  }
  return {
    title: `Retry from ${asked.from}?`,
    description:
      "This step and all that began after it run again, those that completed included. What came before it stands.",
    action: "Retry from here",
    keep: "Leave it",
  };
}
