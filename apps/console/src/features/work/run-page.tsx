// One run. In: its id. Out: its steps on a time scale, the details of the chosen step, its context, and buttons to act on it. It is
// refetched every two seconds until the run has ended.
"use client";
import type { Run } from "@plinth/control/router";
import { useQuery } from "@tanstack/react-query";
import { Ban, RotateCcw } from "lucide-react";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { BackLink } from "../../ui/back-link.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { Skeleton, SkeletonRows } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { ApprovalCard } from "./approval-card.tsx";
import { AttentionCard } from "./attention-card.tsx";
import { AuditLines } from "./audit-lines.tsx";
import { durationText } from "./duration.ts";
import { RelatedRuns } from "./related-runs.tsx";
import { RunActionDialog, useRunActions } from "./run-actions.tsx";
import { RunFacts } from "./run-facts.tsx";
import { RunTimeline } from "./run-timeline.tsx";
import { approvalMessage, isBusy, mayRetry, openApproval, tookMs, waitText } from "./run-words.ts";
import { RunBadge } from "./status-badge.tsx";
import { StepDetail } from "./step-detail.tsx";
import { timelineOf } from "./timeline.ts";
import { workPath } from "./work-links.tsx";

const pollMs = 2_000;

export function RunPage({ projectId, runId }: { projectId: string; runId: string }) {
  const trpc = useTRPC();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const run = useQuery(
    trpc.work.run.queryOptions(
      { projectId, runId },
      { refetchInterval: ({ state }) => (state.data && isBusy(state.data.status) ? pollMs : false) },
    ),
  );
  return (
    <>
      <BackLink href={workPath(projectId, "runs")}>Runs</BackLink>
      {run.error ? (
        <QueryError error={run.error} what="The run could not be loaded" onRetry={() => void run.refetch()} />
      ) : null}
      {run.isPending ? (
        <>
          <Skeleton className="mb-6 h-7 w-56" />
          <SkeletonRows rows={3} className="h-24" />
        </>
      ) : null}
      {run.data ? (
        <Shown projectId={projectId} run={run.data} now={run.dataUpdatedAt} mayAct={project.data?.may.write === true} />
      ) : null}
    </>
  );
}

function Shown({ projectId, run, now, mayAct }: { projectId: string; run: Run; now: number; mayAct: boolean }) {
  const actions = useRunActions(projectId, run.id);
  const [chosen, setChosen] = useState<string | null>(null);
  // If nobody knows how a call ended, its bar ends with the run.
  const timeline = timelineOf(run, run.endedAt === null ? now : Date.parse(run.endedAt));
  const noAnimation = run.endedAt === null ? "" : "[&_.animate-spin]:animate-none";
  const step = run.steps.find(({ path }) => path === (chosen ?? firstToShow(run))) ?? null;
  const approval = openApproval(run);
  const waiting = new Map(run.steps.flatMap((each) => waitEntry(each.path, waitText(each, run.waits))));
  return (
    <>
      <PageHeader
        title={
          <>
            <span className="font-mono text-lg">{run.workflow}</span>
            <span role="status">
              <RunBadge status={run.status} />
            </span>
          </>
        }
        description={<Description run={run} now={now} />}
        actions={mayAct ? <Actions run={run} actions={actions} /> : null}
      />
      <div className="flex flex-col gap-6">
        {actions.error ? <QueryError error={actions.error} what="The request failed" /> : null}
        <ProblemNotice run={run} />
        {run.status === "needs_attention" ? (
          <AttentionCard
            run={run}
            mayAct={mayAct}
            pending={actions.deciding}
            onDone={actions.markDone}
            onFail={actions.markFailed}
          />
        ) : null}
        {approval === null ? null : (
          <ApprovalCard
            // Another approval starts with an empty note.
            key={`${approval.path} ${approval.createdAt}`}
            wait={approval}
            message={approvalMessage(run.steps.find(({ path }) => path === approval.path))}
            mayAct={mayAct}
            pending={actions.answering}
            onAnswer={(approved, note) => actions.answer(approval, approved, note)}
          />
        )}
        <RunFacts projectId={projectId} run={run} />
        <Card title="Timeline" flush className={noAnimation}>
          {run.steps.length === 0 ? (
            <p className="p-4 text-ink-soft">No step has begun.</p>
          ) : (
            <RunTimeline timeline={timeline} chosen={step?.path ?? null} onChoose={setChosen} waiting={waiting} />
          )}
        </Card>
        {step === null ? null : (
          <div className={noAnimation}>
            <StepDetail
              projectId={projectId}
              run={run}
              step={step}
              onRetry={mayAct ? () => actions.ask({ kind: "retry", from: step.path }) : null}
            />
          </div>
        )}
        <RelatedRuns projectId={projectId} run={run} />
        <AuditLog projectId={projectId} run={run} />
      </div>
      <RunActionDialog actions={actions} />
    </>
  );
}

