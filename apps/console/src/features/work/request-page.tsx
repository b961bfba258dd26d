// The consequences of one request. In: its id. Out: its writes with their audit lines, the events, the runs that they started with steps
// and attempts, and the writes of those runs, each with a link. It is refetched while a run has not ended.
"use client";
import type { AuditLine } from "@plinth/control/router";
import { useQuery } from "@tanstack/react-query";
import { PenLine, Radio, Route, Workflow } from "lucide-react";
import Link from "next/link";
import { useTRPC } from "../../trpc.ts";
import { BackLink } from "../../ui/back-link.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { Actor } from "./actor.tsx";
import { AuditLines, LineSubject } from "./audit-lines.tsx";
import { type ChainNode, chainOf } from "./chain.ts";
import { durationText } from "./duration.ts";
import { failureText, isBusy, tookMs } from "./run-words.ts";
import { RunBadge, StepIcon } from "./status-badge.tsx";
import { NoWorkers } from "./work-frame.tsx";
import { eventPath, IdLink, recordPath, runPath, workPath } from "./work-links.tsx";

const pollMs = 2_000;
/** The maximum for each kind. If there are more, a notice links to the lists. */
const shownMax = 100;
/** With more runs than this, their steps are not shown. */
const openMax = 10;

export function RequestPage({ projectId, requestId }: { projectId: string; requestId: string }) {
  const trpc = useTRPC();
  const input = { projectId, requestId, limit: shownMax };
  const runs = useQuery(
    trpc.work.runs.queryOptions(input, {
      refetchInterval: ({ state }) => (state.data?.data.some((run) => isBusy(run.status)) ? pollMs : false),
    }),
  );
  const isRunning = runs.data?.data.some((run) => isBusy(run.status)) ?? false;
  const polling = { refetchInterval: isRunning ? pollMs : false } as const;
  const events = useQuery(trpc.work.events.queryOptions(input, polling));
  const lines = useQuery(trpc.work.audit.queryOptions(input, polling));
  const error = runs.error ?? events.error ?? lines.error;
  const pages = [runs.data, events.data, lines.data];
  const isCut = pages.some((page) => page?.nextCursor != null);
  return (
    <>
      <BackLink href={workPath(projectId, "runs")}>Work</BackLink>
      <PageHeader
        title={
          <>
            Request
            <span className="min-w-0 font-mono text-sm font-normal break-all">{requestId}</span>
            <CopyButton text={requestId} label="Copy request id" />
          </>
        }
        description="Its writes, the events and runs that followed, and their writes."
      />
      {error ? (
        <QueryError
          error={error}
          what="The request could not be loaded"
          onRetry={() => {
            for (const each of [runs, events, lines]) void each.refetch();
          }}
        />
      ) : null}
      {runs.isPending || events.isPending || lines.isPending ? <SkeletonRows rows={3} className="h-16" /> : null}
      {runs.data === null ? <NoWorkers projectId={projectId} /> : null}
      {runs.data && events.data && lines.data !== undefined ? (
        <div className="flex flex-col gap-6">
          {isCut ? (
            <Notice tone="neutral" title={`Too many results: only the newest ${shownMax} of each kind are shown`}>
              The lists of <ListLink projectId={projectId} requestId={requestId} view="runs" /> and{" "}
              <ListLink projectId={projectId} requestId={requestId} view="events" /> have all of them.
            </Notice>
          ) : null}
          <Shown
            projectId={projectId}
            requestId={requestId}
            chain={chainOf(lines.data?.data ?? [], events.data.data, runs.data.data)}
            now={runs.dataUpdatedAt}
            runCount={runs.data.data.length}
            isAudited={lines.data !== null}
          />
        </div>
      ) : null}
    </>
  );
}

function ListLink({ projectId, requestId, view }: { projectId: string; requestId: string; view: "runs" | "events" }) {
  return (
    <Link href={workPath(projectId, view, { request: requestId })} className="text-accent-text hover:underline">
      {view}
    </Link>
  );
}

interface ShownProps {
  projectId: string;
  requestId: string;
  chain: readonly ChainNode[];
  now: number;
  runCount: number;
  isAudited: boolean;
}

function Shown({ projectId, requestId, chain, now, runCount, isAudited }: ShownProps) {
  if (chain.length === 0) {
    return (
      <EmptyState icon={<Route />} title="Nothing is known about this request">
        The id is in the header <code className="font-mono text-xs text-ink">X-Request-Id</code> of each response. A
        write for which nothing listens stores no event
        {isAudited ? "" : ", and without the module audit_logs no audit line either"}.
      </EmptyState>
    );
  }
  const lines = chain.flatMap((node) => (node.kind === "line" ? [node.line] : []));
  // If nothing followed, show the lines alone: they also have the changes.
  if (lines.length === chain.length) {
    return <AuditLines projectId={projectId} title="Audit log" lines={lines} ofRequest={requestId} />;
  }
  return (
    <Card title="Consequences">
      <Nodes projectId={projectId} nodes={chain} now={now} isOpen={runCount <= openMax} />
    </Card>
  );
}

