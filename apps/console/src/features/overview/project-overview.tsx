// The first page of a project. In: its id. Out: the next step in a new project, the first request, facts about the live version and its
// model. It polls for requests while it is open; it changes nothing.
"use client";
import { useQuery } from "@tanstack/react-query";
import { Boxes } from "lucide-react";
import { useLiveModel } from "../../live-model.ts";
import { useTRPC } from "../../trpc.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { FirstRequest } from "./first-request.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { LatestChange } from "./latest-change.tsx";
import { LiveFacts } from "./live-facts.tsx";
import { ModelExplorer } from "./model-explorer.tsx";

/** The first request should be visible at once; later the counter may lag. */
const pollMs = { waiting: 1500, seen: 10_000 };

export function ProjectOverview({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const live = project.data?.live ?? null;
  const status = useQuery(
    trpc.projects.status.queryOptions(
      { projectId },
      {
        enabled: live !== null,
        refetchInterval: (query) => (query.state.data?.firstRequestAt ? pollMs.seen : pollMs.waiting),
      },
    ),
  );
  const model = useLiveModel(projectId);
  if (!project.data) return null;

  const first = model.data?.entities.find(({ name }) => name !== "user");
  return (
    <>
      <PageHeader title={project.data.environment.project} description={live ? null : "Nothing is deployed yet."} />
      <div className="flex flex-col gap-6">
        {live ? <LiveFacts project={project.data} status={status.data} /> : null}
        <LatestChange projectId={projectId} />
        <FirstSteps
          projectId={projectId}
          live={live !== null}
          requested={Boolean(status.data?.firstRequestAt)}
          mayChange={project.data.may.write}
        />
        {live ? (
          <>
            {status.error ? (
              <QueryError
                error={status.error}
                what="The state of the runtime is unknown at the moment"
                onRetry={() => void status.refetch()}
              />
            ) : null}
            {first ? (
              <FirstRequest
                project={project.data.slug}
                apiUrl={project.data.apiUrl}
                entities={model.data?.entities.filter(({ name }) => name !== "user") ?? []}
                status={status.data}
              />
            ) : null}
          </>
        ) : null}
        {model.isPending ? <Skeleton className="h-80" /> : null}
        {model.error ? (
          <QueryError error={model.error} what="The model could not be loaded" onRetry={() => void model.refetch()} />
        ) : null}
        {model.data ? (
          <Card
            title="Model"
            description="The live entities and their relations."
            actions={
              <ButtonLink href={`/projects/${projectId}/blueprint`} size="small">
                Edit blueprint
              </ButtonLink>
            }
            flush
          >
            <ModelExplorer projectId={projectId} model={model.data} />
          </Card>
        ) : null}
        {model.data === null ? (
          <EmptyState icon={<Boxes />} title="The model appears here">
            When a blueprint is deployed, you see its entities, fields and relations here.
          </EmptyState>
        ) : null}
      </div>
    </>
  );
}
