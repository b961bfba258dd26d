// Around every page of a project. In: the project's id and the page. Out: the page when the project is loaded; otherwise what to do next.
"use client";
import { useQuery } from "@tanstack/react-query";
import { FolderX } from "lucide-react";
import type { ReactNode } from "react";
import { useTRPC } from "../../trpc.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { errorCode } from "../../ui/error-text.ts";
import { QueryError } from "../../ui/query-error.tsx";
import { Skeleton, SkeletonRows } from "../../ui/skeleton.tsx";

export function ProjectGate({ projectId, children }: { projectId: string; children: ReactNode }) {
  const trpc = useTRPC();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  if (project.data) return children;
  if (project.isPending) {
    return (
      <>
        <Skeleton className="mb-6 h-7 w-48" />
        <SkeletonRows />
      </>
    );
  }
  if (["NOT_FOUND", "FORBIDDEN", "BAD_REQUEST"].includes(errorCode(project.error) ?? "")) {
    return (
      <EmptyState
        icon={<FolderX />}
        title="No such project"
        action={
          <ButtonLink href="/projects" variant="primary">
            Go to projects
          </ButtonLink>
        }
      >
        It was deleted, or you have no access to it. An admin of its organization can invite you or change your access.
      </EmptyState>
    );
  }
  return (
    <QueryError error={project.error} what="The project could not be loaded" onRetry={() => void project.refetch()} />
  );
}
