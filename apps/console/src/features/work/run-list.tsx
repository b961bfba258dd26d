// The runs of a project, newest first. In: its id; filters from the address. Out: a table that is refetched, more often while runs have not ended.
"use client";
import type { RunSummary } from "@plinth/control/router";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Workflow } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { useLiveModel } from "../../live-model.ts";
import { useTRPC } from "../../trpc.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { pageSize } from "../../ui/pager.tsx";
import { Time } from "../../ui/time.tsx";
import { type UrlFilters, useUrlFilters } from "../../url-filters.ts";
import { durationText } from "./duration.ts";
import { failureText, isBusy, tookMs } from "./run-words.ts";
import { RunBadge, statusChoices } from "./status-badge.tsx";
import { FilterChip, FilterSelect } from "./work-filters.tsx";
import { NoWorkers, WorkFrame } from "./work-frame.tsx";
import { eventPath, IdLink, runPath, workPath } from "./work-links.tsx";
import { WorkTable } from "./work-table.tsx";

const busyMs = 2_000;
const idleMs = 5_000;

export function RunList({ projectId }: { projectId: string }) {
  const filters = useUrlFilters();
  // A cursor is only valid for its filters, so other filters start at the first page.
  return <FilteredRuns key={filters.key} projectId={projectId} filters={filters} />;
}

function FilteredRuns({ projectId, filters }: { projectId: string; filters: UrlFilters }) {
  const trpc = useTRPC();
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const status = statusChoices.find(([value]) => value === filters.of("status"))?.[0];
  const runs = useQuery(
    trpc.work.runs.queryOptions(
      {
        projectId,
        limit: pageSize,
        cursor: cursors.at(-1),
        status,
        workflow: filters.of("workflow"),
        requestId: filters.of("request"),
        eventId: filters.of("event"),
      },
      {
        placeholderData: keepPreviousData,
        refetchInterval: ({ state }) => (state.data?.data.some((run) => isBusy(run.status)) ? busyMs : idleMs),
      },
    ),
  );
  const workflows = useWorkflowNames(projectId);

  if (runs.data === null) {
    return (
      <WorkFrame projectId={projectId} tab="runs">
        <NoWorkers projectId={projectId} />
      </WorkFrame>
    );
  }
  const isFiltered = filters.key !== "";
  return (
    <WorkFrame projectId={projectId} tab="runs">
      <WorkTable
        name="Runs"
        query={runs}
        filters={
          <>
            <FilterSelect filters={filters} name="status" label="Status" all="Every status" choices={statusChoices} />
            <FilterSelect
              filters={filters}
              name="workflow"
              label="Workflow"
              all="Every workflow"
              choices={workflows.map((name) => [name, name] as const)}
            />
            <FilterChip filters={filters} name="request">
              Request
            </FilterChip>
            <FilterChip filters={filters} name="event">
              Event
            </FilterChip>
          </>
        }
        columns={["Workflow", "Status", "Started", "Took", "Cause"]}
        row={(run, now) => <RunRow key={run.id} projectId={projectId} run={run} now={now} />}
        empty={
          <EmptyState
            icon={<Workflow />}
            title={isFiltered ? "No run matches" : "No runs yet"}
            action={isFiltered ? <ButtonLink href={workPath(projectId, "runs")}>Clear filters</ButtonLink> : null}
          >
            {isFiltered
              ? "Runs are deleted after some time; this one may be gone."
              : "A run begins when an event happens that a workflow listens for. It appears here at once."}
          </EmptyState>
        }
        cursors={cursors}
        onPage={setCursors}
      />
    </WorkFrame>
  );
}

/** The workflows of the live blueprint, and those of recent runs. They don't depend on the filters. */
function useWorkflowNames(projectId: string): readonly string[] {
  const trpc = useTRPC();
  const model = useLiveModel(projectId);
  const recent = useQuery(trpc.work.runs.queryOptions({ projectId, limit: 100 }, { refetchInterval: idleMs }));
  const { workflows = [], workers = [], actions = [] } = model.data?.background ?? {};
  const declared = [...workflows, ...workers, ...actions].map(({ name }) => name);
  const ran = recent.data?.data.map(({ workflow }) => workflow) ?? [];
  return [...new Set([...declared, ...ran])].sort();
}

interface RunRowProps {
  projectId: string;
  run: RunSummary;
  now: number;
}

function RunRow({ projectId, run, now }: RunRowProps) {
  const took = tookMs(run, now);
  return (
    <tr className="hover:bg-hover/50">
      <td className="py-2 pr-3.5 pl-[1.125rem] whitespace-nowrap">
        <Link href={runPath(projectId, run.id)} className="font-mono text-xs font-medium hover:underline">
          {run.workflow}
        </Link>
        {run.kind === "workflow" ? null : <span className="ml-2 text-xs text-ink-faint">{run.kind}</span>}
      </td>
      <td className="px-3.5 py-2">
        <span className="flex items-center gap-2">
          <RunBadge status={run.status} />
          {run.error === null ? null : (
            <span className="max-w-72 truncate text-ink-soft max-sm:hidden">{failureText(run.error)}</span>
          )}
        </span>
      </td>
      <td className="px-3.5 py-2 whitespace-nowrap text-ink-soft">
        <Time at={run.startedAt ?? run.createdAt} />
      </td>
      <td className="px-3.5 py-2 whitespace-nowrap text-ink-soft tabular-nums">
        {took === null ? "–" : durationText(took)}
      </td>
      <td className="px-3.5 py-2 whitespace-nowrap">
        <Cause projectId={projectId} run={run} />
      </td>
    </tr>
  );
}

function Cause({ projectId, run }: Omit<RunRowProps, "now">) {
  if (run.eventId !== null) {
    if (run.eventName === null)
      return (
        <IdLink href={eventPath(projectId, run.eventId)} id={run.eventId}>
          event
        </IdLink>
      );
    return (
      <Link href={eventPath(projectId, run.eventId)} className="font-mono text-xs text-accent-text hover:underline">
        {run.eventName}
      </Link>
    );
  }
  if (run.causedBy !== null)
    return (
      <IdLink href={runPath(projectId, run.causedBy)} id={run.causedBy}>
        run
      </IdLink>
    );
  return <span className="text-ink-soft">{run.kind === "action" ? "a request" : "a schedule"}</span>;
}
