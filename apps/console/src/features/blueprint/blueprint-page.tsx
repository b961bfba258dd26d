// The blueprint of a project: what is live, or the draft begun upon it. In: the project's id. Out: the workbench, once
// both are known. It decides what the editor starts with; the workbench does the rest.
"use client";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { readDraft } from "../../draft.ts";
import { useTRPC } from "../../trpc.ts";
import { QueryError } from "../../ui/query-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { BlueprintWorkbench } from "./blueprint-workbench.tsx";

export function BlueprintPage({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  // What is live when the page opens; a deployment elsewhere must not change the text under the author's hands.
  const live = useQuery(trpc.blueprints.current.queryOptions({ projectId }, { staleTime: 60_000 }));
  const [draft, setDraft] = useState<{ text: string | null } | null>(null);
  useEffect(() => setDraft({ text: readDraft(projectId) }), [projectId]);
  // What was live before the last deployment may still be at hand: the editor waits for the answer, and from then on stays.
  const [answered, setAnswered] = useState(false);
  const settled = live.isSuccess && !live.isFetching;
  useEffect(() => {
    if (settled) setAnswered(true);
  }, [settled]);

  if (live.error) {
    return (
      <QueryError error={live.error} what="The blueprint could not be loaded" onRetry={() => void live.refetch()} />
    );
  }
  if (!answered || live.data === undefined || !project.data || draft === null) {
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
      mayChange={project.data.role === "owner"}
      liveText={live.data?.text ?? null}
      draftText={draft.text}
    />
  );
}
