// The blueprint of a project: the live version, or the person's draft. In: the project's id. Out: the workbench, when both are loaded. The
// live version is refetched while the page is open; the workbench keeps the draft.
"use client";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { usePersonId } from "../../person.ts";
import { useTRPC } from "../../trpc.ts";
import { QueryError } from "../../ui/query-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { BlueprintWorkbench } from "./blueprint-workbench.tsx";

/** The maximum delay until an author sees that another version went live. */
const refetchMs = 20_000;

export function BlueprintPage({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const personId = usePersonId();
  const mayChange = project.data?.may.write === true;
  const live = useQuery(trpc.blueprints.current.queryOptions({ projectId }, { refetchInterval: refetchMs }));
  // Loaded once, when the page opens: later versions are this page's own saves.
  const draft = useQuery(
    trpc.drafts.get.queryOptions(
      { projectId },
      { enabled: mayChange, gcTime: 0, staleTime: Number.POSITIVE_INFINITY, refetchOnMount: "always" },
    ),
  );
  // The cache may be older than the last deployment: the editor waits for fresh data once, and then stays.
  const [isLoaded, setIsLoaded] = useState(false);
  const isFresh =
    live.isSuccess && !live.isFetching && project.isSuccess && (!mayChange || (draft.isSuccess && !draft.isFetching));
  useEffect(() => {
    if (isFresh) setIsLoaded(true);
  }, [isFresh]);

  const failed = [project, live, draft].find(({ error, data }) => error && data === undefined);
  if (failed) {
    return (
      <QueryError error={failed.error} what="The blueprint could not be loaded" onRetry={() => void failed.refetch()} />
    );
  }
  if (!isLoaded || live.data === undefined || !project.data || personId === null) {
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
      personId={personId}
      projectName={project.data.environment.project}
      mayChange={mayChange}
      live={live.data}
      stored={draft.data ?? { draft: null, ended: null }}
    />
  );
}