interface NodesProps {
  projectId: string;
  nodes: readonly ChainNode[];
  now: number;
  isOpen: boolean;
}

function Nodes({ nodes, ...rest }: NodesProps) {
  return (
    <ol className="flex flex-col gap-3">
      {nodes.map((node) => (
        <li key={keyOf(node)} className="min-w-0">
          {node.kind === "run" ? <RunNode node={node} {...rest} /> : null}
          {node.kind === "event" ? <EventNode node={node} {...rest} /> : null}
          {node.kind === "line" ? <LineNode node={node} {...rest} /> : null}
          {node.children.length === 0 ? null : (
            <div className="mt-3 ml-2 border-l border-line-strong pl-3 sm:ml-4 sm:pl-5">
              <Nodes nodes={node.children} {...rest} />
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}

function keyOf(node: ChainNode): string {
  if (node.kind === "line") return `line ${node.line.id}`;
  return node.kind === "run" ? node.run.id : node.event.id;
}

type NodeProps<Kind> = Omit<NodesProps, "nodes"> & { node: Extract<ChainNode, { kind: Kind }> };

function EventNode({ projectId, node: { event, line } }: NodeProps<"event">) {
  const { entity, recordId } = event;
  return (
    <div className="text-[0.8125rem]">
      <p className="flex flex-wrap items-center gap-x-2.5 gap-y-0.5">
        <Radio className="size-3.5 shrink-0 text-ink-faint" aria-label="Event" role="img" />
        <Link href={eventPath(projectId, event.id)} className="font-mono text-xs font-medium hover:underline">
          {event.name}
        </Link>
        {entity !== null && recordId !== null ? (
          <IdLink href={recordPath(projectId, entity, recordId)} id={recordId}>
            {entity}
          </IdLink>
        ) : null}
        <Time at={event.at} className="text-ink-soft" />
      </p>
      {line === null ? null : <Written line={line} />}
    </div>
  );
}

/** A write for which nothing listens, or a note. */
function LineNode({ projectId, node: { line } }: NodeProps<"line">) {
  const { entity, recordId, at } = line;
  return (
    <div className="text-[0.8125rem]">
      <p className="flex flex-wrap items-center gap-x-2.5 gap-y-0.5">
        <PenLine className="size-3.5 shrink-0 text-ink-faint" aria-label="Write" role="img" />
        <LineSubject projectId={projectId} entity={entity} recordId={recordId} />
        <Time at={at} className="text-ink-soft" />
      </p>
      <Written line={line} />
    </div>
  );
}

function Written({ line: { id, operation, actorKind, actorId } }: { line: AuditLine }) {
  return (
    <p className="mt-0.5 ml-6 flex flex-wrap gap-x-1.5 text-xs text-ink-soft">
      audit line {id}: {operation} by <Actor kind={actorKind} id={actorId} />
    </p>
  );
}

function RunNode({ projectId, node: { run }, now, isOpen }: NodeProps<"run">) {
  const took = tookMs(run, now);
  return (
    <div className="text-[0.8125rem]">
      <p className="flex flex-wrap items-center gap-x-2.5 gap-y-0.5">
        <Workflow className="size-3.5 shrink-0 text-ink-faint" aria-label="Run" role="img" />
        <Link href={runPath(projectId, run.id)} className="font-mono text-xs font-medium hover:underline">
          {run.workflow}
        </Link>
        <RunBadge status={run.status} />
        {took === null ? null : <span className="text-ink-soft tabular-nums">{durationText(took)}</span>}
        {run.error === null ? null : <span className="min-w-0 truncate text-ink-soft">{failureText(run.error)}</span>}
      </p>
      {isOpen ? <Steps projectId={projectId} runId={run.id} isBusy={isBusy(run.status)} /> : null}
    </div>
  );
}

function Steps({ projectId, runId, isBusy: isRunning }: { projectId: string; runId: string; isBusy: boolean }) {
  const trpc = useTRPC();
  const run = useQuery(
    trpc.work.run.queryOptions({ projectId, runId }, { refetchInterval: isRunning ? pollMs : false }),
  );
  if (!run.data || run.data.steps.length === 0) return null;
  return (
    <ol className="mt-1 ml-6 flex flex-wrap gap-x-4 gap-y-0.5 text-xs text-ink-soft">
      {run.data.steps.map(({ path, status, attempts }) => (
        <li key={path} className="flex items-center gap-1.5">
          <StepIcon status={status} />
          <span className="font-mono">{path}</span>
          {attempts > 1 ? <span>{attempts} attempts</span> : null}
        </li>
      ))}
    </ol>
  );
}
