// The records of a project. In: its id; the entity, from the address. Out: a table based on the live model. The rows come from the project's
// API, through the control API, on behalf of the person, who can create, change, delete and restore them with the right to write.
"use client";
import { useQuery } from "@tanstack/react-query";
import { Database } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { useLiveModel } from "../../live-model.ts";
import { useTRPC } from "../../trpc.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { TabLinks } from "../../ui/tab-links.tsx";
import { RecordTable } from "./record-table.tsx";

export function DataBrowser({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const parameters = useSearchParams();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const live = Boolean(project.data?.live);
  const entities = useQuery(trpc.data.entities.queryOptions({ projectId }, { enabled: live }));
  // Arguments of types (a currency, the target of a reference) are in the model; until it is loaded, values are plain.
  const model = useLiveModel(projectId);
  const named = parameters.get("entity");
  const id = parameters.get("id");
  const entity = entities.data?.find(({ name }) => name === named) ?? entities.data?.[0];

  return (
    <>
      <PageHeader title="Data" description="The records of the live version. The API is called on your behalf." />
      {project.data && !live ? (
        <EmptyState
          icon={<Database />}
          title="No data yet"
          action={
            <ButtonLink href={`/projects/${projectId}/blueprint`} variant="primary">
              Open editor
            </ButtonLink>
          }
        >
          Tables are created when a blueprint is deployed. Then its records appear here.
        </EmptyState>
      ) : null}
      {live && entities.isPending ? <SkeletonRows rows={5} className="h-10" /> : null}
      {entities.error ? (
        <QueryError
          error={entities.error}
          what="The entities could not be loaded"
          onRetry={() => void entities.refetch()}
        />
      ) : null}
      {entities.data && entity ? (
        <>
          <TabLinks
            label="Entities"
            tabs={entities.data.map(({ name, plural }) => ({
              name,
              label: plural,
              href: `/projects/${projectId}/data?entity=${encodeURIComponent(name)}`,
            }))}
            current={entity.name}
          />
          <RecordTable
            key={`${entity.name} ${id}`}
            projectId={projectId}
            entity={entity}
            declared={model.data?.entities.find(({ name }) => name === entity.name) ?? null}
            linkTo={(name, record) =>
              entities.data.some((one) => one.name === name)
                ? `/projects/${projectId}/data?entity=${encodeURIComponent(name)}&id=${encodeURIComponent(record)}`
                : null
            }
            mayChange={project.data?.may.write === true}
            firstFilters={id === null ? {} : { id }}
          />
        </>
      ) : null}
      {entities.data?.length === 0 ? (
        <EmptyState icon={<Database />} title="No entities">
          The live blueprint declares none. Add one in the editor and deploy it.
        </EmptyState>
      ) : null}
    </>
  );
}
