// Search over pages, actions, entities and projects. In: the project of the page, if there is one. Out: a button for the top bar, a dialog
// with a searchable list, and the keyboard shortcuts.
"use client";
import { useIsFetching, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Command } from "cmdk";
import { Database, FolderKanban, Monitor, Moon, Plus, Search, Sun, UserRound } from "lucide-react";
import { useRouter } from "next/navigation";
import { Dialog as Radix } from "radix-ui";
import { type ReactNode, useState } from "react";
import { applyTheme } from "../../theme.ts";
import { useTRPC } from "../../trpc.ts";
import { matchScore } from "./matches.ts";
import { projectPages } from "./project-pages.ts";
import { ShortcutList } from "./shortcut-list.tsx";
import { useShortcuts } from "./use-shortcuts.ts";

export function CommandPalette({ projectId }: { projectId: string | null }) {
  const router = useRouter();
  const [open, setOpen] = useState(false);
  const [helpOpen, setHelpOpen] = useState(false);
  const loading = useIsFetching() > 0;

  useShortcuts({
    onSearch: () => setOpen((isOpen) => !isOpen),
    onHelp: () => setHelpOpen(true),
    onGo: (letter) => {
      const page = projectPages.find((one) => one.letter === letter);
      if (projectId !== null && page) router.push(`/projects/${projectId}${page.path}`);
      else if (letter === "p") router.push("/projects");
    },
  });

  function go(address: string): void {
    setOpen(false);
    router.push(address);
  }

  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        className="flex h-7 items-center gap-2 rounded-md border bg-page px-2 text-xs text-ink-soft hover:bg-hover hover:text-ink"
      >
        <Search className="size-3.5" aria-hidden />
        <span className="max-sm:sr-only">Search</span>
        <kbd className="font-sans text-ink-faint max-sm:hidden">Ctrl K</kbd>
      </button>
      <Radix.Root open={open} onOpenChange={setOpen}>
        <Radix.Portal>
          <Radix.Overlay className="fixed inset-0 z-40 animate-fade bg-black/40 backdrop-blur-[1px]" />
          <Radix.Content
            aria-describedby={undefined}
            className="fixed inset-x-4 top-[12vh] z-50 mx-auto max-w-xl animate-rise overflow-hidden rounded-xl border bg-surface shadow-raised focus:outline-none"
          >
            <Radix.Title className="sr-only">Search</Radix.Title>
            <Command label="Search pages, actions, entities and projects" loop filter={matchScore}>
              <Command.Input
                placeholder="Search pages, actions, entities and projects"
                className="h-11 w-full border-b bg-transparent px-4 outline-none placeholder:text-ink-faint"
              />
              <Command.List className="max-h-[min(24rem,60vh)] overflow-y-auto p-1.5">
                <Command.Empty className="px-3 py-6 text-center text-ink-soft">
                  {loading ? "Loading ..." : "Nothing found."}
                </Command.Empty>
                {projectId === null ? null : <ProjectEntries projectId={projectId} onGo={go} />}
                <OtherEntries onGo={go} onDone={() => setOpen(false)} />
              </Command.List>
            </Command>
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
      <ShortcutList open={helpOpen} onOpenChange={setHelpOpen} inProject={projectId !== null} />
    </>
  );
}

interface EntriesProps {
  readonly onGo: (address: string) => void;
}

/** Each opens the page with the button. The words are others for the same. */
const actions = [
  { name: "New API key", path: "/keys", words: "create token secret publishable" },
  { name: "Invite a member", path: "/settings", words: "team people add colleague" },
  { name: "New webhook endpoint", path: "/webhooks", words: "create receiver" },
  { name: "New environment", path: "/environments", words: "create preview staging" },
  { name: "Add a user of the app", path: "/users", words: "create end user account" },
] as const;

