// The organizations of the person. In: the session. Out: a list with the role in each, and a dialog to create one.
"use client";
import type { MemberScope } from "@plinth/control/router";
import { useQuery } from "@tanstack/react-query";
import { Building2, ChevronRight, Plus } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { CreateOrganizationDialog } from "./create-organization-dialog.tsx";

export function OrganizationList() {
  const trpc = useTRPC();
  const me = useQuery(trpc.me.get.queryOptions());
  const [creating, setCreating] = useState(false);
  const create = (
    <Button variant="primary" icon={<Plus aria-hidden />} onClick={() => setCreating(true)}>
      New organization
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Organizations"
        description="An organization owns projects, and its members work on them."
        actions={create}
      />
      {me.isPending ? <SkeletonRows className="h-16" /> : null}
      {me.error ? (
        <QueryError error={me.error} what="The organizations could not be loaded" onRetry={() => void me.refetch()} />
      ) : null}
      {me.data?.organizations.length === 0 ? (
        <EmptyState icon={<Building2 />} title="You are not a member of an organization" action={create}>
          Create one for your projects, or ask an admin of another one for an invitation.
        </EmptyState>
      ) : null}
      {me.data && me.data.organizations.length > 0 ? (
        <ul className="divide-y overflow-hidden rounded-lg border bg-surface shadow-card" aria-label="Organizations">
          {me.data.organizations.map(({ id, name, role, scope }) => (
            <li key={id} className="relative flex items-center gap-3 px-4 py-3.5 hover:bg-hover/60">
              <div className="min-w-0 flex-1">
                <Link
                  href={`/organizations/${id}`}
                  className="font-medium break-words outline-offset-4 after:absolute after:inset-0"
                >
                  {name}
                </Link>
                <p className="text-[0.8125rem] text-ink-soft">
                  <OrganizationSize organizationId={id} scope={scope} />
                </p>
              </div>
              <Badge className="capitalize">{role}</Badge>
              <ChevronRight className="size-4 shrink-0 text-ink-faint" aria-hidden />
            </li>
          ))}
        </ul>
      ) : null}
      <CreateOrganizationDialog open={creating} onClose={() => setCreating(false)} />
    </>
  );
}

/** Numbers of projects and members, as far as the person can see them. */
function OrganizationSize({ organizationId, scope }: { organizationId: string; scope: MemberScope["kind"] }) {
  const trpc = useTRPC();
  const projects = useQuery(trpc.projects.list.queryOptions({ organizationId }));
  const members = useQuery(trpc.organizations.members.queryOptions({ organizationId }));
  if (!projects.data || !members.data) return <>&nbsp;</>;
  const size = `${counted(projects.data.length, "project")}, ${counted(members.data.length, "member")}`;
  return scope === "organization" ? size : `${size}, in the projects that are open to you`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
