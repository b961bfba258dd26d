// A run that needs attention: calls were sent, and nobody knows whether they had their effect. In: the run. Out: the decision of a person
// who has checked at the other service: the call is done, with its output; or it failed, and so does its step.
"use client";
import type { Run } from "@plinth/control/router";
import { Check, TriangleAlert, X } from "lucide-react";
import { useId, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import type { CallDecision } from "./run-actions.tsx";

interface AttentionCardProps {
  run: Run;
  mayAct: boolean;
  /** The decision that is being sent; null if none is. */
  pending: "done" | "fail" | null;
  onDone: (decision: CallDecision, output: unknown) => void;
  onFail: (decision: CallDecision) => void;
}

export function AttentionCard({ run, mayAct, ...decisions }: AttentionCardProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const uncertain = run.steps.filter(({ status }) => status === "started").map(({ path }) => path);
  const path = uncertain.find((each) => each === chosen) ?? uncertain[0] ?? null;
  return (
    <section
      aria-label="Needs attention"
      className="flex flex-col gap-3 rounded-lg border border-warn/40 bg-warn-soft/40 px-4 py-3.5"
    >
      <div>
        <p className="flex items-center gap-2 font-medium">
          <TriangleAlert className="size-4 shrink-0 text-warn" aria-hidden />
          {uncertain.length > 1
            ? `Nobody knows whether ${uncertain.length} calls had their effect`
            : "Nobody knows whether a call had its effect"}
        </p>
        <p className="mt-0.5 text-[0.8125rem] break-words text-ink-soft">{run.error?.message}</p>
        <p className="mt-1 text-[0.8125rem] text-ink-soft">
          Check at the other service whether {path === null ? "the call" : null}
          {path === null ? null : <span className="font-mono text-xs">{path}</span>} had its effect. If it had, mark it
          as done. If not, mark it as failed, or retry the run, which sends the call again.
          {uncertain.length > 1 ? " The run continues when you have decided all of them." : null}
        </p>
      </div>
      {mayAct && uncertain.length > 1 ? (
        <SelectField label="Call" value={path ?? ""} onChange={(event) => setChosen(event.target.value)}>
          {uncertain.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </SelectField>
      ) : null}
      {mayAct && path !== null ? <DecisionForm key={path} step={path} {...decisions} /> : null}
    </section>
  );
}

/** The form for the decision about one call. */
function DecisionForm({
  step,
  pending,
  onDone,
  onFail,
}: Omit<AttentionCardProps, "run" | "mayAct"> & { step: string }) {
  const id = useId();
  const [output, setOutput] = useState("");
  const [note, setNote] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const decision = { step, note: note.trim() === "" ? undefined : note.trim() };
  const markDone = (): void => {
    try {
      const value: unknown = output.trim() === "" ? null : JSON.parse(output);
      setProblem(null);
      onDone(decision, value);
    } catch {
      setProblem('This is not valid JSON. Write an object as {"id": "ch_1"}, and a text in double quotes.');
    }
  };
  return (
    <>
      <div className="flex flex-col gap-1.5">
        <label htmlFor={id} className="text-[0.8125rem] font-medium">
          Output of the call
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
          {problem ?? "JSON that later steps read. Leave it empty if no step reads it."}
        </p>
      </div>
      <div className="flex flex-wrap items-end gap-2">
        <TextField
          label="Note"
          hideLabel
          placeholder="Reason, for the audit log"
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
          onClick={pending === null ? () => onFail(decision) : undefined}
          icon={<X aria-hidden />}
        >
          Mark as failed
        </Button>
      </div>
    </>
  );
}