function ProjectEntries({ projectId, onGo }: EntriesProps & { projectId: string }) {
  const trpc = useTRPC();
  const root = `/projects/${projectId}`;
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const live = Boolean(project.data?.live);
  const entities = useQuery(trpc.data.entities.queryOptions({ projectId }, { enabled: live }));
  return (
    <>
      <Group heading="Pages">
        {projectPages.map(({ name, path, letter, Icon }) => (
          <Entry
            key={path}
            value={`page ${name}`}
            icon={<Icon />}
            keys={`g ${letter}`}
            onSelect={() => onGo(root + path)}
          >
            {name}
          </Entry>
        ))}
      </Group>
      <Group heading="Actions">
        {actions.map(({ name, path, words }) => (
          <Entry key={name} value={`action ${name} ${words}`} icon={<Plus />} onSelect={() => onGo(root + path)}>
            {name}
          </Entry>
        ))}
      </Group>
      {entities.data === undefined || entities.data.length === 0 ? null : (
        <Group heading="Data">
          {entities.data.map(({ name, plural }) => (
            <Entry
              key={name}
              value={`data ${plural} ${name}`}
              icon={<Database />}
              onSelect={() => onGo(`${root}/data?entity=${name}`)}
            >
              {plural}
            </Entry>
          ))}
        </Group>
      )}
    </>
  );
}

function OtherEntries({ onGo, onDone }: EntriesProps & { readonly onDone: () => void }) {
  const trpc = useTRPC();
  const me = useQuery(trpc.me.get.queryOptions());
  return (
    <>
      {me.data?.organizations.map(({ id, name }) => (
        <OrganizationProjects key={id} organizationId={id} organizationName={name} onGo={onGo} />
      ))}
      <ThemeEntries onDone={onDone} />
      <Group heading="Elsewhere">
        <Entry value="all projects" icon={<FolderKanban />} keys="g p" onSelect={() => onGo("/projects")}>
          All projects
        </Entry>
        <Entry value="new project" icon={<Plus />} onSelect={() => onGo("/projects/new")}>
          New project
        </Entry>
        <Entry value="account" icon={<UserRound />} onSelect={() => onGo("/account")}>
          Account
        </Entry>
      </Group>
    </>
  );
}

const themes = [
  { theme: "light", name: "Light theme", Icon: Sun },
  { theme: "dark", name: "Dark theme", Icon: Moon },
  { theme: "system", name: "Theme of the device", Icon: Monitor },
] as const;

function ThemeEntries({ onDone }: { readonly onDone: () => void }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const set = useMutation(
    trpc.me.setTheme.mutationOptions({
      onMutate: ({ theme }) => applyTheme(theme),
      onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.me.get.queryKey() }),
    }),
  );
  return (
    <Group heading="Theme">
      {themes.map(({ theme, name, Icon }) => (
        <Entry
          key={theme}
          value={`theme ${name} appearance mode`}
          icon={<Icon />}
          onSelect={() => {
            onDone();
            set.mutate({ theme });
          }}
        >
          {name}
        </Entry>
      ))}
    </Group>
  );
}

interface OrganizationProjectsProps extends EntriesProps {
  readonly organizationId: string;
  readonly organizationName: string;
}

function OrganizationProjects({ organizationId, organizationName, onGo }: OrganizationProjectsProps) {
  const trpc = useTRPC();
  const projects = useQuery(trpc.projects.list.queryOptions({ organizationId }));
  if (projects.data === undefined || projects.data.length === 0) return null;
  return (
    <Group heading={`Projects of ${organizationName}`}>
      {projects.data.map(({ id, slug }) => (
        <Entry
          key={id}
          value={`project ${slug} ${id}`}
          icon={<FolderKanban />}
          onSelect={() => onGo(`/projects/${id}`)}
        >
          {slug}
        </Entry>
      ))}
    </Group>
  );
}

function Group({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-ink-soft"
    >
      {children}
    </Command.Group>
  );
}

interface EntryProps {
  readonly value: string;
  readonly icon: ReactNode;
  readonly keys?: string;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

function Entry({ value, icon, keys, onSelect, children }: EntryProps) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex cursor-default items-center gap-2.5 rounded-md px-2.5 py-2 text-[0.8125rem] select-none data-[selected=true]:bg-hover [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-ink-faint"
    >
      {icon}
      <span className="min-w-0 truncate">{children}</span>
      {keys === undefined ? null : <kbd className="ml-auto font-sans text-xs text-ink-faint">{keys}</kbd>}
    </Command.Item>
  );
}
