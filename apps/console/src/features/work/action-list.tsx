// The actions of a project. In: its id. Out: a card for each action, with a form for its input and a preview of the request.
"use client";
import type { Action } from "@plinth/blueprint";
import { useQuery } from "@tanstack/react-query";
import { Zap } from "lucide-react";
import { useLiveModel } from "../../live-model.ts";
import { useTRPC } from "../../trpc.ts";
import { Badge } from "../../ui/badge.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { audienceText } from "./action-audience.ts";
import { ActionForm } from "./action-form.tsx";
import { exampleAction } from "./example.ts";
import { WorkFrame } from "./work-frame.tsx";

export function ActionList({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const model = useLiveModel(projectId);
  const actions = model.data?.background.actions ?? [];
  return (
    <WorkFrame projectId={projectId} tab="actions">
      {model.error ? (
        <QueryError error={model.error} what="The actions could not be loaded" onRetry={() => void model.refetch()} />
      ) : null}
      {model.isPending ? <SkeletonRows rows={2} className="h-28" /> : null}
      {model.data !== undefined && actions.length === 0 ? (
        <EmptyState
          icon={<Zap />}
          title="No actions yet"
          action={
            <ButtonLink href={`/projects/${projectId}/blueprint`} variant="primary">
              Open editor
            </ButtonLink>
          }
        >
          <p>
            An action is an operation of your own that an app can call, in addition to reading and writing records. Add
            one to the blueprint, and deploy it.
          </p>
          <CodeBlock
            code={exampleAction}
            label="example of an action"
            className="mt-4 text-left text-ink [&_pre]:text-xs [&_pre]:leading-5"
          />
        </EmptyState>
      ) : null}
      <div className="flex flex-col gap-4">
        {actions.map((action) => (
          <ActionCard
            key={action.name}
            projectId={projectId}
            action={action}
            mayCall={project.data?.may.write === true}
          />
        ))}
      </div>
    </WorkFrame>
  );
}

function ActionCard({ projectId, action, mayCall }: { projectId: string; action: Action; mayCall: boolean }) {
  return (
    <Card
      title={
        <span className="flex flex-wrap items-center gap-2.5">
          <span className="font-mono text-[0.8125rem]">{action.name}</span>
          <Badge tone="neutral">{action.mode === "sync" ? "responds at once" : "starts a run"}</Badge>
        </span>
      }
      description={audienceText(Object.keys(action.access))}
    >
      <ActionForm projectId={projectId} action={action} mayCall={mayCall} />
    </Card>
  );
}
