// One end user. In: the ids of project and user. Out: facts, roles, sessions, and actions for the account.
"use client";
import type { EndUserDetail, Rights } from "@plinth/control/router";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { UserX } from "lucide-react";
import { useState } from "react";
import { useLiveModel } from "../../live-model.ts";
import { useTRPC } from "../../trpc.ts";
import { BackLink } from "../../ui/back-link.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { errorCode } from "../../ui/error-text.ts";
import { Notice } from "../../ui/notice.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { AccountActions } from "./account-actions.tsx";
import { RoleBoxes } from "./role-boxes.tsx";
import { SessionList } from "./session-list.tsx";
import { UserState } from "./user-table.tsx";

export function UserPage({ projectId, userId }: { projectId: string; userId: string }) {
  const trpc = useTRPC();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const user = useQuery(trpc.users.get.queryOptions({ projectId, userId }));
  const back = <BackLink href={`/projects/${projectId}/users`}>Users</BackLink>;
  if (user.error && ["NOT_FOUND", "BAD_REQUEST"].includes(errorCode(user.error) ?? "")) {
    return (
      <>
        {back}
        <EmptyState
          icon={<UserX />}
          title="No such user"
          action={<ButtonLink href={`/projects/${projectId}/users`}>Go to users</ButtonLink>}
        >
          The account doesn't exist or was deleted.
        </EmptyState>
      </>
    );
  }
  return (
    <>
      {back}
      {user.isPending ? <SkeletonRows rows={4} className="h-24" /> : null}
      {user.error ? (
        <QueryError error={user.error} what="The user could not be loaded" onRetry={() => void user.refetch()} />
      ) : null}
      {user.data && project.data ? <Shown projectId={projectId} user={user.data} may={project.data.may} /> : null}
    </>
  );
}

interface ShownProps {
  projectId: string;
  user: EndUserDetail;
  may: Rights;
}

function Shown({ projectId, user, may }: ShownProps) {
  return (
    <>
      <PageHeader
        title={
          <>
            <span className="min-w-0 break-words">{user.email}</span>
            <UserState disabledAt={user.disabledAt} hasPassword={user.hasPassword} />
          </>
        }
        description={user.name}
        actions={may.write ? <AccountActions projectId={projectId} user={user} /> : null}
      />
      <div className="flex flex-col gap-6">
        <Facts user={user} />
        <Roles projectId={projectId} user={user} mayChange={may.manage} />
        <SessionList projectId={projectId} user={user} mayEnd={may.write} />
      </div>
    </>
  );
}

function Facts({ user }: { user: EndUserDetail }) {
  return (
    <Card title="Account" flush>
      <dl className="divide-y [&>div]:grid [&>div]:gap-x-4 [&>div]:gap-y-0.5 [&>div]:px-4 [&>div]:py-2 sm:[&>div]:grid-cols-[10rem_1fr] [&_dt]:text-ink-soft">
        <div>
          <dt>User id</dt>
          <dd className="flex min-w-0 items-center justify-between gap-2">
            <span className="truncate font-mono text-[0.8125rem]">{user.id}</span>
            <CopyButton text={user.id} label="Copy user id" />
          </dd>
        </div>
        <div>
          <dt>Signed up</dt>
          <dd>
            <Time at={user.createdAt} />
          </dd>
        </div>
        <div>
          <dt>Last sign-in</dt>
          <dd>{user.lastSignInAt ? <Time at={user.lastSignInAt} /> : "Never"}</dd>
        </div>
        {user.disabledAt ? (
          <div>
            <dt>Disabled</dt>
            <dd>
              <Time at={user.disabledAt} /> by {user.disabledBy}
            </dd>
          </div>
        ) : null}
        <div>
          <dt>Address</dt>
          <dd>
            {user.verifiesEmail
              ? "Verified before the account is created"
              : "Not verified: the blueprint doesn't require it"}
          </dd>
        </div>
        {user.organizations ? (
          <div>
            <dt>Organizations</dt>
            <dd>
              {user.organizations.length === 0 ? (
                "None"
              ) : (
                <ul className="flex flex-wrap gap-x-3 gap-y-1">
                  {user.organizations.map(({ id, name, role }) => (
                    <li key={id} className="flex items-center gap-1.5">
                      {name} <Badge>{role}</Badge>
                    </li>
                  ))}
                </ul>
              )}
            </dd>
          </div>
        ) : null}
      </dl>
    </Card>
  );
}

function Roles({ projectId, user, mayChange }: { projectId: string; user: EndUserDetail; mayChange: boolean }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const model = useLiveModel(projectId);
  const [edited, setEdited] = useState<readonly string[] | null>(null);
  const chosen = edited ?? user.roles;
  const set = useMutation(
    trpc.users.setRoles.mutationOptions({
      onSuccess: async () => {
        await queryClient.invalidateQueries({ queryKey: trpc.users.pathKey() });
        setEdited(null);
      },
    }),
  );
  const roles = model.data?.roles.map(({ name }) => name).filter((name) => name !== "public" && name !== "owner") ?? [];
  const isChanged = [...chosen].sort().join() !== [...user.roles].sort().join();
  return (
    <Card title="Roles" description="Changes apply from the user's next request.">
      <div className="flex flex-col gap-4">
        <RoleBoxes roles={roles} chosen={chosen} onChange={setEdited} disabled={!mayChange} />
        {set.error ? <QueryError error={set.error} what="The roles were not changed" /> : null}
        {set.isSuccess && !isChanged ? <Notice tone="good">The roles were changed.</Notice> : null}
        {mayChange ? (
          <div>
            <Button
              pending={set.isPending}
              disabled={!isChanged}
              onClick={() => set.mutate({ projectId, userId: user.id, roles: [...new Set(["user", ...chosen])] })}
            >
              Set roles
            </Button>
          </div>
        ) : (
          <p className="text-[0.8125rem] text-ink-soft">Only admins and owners of the project can change roles.</p>
        )}
      </div>
    </Card>
  );
}
