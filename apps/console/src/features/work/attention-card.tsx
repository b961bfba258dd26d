// A run that needs attention: calls were made, and nobody knows whether they had their effect. In: the run. Out: what somebody has
// found out at the other side about one call: it is done, with what the call gave; it is not, and its step fails; or it is made again.
"use client";
import type { Run } from "@plinth/control/router";
import { Check, TriangleAlert, X } from "lucide-react";
import { useId, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import type { Settling } from "./run-deeds.tsx";

interface AttentionCardProps {
  run: Run;
  mayAct: boolean;
  /** Which answer is under way; null for none. */
  pending: "done" | "fail" | null;
  onDone: (settling: Settling, output: unknown) => void;
  onFail: (settling: Settling) => void;
}

export function AttentionCard({ run, mayAct, ...answering }: AttentionCardProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const lost = run.steps.filter(({ status }) => status === "started").map(({ path }) => path);
  const path = lost.find((each) => each === chosen) ?? lost[0] ?? null;
  return (
    <section
      aria-label="Needs attention"
      className="flex flex-col gap-3 rounded-lg border border-warn/40 bg-warn-soft/40 px-4 py-3.5"
    >
      <div>
        <p className="flex items-center gap-2 font-medium">
          <TriangleAlert className="size-4 shrink-0 text-warn" aria-hidden />
          {lost.length > 1
            ? `Nobody knows whether ${lost.length} calls had their effect`
            : "Nobody knows whether a call had its effect"}
        </p>
        <p className="mt-0.5 text-[0.8125rem] break-words text-ink-soft">{run.error?.message}</p>
        <p className="mt-1 text-[0.8125rem] text-ink-soft">
          Find out at the other side{path === null ? "" : " what came of "}
          {path === null ? null : <span className="font-mono text-xs">{path}</span>}. Had it its effect, mark it as
          done; had it none, fail it, or retry the run: that makes the call again.
          {lost.length > 1 ? " The run goes on when the last of them is settled." : null}
        </p>
      </div>
      {mayAct && lost.length > 1 ? (
        <SelectField label="Call" value={path ?? ""} onChange={(event) => setChosen(event.target.value)}>
          {lost.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </SelectField>
      ) : null}
      {mayAct && path !== null ? <Settlement key={path} step={path} {...answering} /> : null}
    </section>
  );
}

/** How one call ended. */
function Settlement({ step, pending, onDone, onFail }: Omit<AttentionCardProps, "run" | "mayAct"> & { step: string }) {
  const id = useId();
  const [output, setOutput] = useState("");
  const [note, setNote] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const settling = { step, note: note.trim() === "" ? undefined : note.trim() };
  const markDone = (): void => {
    try {
      const value: unknown = output.trim() === "" ? null : JSON.parse(output);
      setProblem(null);
      onDone(settling, value);
    } catch {
      setProblem('This is no JSON. An object is written as {"id": "ch_1"}, a text in double quotes.');
    }
  };
  return (
    <>
      <div className="flex flex-col gap-1.5">
        <label htmlFor={id} className="text-[0.8125rem] font-medium">
          Output to go on with
        </label>
        <textarea
          id={id}
          rows={3}
          spellCheck={false}
          placeholder='{"status": 200, "body": {"id": "ch_1"}}'
          className="w-full rounded-md border border-line-strong bg-surface px-2.5 py-2 font-mono text-xs text-ink shadow-card placeholder:text-ink-faint aria-invalid:border-bad"
          aria-invalid={problem === null ? undefined : true}
          aria-describedby={`${id}-note`}
          value={output}
          onChange={(event) => {
            setOutput(event.target.value);
            setProblem(null);
          }}
        />
        <p
          id={`${id}-note`}
          role={problem === null ? undefined : "alert"}
          className={problem === null ? "text-[0.8125rem] text-ink-soft" : "text-[0.8125rem] text-bad"}
        >
          {problem ?? "As JSON; what steps behind it read. Nothing, where none does."}
        </p>
      </div>
      <div className="flex flex-wrap items-end gap-2">
        <TextField
          label="Note"
          hideLabel
          placeholder="Why, for the audit log"
          maxLength={2000}
          className="h-8 w-60 text-[0.8125rem]"
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
        <Button
          variant="primary"
          pending={pending === "done"}
          onClick={pending === null ? markDone : undefined}
          icon={<Check aria-hidden />}
        >
          Mark as done
        </Button>
        <Button
          variant="danger"
          pending={pending === "fail"}
          onClick={pending === null ? () => onFail(settling) : undefined}
          icon={<X aria-hidden />}
        >
          Fail it
        </Button>
      </div>
    </>
  );
}
