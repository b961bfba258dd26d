// The blueprint of a project: what is live, or the person's draft of it. In: the project's id. Out: the workbench, once both are
// known. What is live is looked for again while the page is open; the draft is the workbench's from then on.
"use client";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { QueryError } from "../../ui/query-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { BlueprintWorkbench } from "./blueprint-workbench.tsx";

/** How soon an author hears that something else went live. */
const lookMs = 20_000;

export function BlueprintPage({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const mayChange = project.data?.may.write === true;
  const live = useQuery(trpc.blueprints.current.queryOptions({ projectId }, { refetchInterval: lookMs }));
  // As it was when the page opened: later saves are its own.
  const draft = useQuery(
    trpc.drafts.get.queryOptions(
      { projectId },
      { enabled: mayChange, gcTime: 0, staleTime: Number.POSITIVE_INFINITY, refetchOnMount: "always" },
    ),
  );
  // What was known before the last deployment may still be at hand: the editor waits for the answers, and from then on stays.
  const [answered, setAnswered] = useState(false);
  const settled =
    live.isSuccess && !live.isFetching && project.isSuccess && (!mayChange || (draft.isSuccess && !draft.isFetching));
  useEffect(() => {
    if (settled) setAnswered(true);
  }, [settled]);

  const failed = [project, live, draft].find(({ error, data }) => error && data === undefined);
  if (failed) {
    return (
      <QueryError error={failed.error} what="The blueprint could not be loaded" onRetry={() => void failed.refetch()} />
    );
  }
  if (!answered || live.data === undefined || !project.data) {
    return (
      <>
        <Skeleton className="mb-6 h-7 w-40" />
        <Skeleton className="h-[32rem]" />
      </>
    );
  }
  return (
    <BlueprintWorkbench
      key={projectId}
      projectId={projectId}
      projectName={project.data.environment.project}
      mayChange={mayChange}
      live={live.data}
      stored={draft.data ?? { draft: null, ended: null }}
    />
  );
}
