// The projects that a person can see, by organization. In: the session. Out: a list, or the first step.
"use client";
import { useQueries, useQuery } from "@tanstack/react-query";
import { ChevronRight, Layers, Plus } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Badge } from "../../ui/badge.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { EnvironmentBadge } from "../../ui/environment-badge.tsx";
import { TextField } from "../../ui/field.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";

/** With fewer projects, all of them are on the screen. */
const searchableMin = 8;

export function ProjectList() {
  const trpc = useTRPC();
  const me = useQuery(trpc.me.get.queryOptions());
  const organizations = me.data?.organizations ?? [];
  const lists = useQueries({
    queries: organizations.map(({ id }) => trpc.projects.list.queryOptions({ organizationId: id })),
  });
  const failed = lists.find((list) => list.error);
  const loading = me.isPending || lists.some((list) => list.isPending);
  const nothing = lists.every((list) => list.data?.length === 0);
  const [search, setSearch] = useState("");
  const wanted = search.trim().toLowerCase();
  const count = lists.reduce((sum, list) => sum + (list.data?.length ?? 0), 0);
  const found = lists.map((list) => (list.data ?? []).filter(({ slug }) => slug.includes(wanted)));
  const mayCreate = organizations.some(({ may }) => may.manage);

  if (failed) {
    return (
      <QueryError
        error={failed.error}
        what="The projects could not be loaded"
        onRetry={() => lists.forEach((list) => void list.refetch())}
      />
    );
  }
  return (
    <>
      <PageHeader
        title="Projects"
        description="Each project is a separate backend with data, users, rules and an API."
        actions={
          mayCreate && !nothing ? (
            <ButtonLink href="/projects/new" variant="primary" icon={<Plus />}>
              New project
            </ButtonLink>
          ) : null
        }
      />
      {loading ? <SkeletonRows className="h-16" /> : null}
      {!loading && nothing ? (
        <EmptyState
          icon={<Layers />}
          title="Create your first project"
          action={
            mayCreate ? (
              <ButtonLink href="/projects/new" variant="primary" icon={<Plus />}>
                New project
              </ButtonLink>
            ) : null
          }
        >
          Start from a template or your own blueprint file. You see all effects before anything runs.
        </EmptyState>
      ) : null}
      {!loading && count >= searchableMin ? (
        <div className="mb-4 max-w-72">
          <TextField
            label="Search projects"
            hideLabel
            type="search"
            placeholder={`Search ${count} projects`}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </div>
      ) : null}
      {!loading && wanted !== "" && found.flat().length === 0 ? (
        <p className="text-ink-soft">No project has this in its name.</p>
      ) : null}
      {organizations.map((organization, index) => {
        const projects = found[index] ?? [];
        if (projects.length === 0) return null;
        return (
          <section key={organization.id} className="mb-8" aria-label={organization.name}>
            <h2 className="mb-2 flex items-center gap-2 text-[0.8125rem] font-medium text-ink-soft">
              <Link href={`/organizations/${organization.id}`} className="underline-offset-4 hover:underline">
                {organization.name}
              </Link>
              {organization.role === "owner" ? null : <Badge className="capitalize">{organization.role}</Badge>}
            </h2>
            <ul className="divide-y overflow-hidden rounded-lg border bg-surface shadow-card">
              {projects.map((project) => (
                <li key={project.id} className="relative flex items-center gap-4 px-4 py-3.5 hover:bg-hover/60">
                  <div className="min-w-0 flex-1">
                    <Link
                      href={`/projects/${project.id}`}
                      className="font-medium outline-offset-4 after:absolute after:inset-0"
                    >
                      {project.slug}
                    </Link>
                    <p className="text-[0.8125rem] text-ink-soft">
                      {project.live ? (
                        <>
                          Deployed <Time at={project.live.deployedAt} />
                        </>
                      ) : (
                        <>
                          Created <Time at={project.createdAt} />
                        </>
                      )}
                    </p>
                  </div>
                  {project.environments.length > 1 ? (
                    <ul
                      aria-label={`Environments of ${project.slug}`}
                      className="relative flex flex-wrap gap-1 max-sm:hidden"
                    >
                      {project.environments.map(({ id, kind, name }) => (
                        <li key={id}>
                          <Link href={`/projects/${id}`} className="flex rounded-full">
                            <EnvironmentBadge kind={kind} name={name} />
                          </Link>
                        </li>
                      ))}
                    </ul>
                  ) : null}
                  {project.live ? <Badge tone="good">Live</Badge> : <Badge>Not deployed</Badge>}
                  <ChevronRight className="size-4 text-ink-faint" aria-hidden />
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </>
  );
}
