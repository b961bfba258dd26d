// One organization. In: its id, and the list of its members. Out: its name, its projects, and forms to rename, leave and delete it, as far as
// the caller's role allows.
"use client";
import type { OrganizationSummary } from "@plinth/control/router";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Building2 } from "lucide-react";
import Link from "next/link";
import { type FormEvent, type ReactNode, useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { DeletedProjects } from "./deleted-projects.tsx";
import { LeaveOrganization } from "./leave-organization.tsx";

export function OrganizationPage({ organizationId, members }: { organizationId: string; members: ReactNode }) {
  const trpc = useTRPC();
  const me = useQuery(trpc.me.get.queryOptions());
  const organization = me.data?.organizations.find(({ id }) => id === organizationId);
  if (me.error)
    return (
      <QueryError error={me.error} what="The organization could not be loaded" onRetry={() => void me.refetch()} />
    );
  if (!me.data) return <SkeletonRows />;
  if (organization === undefined) {
    return (
      <EmptyState
        icon={<Building2 />}
        title="No such organization"
        action={
          <ButtonLink href="/organizations" variant="primary">
            Go to organizations
          </ButtonLink>
        }
      >
        It was deleted, or you are not a member. An admin of the organization can invite you.
      </EmptyState>
    );
  }
  return (
    <>
      <PageHeader title={organization.name} description={`You are ${article(organization.role)} here.`} />
      <div className="flex flex-col gap-6">
        <Projects organization={organization} />
        {organization.may.manage ? <DeletedProjects organizationId={organizationId} /> : null}
        {members}
        {organization.may.manage ? <NameForm key={organization.name} organization={organization} /> : null}
        <LeaveOrganization organization={organization} />
      </div>
    </>
  );
}

function article(role: string): string {
  return /^[aeiou]/.test(role) ? `an ${role}` : `a ${role}`;
}

function Projects({ organization: { id, may } }: { organization: OrganizationSummary }) {
  const trpc = useTRPC();
  const projects = useQuery(trpc.projects.list.queryOptions({ organizationId: id }));
  return (
    <Card
      title="Projects"
      flush
      actions={may.manage ? <ButtonLink href="/projects/new">New project</ButtonLink> : null}
    >
      {projects.isPending ? (
        <div className="p-4">
          <SkeletonRows rows={2} className="h-10" />
        </div>
      ) : null}
      {projects.error ? (
        <div className="p-4">
          <QueryError
            error={projects.error}
            what="The projects could not be loaded"
            onRetry={() => void projects.refetch()}
          />
        </div>
      ) : null}
      {projects.data?.length === 0 ? <p className="p-4 text-ink-soft">No projects yet.</p> : null}
      <ul className="divide-y" aria-label="Projects">
        {projects.data?.map((project) => (
          <li key={project.id} className="px-4 py-2.5">
            <Link href={`/projects/${project.id}`} className="font-medium underline-offset-4 hover:underline">
              {project.slug}
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function NameForm({ organization: { id, name } }: { organization: OrganizationSummary }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [changed, setChanged] = useState(name);
  const rename = useMutation(
    trpc.organizations.rename.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: trpc.me.get.queryKey() }),
    }),
  );

  function submit(event: FormEvent): void {
    event.preventDefault();
    rename.mutate({ organizationId: id, name: changed.trim() });
  }

  return (
    <Card title="Name" description="Members and people with an invitation see it.">
      <form className="flex max-w-sm flex-col gap-4" onSubmit={submit}>
        <TextField
          label="Name of the organization"
          hideLabel
          required
          maxLength={100}
          value={changed}
          onChange={(event) => {
            setChanged(event.target.value);
            rename.reset();
          }}
        />
        {rename.data ? <Notice tone="good">The organization is now called {rename.data.name}.</Notice> : null}
        {rename.error ? <QueryError error={rename.error} what="The organization was not renamed" /> : null}
        <div>
          <Button type="submit" pending={rename.isPending} disabled={changed.trim() === name || changed.trim() === ""}>
            Rename
          </Button>
        </div>
      </form>
    </Card>
  );
}
