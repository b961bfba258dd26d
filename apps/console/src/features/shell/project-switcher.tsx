// Shows the present project, and switches to others of its organization. In: the project's id. Out: a menu.
"use client";
import { useQuery } from "@tanstack/react-query";
import { Check, ChevronsUpDown, Plus } from "lucide-react";
import { useRouter } from "next/navigation";
import { useTRPC } from "../../trpc.ts";
import { Menu, MenuItem, MenuLabel, MenuSeparator } from "../../ui/menu.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";

export function ProjectSwitcher({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const organizationId = project.data?.organizationId;
  const siblings = useQuery(
    trpc.projects.list.queryOptions(
      { organizationId: organizationId ?? "" },
      { enabled: organizationId !== undefined },
    ),
  );
  if (!project.data) return project.isPending ? <Skeleton className="h-4 w-28" /> : null;
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          className="flex max-w-full min-w-0 items-center gap-1 rounded-md px-1.5 py-1 font-medium hover:bg-hover"
        >
          <span className="truncate">{project.data.environment.project}</span>
          <ChevronsUpDown className="size-3.5 shrink-0 text-ink-faint" aria-hidden />
          <span className="sr-only">Switch project</span>
        </button>
      }
    >
      <MenuLabel>Projects</MenuLabel>
      {siblings.data?.map(({ id, slug }) => (
        <MenuItem key={id} onSelect={() => router.push(`/projects/${id}`)}>
          <span className="truncate">{slug}</span>
          {id === project.data.environment.projectId ? <Check className="ml-auto" aria-label="current" /> : null}
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem onSelect={() => router.push("/projects/new")}>
        <Plus aria-hidden />
        New project
      </MenuItem>
    </Menu>
  );
}
