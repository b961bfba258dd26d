// The settings of a project. In: its id. Out: its id, name and API address, the members of its organization, and forms to rename and delete
// it; in an environment other than production a link to the page that deletes it. Actions without the right are hidden; the control API
// refuses them anyway.
"use client";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "../../trpc.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { MemberList } from "../members/member-list.tsx";
import { DeleteProject } from "./delete-project.tsx";
import { RenameProject } from "./rename-project.tsx";

export function ProjectSettings({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  if (!project.data) return null;
  const mayChange = project.data.may.manage;
  const isProduction = project.data.environment.kind === "production";
  const facts = [
    { name: "Project id", value: project.data.id },
    { name: "Name", value: project.data.slug },
    { name: "API", value: project.data.apiUrl },
  ];
  return (
    <>
      <PageHeader title="Settings" />
      <div className="flex flex-col gap-6">
        <Card title="Project" flush>
          <dl className="divide-y">
            {facts.map(({ name, value }) => (
              <div key={name} className="flex items-center gap-4 px-4 py-2">
                <dt className="w-24 shrink-0 text-ink-soft">{name}</dt>
                <dd className="flex min-w-0 flex-1 items-center justify-between gap-2">
                  <span className="truncate font-mono text-[0.8125rem]">{value}</span>
                  <CopyButton text={value} label={`Copy ${name.toLowerCase()}`} />
                </dd>
              </div>
            ))}
          </dl>
        </Card>
        <MemberList organizationId={project.data.organizationId} projectId={projectId} />
        {mayChange && isProduction ? <RenameProject key={project.data.slug} project={project.data} /> : null}
        {mayChange && isProduction ? <DeleteProject project={project.data} /> : null}
        {mayChange && !isProduction ? (
          <Card
            title={`Environment ${project.data.environment.name}`}
            description={`Its name comes from the project ${project.data.environment.project}. You can delete it on the page of all environments.`}
          >
            <ButtonLink href={`/projects/${projectId}/environments`}>All environments</ButtonLink>
          </Card>
        ) : null}
      </div>
    </>
  );
}
