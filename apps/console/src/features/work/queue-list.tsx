// The queue of each workflow and worker: how many runs are due, running, waiting, completed and failed, and why. In: a project's id. Out:
// a card for each queue, with buttons to retry or cancel many runs at once.
"use client";
import type { Queue, QueueCause, Queues } from "@plinth/control/router";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Ban, Check, Layers, RotateCcw } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Notice } from "../../ui/notice.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { BulkDialog, type BulkQuestion, countText } from "./bulk-dialog.tsx";
import { durationText } from "./duration.ts";
import { failedAt } from "./run-words.ts";
import { type LostCalls, SettleDialog } from "./settle-dialog.tsx";
import { LateEvents, UsageCard } from "./usage-card.tsx";
import { NoWorkers, WorkFrame } from "./work-frame.tsx";
import { workPath } from "./work-links.tsx";
import { Reload } from "./work-table.tsx";

const pollMs = 5_000;

export function QueueList({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const queues = useQuery(trpc.work.queues.queryOptions({ projectId }, { refetchInterval: pollMs }));
  return (
    <WorkFrame projectId={projectId} tab="queues">
      {queues.error ? (
        <QueryError error={queues.error} what="The queues could not be loaded" onRetry={() => void queues.refetch()} />
      ) : null}
      {queues.isPending ? <SkeletonRows rows={3} className="h-28" /> : null}
      {queues.data === null ? <NoWorkers projectId={projectId} /> : null}
      {queues.data ? <LateEvents queues={queues.data} /> : null}
      {queues.data ? <UsageCard usage={queues.data.usage} /> : null}
      {queues.data?.queues.length === 0 ? (
        <EmptyState
          icon={<Layers />}
          title="No workflow or worker yet"
          action={
            <ButtonLink href={`/projects/${projectId}/blueprint`} variant="primary">
              Open editor
            </ButtonLink>
          }
        >
          Each workflow and worker of the live version has a queue here. Declare one under <Mono>workflows:</Mono> or{" "}
          <Mono>workers:</Mono>, and deploy it.
        </EmptyState>
      ) : null}
      {queues.data && queues.data.queues.length > 0 ? (
        <Shown
          projectId={projectId}
          queues={queues.data}
          mayAct={project.data?.may.write === true}
          onReload={() => void queues.refetch()}
        />
      ) : null}
    </WorkFrame>
  );
}

interface ShownProps {
  projectId: string;
  queues: Queues;
  mayAct: boolean;
  onReload: () => void;
}

function Shown({ projectId, queues, mayAct, onReload }: ShownProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [question, ask] = useState<BulkQuestion | null>(null);
  const onSettled = (): Promise<void> => queryClient.invalidateQueries({ queryKey: trpc.work.pathKey() });
  const retry = useMutation(trpc.work.retryAll.mutationOptions({ onSettled }));
  const cancel = useMutation(trpc.work.cancelAll.mutationOptions({ onSettled }));
  const settle = useMutation(trpc.work.settleAll.mutationOptions({ onSettled }));
  const [lost, askOfLost] = useState<LostCalls | null>(null);
  const all = [retry, cancel, settle];
  const done = all.find((each) => each.data)?.data ?? null;
  const last = retry.data ? "retried" : cancel.data ? "cancelled" : "settled";
  const error = all.find((each) => each.error)?.error ?? null;
  const start = (): void => {
    for (const each of all) each.reset();
  };
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center justify-between gap-2">
        <p className="text-[0.8125rem] text-ink-soft">
          Failures and totals are of the last day.
          {queues.partial ? " Counting stopped at a limit: the real numbers may be higher." : null}
        </p>
        <Reload onReload={onReload} />
      </div>
      {error === null ? null : <QueryError error={error} what="The request failed" />}
      {question === null && lost === null && done !== null ? (
        <Notice tone={done.left > 0 ? "warn" : "good"} title={`${countText(done.runs)} ${last}`}>
          {done.left > 0 ? <p>{countText(done.left)} more are left. Repeat it for the next ones.</p> : null}
          {done.overtaken > 0 ? (
            <p>{countText(done.overtaken)} were left out, because later runs of their records have begun.</p>
          ) : null}
        </Notice>
      ) : null}
      {queues.queues.map((queue) => (
        <QueueCard
          key={`${queue.kind}/${queue.name}`}
          projectId={projectId}
          queue={queue}
          now={Date.parse(queues.at)}
          onAsk={
            mayAct
              ? (asked) => {
                  start();
                  ask({ ...asked, until: queues.at });
                }
              : null
          }
          onSettle={
            mayAct
              ? (calls) => {
                  start();
                  askOfLost({ ...calls, until: queues.at });
                }
              : null
          }
        />
      ))}
      <BulkDialog
        question={question}
        onClose={() => ask(null)}
        onConfirm={({ workflow, kind, until, code }) => {
          ask(null);
          if (code === null) cancel.mutate({ projectId, workflow, kind, until });
          else retry.mutate({ projectId, workflow, kind, until, code });
        }}
      />
      <SettleDialog
        lost={lost}
        onClose={() => askOfLost(null)}
        onConfirm={({ workflow, kind, until }, decision) => {
          askOfLost(null);
          settle.mutate({ projectId, workflow, kind, until, ...decision });
        }}
      />
    </div>
  );
}

