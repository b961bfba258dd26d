// The approval that a run waits for. In: the roles that can give it. Out: the answer, with an optional note.
"use client";
import type { RunWait } from "@plinth/control/router";
import { Check, Hourglass, X } from "lucide-react";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Time } from "../../ui/time.tsx";
import { consoleRole, rolesText } from "./run-words.ts";

interface ApprovalCardProps {
  wait: RunWait;
  /** The message of the workflow to the people who decide; null if it has none. */
  message: string | null;
  mayAct: boolean;
  /** The answer that is being sent; null if none is. */
  pending: boolean | null;
  onAnswer: (approved: boolean, note: string | undefined) => void;
}

export function ApprovalCard({ wait, message, mayAct, pending, onAnswer }: ApprovalCardProps) {
  const [note, setNote] = useState("");
  const mayApprove = wait.roles?.includes(consoleRole) === true;
  const answer = (approved: boolean): void => {
    if (pending === null) onAnswer(approved, note.trim() === "" ? undefined : note.trim());
  };
  return (
    <section
      aria-label="Approval"
      className="flex flex-wrap items-end gap-x-4 gap-y-3 rounded-lg border border-accent/40 bg-accent-soft/50 px-4 py-3.5"
    >
      <div className="min-w-0 flex-1 basis-64 self-center">
        <p className="flex items-center gap-2 font-medium">
          <Hourglass className="size-4 shrink-0 text-accent-text" aria-hidden />
          Waits for approval
        </p>
        {message === null ? null : <p className="mt-1 whitespace-pre-line wrap-anywhere">{message}</p>}
        <p className="mt-0.5 text-[0.8125rem] text-ink-soft">
          The step <span className="font-mono text-xs">{wait.path}</span> needs the approval of {rolesText(wait)}
          {wait.until === null ? (
            "."
          ) : (
            <>
              ; it times out <Time at={wait.until} />.
            </>
          )}
        </p>
        {mayAct && !mayApprove ? (
          <p className="mt-0.5 text-[0.8125rem] text-ink-soft">
            The console acts as {consoleRole}, and can't approve this. A user with the role approves it in your app,
            with <span className="font-mono text-xs">POST /v1/runs/{"<id>"}/approve</span> and this step.
          </p>
        ) : null}
      </div>
      {mayAct && mayApprove ? (
        <div className="flex flex-wrap items-end gap-2">
          <TextField
            label="Note"
            hideLabel
            placeholder="Note (optional)"
            maxLength={2000}
            className="h-8 w-60 text-[0.8125rem]"
            value={note}
            onChange={(event) => setNote(event.target.value)}
          />
          <Button variant="danger" pending={pending === false} onClick={() => answer(false)} icon={<X aria-hidden />}>
            Refuse
          </Button>
          <Button
            variant="primary"
            pending={pending === true}
            onClick={() => answer(true)}
            icon={<Check aria-hidden />}
          >
            Approve
          </Button>
        </div>
      ) : null}
    </section>
  );
}
