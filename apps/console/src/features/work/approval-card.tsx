// A run that waits for somebody's yes. In: who may give it. Out: the answer, with a note if there is one.
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
  /** What the workflow tells those who are asked; null for nothing. */
  message: string | null;
  mayAct: boolean;
  /** Which answer is under way; null for none. */
  pending: boolean | null;
  onAnswer: (approved: boolean, note: string | undefined) => void;
}

export function ApprovalCard({ wait, message, mayAct, pending, onAnswer }: ApprovalCardProps) {
  const [note, setNote] = useState("");
  const isAsked = wait.roles?.includes(consoleRole) === true;
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
          The step <span className="font-mono text-xs">{wait.path}</span> asks for a yes of {rolesText(wait)}
          {wait.until === null ? (
            "."
          ) : (
            <>
              ; it gives up <Time at={wait.until} />.
            </>
          )}
        </p>
        {mayAct && !isAsked ? (
          <p className="mt-0.5 text-[0.8125rem] text-ink-soft">
            The console acts as {consoleRole}, and can't give it. Your app does for a user with the role, by{" "}
            <span className="font-mono text-xs">POST /v1/runs/{"<id>"}/approve</span> with this step.
          </p>
        ) : null}
      </div>
      {mayAct && isAsked ? (
        <div className="flex flex-wrap items-end gap-2">
          <TextField
            label="Note"
            hideLabel
            placeholder="Note, if you like"
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
