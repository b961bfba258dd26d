// Shows the present organization, and switches to others. In: the project of the page, if there is one; otherwise the organization in the
// address. Out: a menu with the person's organizations; each opens its page.
"use client";
import { useQuery } from "@tanstack/react-query";
import { Building2, Check, ChevronsUpDown } from "lucide-react";
import { useParams, useRouter } from "next/navigation";
import { useTRPC } from "../../trpc.ts";
import { Menu, MenuItem, MenuLabel, MenuSeparator } from "../../ui/menu.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";

export function OrganizationSwitcher({ projectId = null }: { projectId?: string | null }) {
  const trpc = useTRPC();
  const router = useRouter();
  const { organizationId } = useParams<{ organizationId?: string }>();
  const me = useQuery(trpc.me.get.queryOptions());
  const project = useQuery(
    trpc.projects.get.queryOptions({ projectId: projectId ?? "" }, { enabled: projectId !== null }),
  );
  if (me.isPending || (projectId !== null && project.isPending)) return <Skeleton className="h-4 w-28" />;
  const organizations = me.data?.organizations ?? [];
  const currentId = project.data?.organizationId ?? organizationId;
  const current = organizations.find(({ id }) => id === currentId);
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          className="flex min-w-0 max-w-full items-center gap-1.5 rounded-md px-1.5 py-1 hover:bg-hover"
        >
          <Building2 className="size-4 shrink-0 text-ink-faint" aria-hidden />
          <span className="max-w-40 min-w-0 truncate">{current?.name ?? "Organizations"}</span>
          <ChevronsUpDown className="size-3.5 shrink-0 text-ink-faint" aria-hidden />
          <span className="sr-only">Switch organization</span>
        </button>
      }
    >
      <MenuLabel>Organizations</MenuLabel>
      {organizations.map(({ id, name }) => (
        <MenuItem key={id} onSelect={() => router.push(`/organizations/${id}`)}>
          <span className="truncate">{name}</span>
          {id === current?.id ? <Check className="ml-auto" aria-label="current" /> : null}
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem onSelect={() => router.push("/organizations")}>
        <Building2 aria-hidden />
        All organizations
      </MenuItem>
    </Menu>
  );
}
