// Shows the present environment, and switches to others of the project. In: its id. Out: a menu; another environment opens on the same page.
"use client";
import { useQuery } from "@tanstack/react-query";
import { Check, ChevronsUpDown, Layers2 } from "lucide-react";
import { usePathname, useRouter } from "next/navigation";
import { useTRPC } from "../../trpc.ts";
import { EnvironmentBadge } from "../../ui/environment-badge.tsx";
import { Menu, MenuItem, MenuLabel, MenuSeparator } from "../../ui/menu.tsx";

export function EnvironmentSwitcher({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const pathname = usePathname();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const environments = useQuery(
    trpc.environments.list.queryOptions({ projectId }, { enabled: project.data !== undefined }),
  );
  if (!project.data) return null;
  const { kind, name } = project.data.environment;
  // Only the page is kept: a record, a run or a change of one environment doesn't exist in another.
  const page = pathname.split("/")[3];
  return (
    <Menu
      align="start"
      trigger={
        <button type="button" className="flex max-w-40 shrink-0 items-center gap-1 rounded-md px-1 py-1 hover:bg-hover">
          <EnvironmentBadge kind={kind} name={name} className="min-w-0 truncate" />
          <ChevronsUpDown className="size-3.5 shrink-0 text-ink-faint" aria-hidden />
          <span className="sr-only">Switch environment</span>
        </button>
      }
    >
      <MenuLabel>Environments of {project.data.environment.project}</MenuLabel>
      {environments.data?.map((one) => (
        <MenuItem
          key={one.id}
          onSelect={() => router.push(page === undefined ? `/projects/${one.id}` : `/projects/${one.id}/${page}`)}
        >
          <EnvironmentBadge kind={one.kind} name={one.name} />
          {one.live ? null : <span className="text-xs text-ink-soft">nothing deployed</span>}
          {one.id === projectId ? <Check className="ml-auto" aria-label="current" /> : null}
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem onSelect={() => router.push(`/projects/${projectId}/environments`)}>
        <Layers2 aria-hidden />
        All environments
      </MenuItem>
    </Menu>
  );
}
