// The runs that a run has caused. In: the run. Out: a list, or nothing if there are none. They have the id of the first request, so they
// are found among the runs of that request.
"use client";
import type { Run } from "@plinth/control/router";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTRPC } from "../../trpc.ts";
import { Card } from "../../ui/card.tsx";
import { Time } from "../../ui/time.tsx";
import { isBusy } from "./run-words.ts";
import { RunBadge } from "./status-badge.tsx";
import { runPath } from "./work-links.tsx";

const pollMs = 2_000;

export function RelatedRuns({ projectId, run }: { projectId: string; run: Run }) {
  const trpc = useTRPC();
  const runs = useQuery(
    trpc.work.runs.queryOptions(
      { projectId, requestId: run.requestId ?? run.id, limit: 100 },
      { refetchInterval: isBusy(run.status) ? pollMs : false },
    ),
  );
  const caused = runs.data?.data.filter(({ causedBy }) => causedBy === run.id) ?? [];
  if (caused.length === 0) return null;
  return (
    <Card title="Runs that it caused" flush>
      <ul className="divide-y">
        {caused.map(({ id, workflow, status, createdAt }) => (
          <li key={id} className="relative flex items-center gap-4 px-4 py-2.5 hover:bg-hover/60">
            <Link
              href={runPath(projectId, id)}
              className="min-w-0 flex-1 truncate font-mono text-xs font-medium after:absolute after:inset-0"
            >
              {workflow}
            </Link>
            <Time at={createdAt} className="text-[0.8125rem] text-ink-soft" />
            <RunBadge status={status} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
