// The chosen step of a run. In: the run and the step. Out: its status, attempts, input and output, and a button to retry from it if the run
// allows that.
import type { Run, RunStep, RunWait } from "@plinth/control/router";
import { RotateCcw } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Notice } from "../../ui/notice.tsx";
import { shortId } from "../../ui/short-id.ts";
import { Time } from "../../ui/time.tsx";
import { durationText } from "./duration.ts";
import { JsonView } from "./json-view.tsx";
import { approvalAnswer, mayRetry, type WaitWords, waitWords } from "./run-words.ts";
import { StepBadge } from "./status-badge.tsx";
import { runPath } from "./work-links.tsx";

interface StepDetailProps {
  projectId: string;
  run: Run;
  step: RunStep;
  /** Null if the person has no right to. */
  onRetry: (() => void) | null;
}

export function StepDetail({ projectId, run, step, onRetry }: StepDetailProps) {
  const attempts = run.attempts.filter(({ path }) => path === step.path);
  const wait = run.waits.find(({ path }) => path === step.path) ?? null;
  const words = waitWords(step, run.waits);
  // A retry creates compensations again, so it can't start at one.
  const canRetry = onRetry !== null && mayRetry(run.status) && !step.path.includes("/compensate/");
  return (
    <Card
      title={
        <span className="flex flex-wrap items-center gap-2.5">
          <span className="font-mono text-[0.8125rem]">{step.path}</span>
          <StepBadge status={step.status} />
        </span>
      }
      description={summaryOf(step)}
      actions={
        canRetry ? (
          <Button size="small" onClick={onRetry} icon={<RotateCcw aria-hidden />}>
            Retry from this step
          </Button>
        ) : null
      }
    >
      <div className="flex flex-col gap-4">
        {words === null ? null : (
          <p className="text-[0.8125rem]">
            <Waiting projectId={projectId} words={words} />
          </p>
        )}
        {wait === null ? null : <Answered wait={wait} />}
        {step.error === null ? null : (
          <Notice tone={step.status === "failed" ? "bad" : "warn"} title={<Code>{step.error.code}</Code>}>
            <p className="break-words">{step.error.message}</p>
            {step.error.body == null ? null : (
              <pre className="mt-1 max-h-48 overflow-auto font-mono text-xs break-words whitespace-pre-wrap">
                {step.error.body}
              </pre>
            )}
          </Notice>
        )}
        {attempts.length === 0 ? null : (
          <Part name="Attempts">
            <ol className="divide-y rounded-md border text-[0.8125rem]">
              {attempts.map(({ attempt, startedAt, endedAt, error }) => (
                <li key={attempt} className="flex flex-wrap items-baseline gap-x-3 px-3 py-1.5">
                  <span className="text-ink-soft tabular-nums">{attempt}.</span>
                  <Time at={startedAt} className="text-ink-soft" />
                  {endedAt === null ? null : (
                    <span className="text-ink-soft tabular-nums">
                      {durationText(Date.parse(endedAt) - Date.parse(startedAt))}
                    </span>
                  )}
                  <span className={error === null ? "text-good" : "min-w-0 break-words text-bad"}>
                    {error === null ? "succeeded" : error.message}
                  </span>
                </li>
              ))}
            </ol>
          </Part>
        )}
        {step.input == null ? null : (
          <Part name="Input">
            <JsonView value={step.input} label={`input of ${step.path}`} />
          </Part>
        )}
        {step.output == null && step.status !== "completed" ? null : (
          <Part name="Output">
            <JsonView value={step.output} label={`output of ${step.path}`} />
          </Part>
        )}
      </div>
    </Card>
  );
}

function summaryOf({ attempts, startedAt, endedAt }: RunStep): ReactNode {
  const took = startedAt === null || endedAt === null ? 0 : Date.parse(endedAt) - Date.parse(startedAt);
  return (
    <>
      {startedAt === null ? "Not started" : <Time at={startedAt} />}
      {took < 1 ? null : `, took ${durationText(took)}`}
      {attempts === 0 ? null : `, ${attempts === 1 ? "one attempt" : `${attempts} attempts`}`}
    </>
  );
}

function Waiting({ projectId, words }: { projectId: string; words: WaitWords }) {
  if (words.kind === "run") {
    return (
      <>
        It waits for the run{" "}
        <Link href={runPath(projectId, words.runId)} className="font-mono text-xs text-accent-text hover:underline">
          {shortId(words.runId)}
        </Link>
        .
      </>
    );
  }
  const { kind, text, until } = words;
  return (
    <>
      {kind === "pause" ? `It ${text}` : `It waits for ${text}`}
      {until === null ? null : (
        <>
          {kind === "pause" ? ": " : ", and times out "}
          <Time at={until} />
        </>
      )}
      .
    </>
  );
}

function Answered({ wait }: { wait: RunWait }) {
  const answer = approvalAnswer(wait);
  if (answer === null) return null;
  return (
    <p className="text-[0.8125rem]">
      <span className={answer.approved ? "font-medium text-good" : "font-medium text-bad"}>
        {answer.approved ? "Approved" : "Refused"}
      </span>{" "}
      by {answer.by}
      {answer.note === null ? "." : `: “${answer.note}”`}
    </p>
  );
}

function Part({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <h3 className="mb-1.5 text-xs font-medium text-ink-soft">{name}</h3>
      {children}
    </div>
  );
}

function Code({ children }: { children: ReactNode }) {
  return <span className="font-mono text-[0.8125rem]">{children}</span>;
}
