// The environments of a project. In: the id of one of them. Out: the list, with buttons to create and delete one, and a card to promote
// from one to another. Actions without the right are hidden; the control API refuses them anyway.
"use client";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { CreateEnvironmentDialog } from "./create-environment-dialog.tsx";
import { EnvironmentList } from "./environment-list.tsx";
import { PromoteCard } from "./promote-card.tsx";

export function EnvironmentsPage({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const [creating, setCreating] = useState(false);
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const environments = useQuery(trpc.environments.list.queryOptions({ projectId }));
  if (!project.data) return null;
  const { write: mayChange, manage: mayDelete } = project.data.may;
  return (
    <>
      <PageHeader
        title="Environments"
        description="Each has its own data, users, keys and connections. You try a blueprint in one and promote it to the next."
        actions={
          mayChange ? (
            <Button variant="primary" icon={<Plus aria-hidden />} onClick={() => setCreating(true)}>
              New environment
            </Button>
          ) : null
        }
      />
      {environments.isPending ? <SkeletonRows rows={2} className="h-16" /> : null}
      {environments.error ? (
        <QueryError
          error={environments.error}
          what="The environments could not be loaded"
          onRetry={() => void environments.refetch()}
        />
      ) : null}
      {environments.data ? (
        <div className="flex flex-col gap-6">
          <EnvironmentList projectId={projectId} environments={environments.data} mayDelete={mayDelete} />
          {environments.data.length > 1 ? (
            <PromoteCard projectId={projectId} environments={environments.data} mayChange={mayChange} />
          ) : null}
          <CreateEnvironmentDialog
            projectId={projectId}
            environments={environments.data}
            open={creating}
            onOpenChange={setCreating}
          />
        </div>
      ) : null}
    </>
  );
}