/** The actions of people on the run, from the project's audit log. */
function AuditLog({ projectId, run }: { projectId: string; run: Run }) {
  const trpc = useTRPC();
  const lines = useQuery(
    trpc.work.audit.queryOptions(
      { projectId, entity: "run", recordId: run.id, limit: 100 },
      { refetchInterval: isBusy(run.status) ? pollMs : false },
    ),
  );
  if (!lines.data || lines.data.data.length === 0) return null;
  return <AuditLines projectId={projectId} title="Audit log" lines={lines.data.data} />;
}

function waitEntry(path: string, text: string | null): readonly (readonly [string, string])[] {
  return text === null ? [] : [[path, text]];
}

/** The step that failed or is in progress; otherwise the first step. */
function firstToShow({ steps }: Run): string | null {
  const found = ["failed", "waiting", "retrying", "started", "delayed"]
    .map((status) => steps.find((step) => step.status === status))
    .find((step) => step !== undefined);
  return (found ?? steps[0])?.path ?? null;
}

function Description({ run, now }: { run: Run; now: number }) {
  const took = tookMs(run, now);
  if (took === null) {
    return (
      <>
        Queued <Time at={run.createdAt} />.
      </>
    );
  }
  return (
    <>
      Started <Time at={run.startedAt ?? run.createdAt} />
      {run.endedAt === null ? `, running for ${durationText(took)}` : `, took ${durationText(took)}`}.
    </>
  );
}

function Actions({ run, actions }: { run: Run; actions: ReturnType<typeof useRunActions> }) {
  return (
    <>
      {run.status === "undo_failed" || (isBusy(run.status) && !run.cancelled) ? (
        <Button
          variant="danger"
          pending={actions.pending === "cancel"}
          onClick={() => actions.ask({ kind: "cancel" })}
          icon={<Ban aria-hidden />}
        >
          {run.status === "undo_failed" ? "Undo again" : "Cancel run"}
        </Button>
      ) : null}
      {mayRetry(run.status) ? (
        <Button
          variant={run.status === "needs_attention" ? "secondary" : "primary"}
          pending={actions.pending === "retry"}
          onClick={() => actions.ask({ kind: "retry", from: null })}
          icon={<RotateCcw aria-hidden />}
        >
          Retry
        </Button>
      ) : null}
    </>
  );
}

function ProblemNotice({ run }: { run: Run }) {
  if ((run.status === "failed" || run.status === "undo_failed") && run.error !== null) {
    const isUndo = run.status === "undo_failed";
    return (
      <Notice tone="bad" title={isUndo ? "A step could not be undone" : "The run failed"}>
        <p className="break-words">
          <span className="font-mono text-xs">{run.error.code}</span> {run.error.message}
        </p>
        {isUndo ? <p>Undo it again, or retry the run to go on from its failed step.</p> : null}
      </Notice>
    );
  }
  if (run.cancelled && isBusy(run.status)) {
    return <Notice tone="neutral" title="The run is being cancelled: completed steps with a compensation are undone" />;
  }
  return null;
}