interface QueueCardProps {
  projectId: string;
  queue: Queue;
  now: number;
  /** Null if the person has no right to. */
  onAsk: ((question: Omit<BulkQuestion, "until">) => void) | null;
  /** Null if the person has no right to. */
  onSettle: ((calls: Omit<LostCalls, "until">) => void) | null;
}

function QueueCard({ projectId, queue, now, onAsk, onSettle }: QueueCardProps) {
  const { name, kind, due, running, waiting, oldestDueAt, completedHour, completedDay, failedDay } = queue;
  const unfinished = due + running + waiting;
  return (
    <Card
      flush
      title={
        <span className="flex flex-wrap items-center gap-2.5">
          <Link
            href={workPath(projectId, "runs", { workflow: name })}
            className="font-mono text-[0.8125rem] hover:underline"
          >
            {name}
          </Link>
          <span className="text-xs font-normal text-ink-faint">{kind}</span>
          {queue.declared ? null : <Badge tone="neutral">no longer in the blueprint</Badge>}
        </span>
      }
      actions={
        onAsk !== null && unfinished > 0 ? (
          <Button
            size="small"
            variant="danger"
            icon={<Ban aria-hidden />}
            onClick={() => onAsk({ workflow: name, kind, code: null, count: unfinished })}
          >
            Cancel all
          </Button>
        ) : null
      }
    >
      <dl className="grid grid-cols-2 gap-px bg-line sm:grid-cols-3 lg:grid-cols-6">
        <Figure name="Due now" value={due} tone={due > 0 ? "accent" : null}>
          {oldestDueAt === null ? null : `the oldest for ${durationText(now - Date.parse(oldestDueAt))}`}
        </Figure>
        <Figure name="Running" value={running}>
          {queue.concurrencyMax === null ? null : `${queue.concurrencyMax} at most`}
        </Figure>
        <Figure name="Waiting" value={waiting}>
          {unfinished === 0 || queue.oldestAt === null ? null : (
            <>
              the oldest was created <Time at={queue.oldestAt} />
            </>
          )}
        </Figure>
        <Figure name="Completed in 1 hour" value={completedHour} />
        <Figure name="Completed in 1 day" value={completedDay} />
        <Figure name="Failed in 1 day" value={failedDay} tone={failedDay > 0 ? "bad" : null} />
      </dl>
      {queue.failures.length === 0 ? null : (
        <ul aria-label={`Why ${name} failed`} className="divide-y border-t">
          {queue.failures.map((cause) => (
            <CauseRow
              key={`${cause.status}/${cause.code}`}
              projectId={projectId}
              name={name}
              cause={cause}
              onSettle={onSettle === null ? null : () => onSettle({ workflow: name, kind, count: cause.count })}
              onRetry={
                onAsk === null ? null : () => onAsk({ workflow: name, kind, code: cause.code, count: cause.count })
              }
            />
          ))}
        </ul>
      )}
    </Card>
  );
}

interface FigureProps {
  name: string;
  value: number;
  tone?: "accent" | "bad" | null;
  children?: React.ReactNode;
}

function Figure({ name, value, tone = null, children }: FigureProps) {
  const colour = tone === "accent" ? "text-accent-text" : tone === "bad" ? "text-bad" : "";
  return (
    <div className="min-w-0 bg-surface px-4 py-2.5">
      <dt className="text-xs text-ink-soft">{name}</dt>
      <dd className={`text-lg font-semibold tabular-nums ${colour}`}>{value.toLocaleString("en")}</dd>
      {children ? <dd className="truncate text-xs text-ink-soft">{children}</dd> : null}
    </div>
  );
}

interface CauseRowProps {
  projectId: string;
  name: string;
  cause: QueueCause;
  onRetry: (() => void) | null;
  onSettle: (() => void) | null;
}

function CauseRow({ projectId, name, cause, onRetry, onSettle }: CauseRowProps) {
  const { code, status, count, lastAt, step, attempts } = cause;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5 text-[0.8125rem]">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-mono text-xs font-medium">{code}</span>
          <Link
            href={workPath(projectId, "runs", { workflow: name, status })}
            className="text-accent-text hover:underline"
          >
            {countText(count)}
          </Link>
          <span className="text-ink-soft">
            last <Time at={lastAt} />
          </span>
          {status === "needs_attention" ? <Badge tone="warn">needs attention</Badge> : null}
          {status === "undo_failed" ? <Badge tone="bad">undo failed</Badge> : null}
        </p>
        {step === null ? null : (
          <p className="truncate text-ink-soft">The last one failed{failedAt({ step, attempts })}</p>
        )}
      </div>
      {onSettle !== null && status === "needs_attention" ? (
        <Button size="small" icon={<Check aria-hidden />} onClick={onSettle}>
          Settle all
        </Button>
      ) : null}
      {onRetry === null || status !== "failed" ? null : (
        <Button size="small" icon={<RotateCcw aria-hidden />} onClick={onRetry}>
          Retry all
        </Button>
      )}
    </li>
  );
}

function Mono({ children }: { children: string }) {
  return <code className="font-mono text-xs text-ink">{children}</code>;
}
