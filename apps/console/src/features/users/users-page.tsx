// The end users of a project. In: its id; search and filters from the person. Out: a table of accounts, page by page, and a dialog to add
// one.
"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { UserPlus, Users } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { useLiveModel } from "../../live-model.ts";
import { useTRPC } from "../../trpc.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { pageSize } from "../../ui/pager.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { CreateUserDialog } from "./create-user-dialog.tsx";
import { UserTable } from "./user-table.tsx";

type State = "all" | "enabled" | "disabled";

export function UsersPage({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const model = useLiveModel(projectId);
  const [search, setSearch] = useState("");
  const [role, setRole] = useState("");
  const [state, setState] = useState<State>("all");
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const [creating, setCreating] = useState(false);
  const wanted = useDeferredValue(search.trim());
  const users = useQuery(
    trpc.users.list.queryOptions(
      {
        projectId,
        limit: pageSize,
        ...(wanted === "" ? {} : { search: wanted }),
        ...(role === "" ? {} : { role }),
        ...(state === "all" ? {} : { disabled: state === "disabled" }),
        ...(cursors.length === 0 ? {} : { cursor: cursors.at(-1) }),
      },
      { placeholderData: keepPreviousData },
    ),
  );
  const roles = model.data?.roles.map(({ name }) => name).filter((name) => name !== "public" && name !== "owner") ?? [];
  const isFiltered = wanted !== "" || role !== "" || state !== "all";
  const hasAuth = model.data?.modules.includes("auth") ?? true;
  const create =
    project.data?.may.manage && users.data ? (
      <Button variant="primary" icon={<UserPlus aria-hidden />} onClick={() => setCreating(true)}>
        Add user
      </Button>
    ) : null;

  function filter(change: () => void): void {
    change();
    setCursors([]);
  }

  return (
    <>
      <PageHeader
        title="Users"
        description="People who sign in to your app. They are not members of this console."
        actions={users.data && (users.data.users.length > 0 || isFiltered) ? create : null}
      />
      {users.isPending ? <SkeletonRows rows={5} className="h-11" /> : null}
      {users.error ? (
        <QueryError error={users.error} what="The users could not be loaded" onRetry={() => void users.refetch()} />
      ) : null}
      {users.data === null ? (
        <EmptyState
          icon={<Users />}
          title="No users yet"
          action={
            <ButtonLink href={`/projects/${projectId}/blueprint`} variant="primary">
              Open editor
            </ButtonLink>
          }
        >
          Deploy a blueprint first. Then people who sign up in your app appear here.
        </EmptyState>
      ) : null}
      {users.data ? (
        <>
          {users.data.users.length > 0 || isFiltered || cursors.length > 0 ? (
            <div className="mb-3 flex flex-wrap items-end gap-2">
              <div className="w-full sm:w-72">
                <TextField
                  label="Search users"
                  hideLabel
                  type="search"
                  placeholder="Search by email or name"
                  value={search}
                  onChange={(event) => filter(() => setSearch(event.target.value))}
                />
              </div>
              <SelectField
                label="Role"
                hideLabel
                value={role}
                onChange={(event) => filter(() => setRole(event.target.value))}
              >
                <option value="">All roles</option>
                {roles.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </SelectField>
              <SelectField
                label="State"
                hideLabel
                value={state}
                onChange={(event) => filter(() => setState(event.target.value as State))}
              >
                <option value="all">Enabled and disabled</option>
                <option value="enabled">Enabled</option>
                <option value="disabled">Disabled</option>
              </SelectField>
            </div>
          ) : null}
          {users.data.users.length > 0 ? (
            <UserTable projectId={projectId} page={users.data} cursors={cursors} onPage={setCursors} />
          ) : isFiltered ? (
            <EmptyState icon={<Users />} title="No user matches">
              Try another part of the address or name, or another role.
            </EmptyState>
          ) : (
            <EmptyState icon={<Users />} title="Nobody has signed up yet" action={create}>
              {hasAuth
                ? "People who sign up in your app appear here. You can also add a user, who then sets a password."
                : "The live blueprint has no module auth, so nobody can sign up. Add it to modules, and deploy it."}
            </EmptyState>
          )}
        </>
      ) : null}
      {creating ? <CreateUserDialog projectId={projectId} roles={roles} onClose={() => setCreating(false)} /> : null}
    </>
  );
}
