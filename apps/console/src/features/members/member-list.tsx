// The members and open invitations of an organization. In: its id, and the project of the open page. Out: the members with role and scope;
// for an admin of the organization also buttons to invite, change and remove.
"use client";
import type { Member } from "@plinth/control/router";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { UserPlus } from "lucide-react";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { allRoles, roleName, scopeWords } from "./access-words.ts";
import { ChangeAccessDialog } from "./change-access-dialog.tsx";
import { InvitationList } from "./invitation-list.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { memberRow } from "./member-row.ts";

interface MemberListProps {
  organizationId: string;
  /** The project of the open page; null on the page of the organization. */
  projectId: string | null;
}

export function MemberList({ organizationId, projectId }: MemberListProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const me = useQuery(trpc.me.get.queryOptions());
  const members = useQuery(trpc.organizations.members.queryOptions({ organizationId }));
  const projects = useQuery(trpc.projects.list.queryOptions({ organizationId }));
  const [inviting, setInviting] = useState(false);
  const [changing, setChanging] = useState<Member | null>(null);
  const [removing, setRemoving] = useState<Member | null>(null);
  const remove = useMutation(
    trpc.organizations.removeMember.mutationOptions({
      onSuccess: async () => {
        setRemoving(null);
        await queryClient.invalidateQueries({ queryKey: trpc.organizations.members.queryKey({ organizationId }) });
        await queryClient.invalidateQueries({ queryKey: trpc.invitations.list.queryKey({ organizationId }) });
      },
    }),
  );
  const organization = me.data?.organizations.find(({ id }) => id === organizationId);
  const mayChange = organization?.may.manage === true;
  const highest = organization?.role ?? "viewer";
  const isManageable = ({ role }: Member): boolean => allRoles.indexOf(role) <= allRoles.indexOf(highest);
  const slugs = (ids: readonly string[]): string[] =>
    (projects.data ?? []).filter(({ id }) => ids.includes(id)).map(({ slug }) => slug);

  return (
    <Card
      title="Members"
      description="Each member has a role, in the whole organization or in some projects."
      flush
      actions={
        mayChange && projects.data ? (
          <Button icon={<UserPlus aria-hidden />} onClick={() => setInviting(true)}>
            Invite
          </Button>
        ) : null
      }
    >
      {members.isPending ? (
        <div className="p-4">
          <SkeletonRows rows={2} className="h-10" />
        </div>
      ) : null}
      {members.error ? (
        <div className="p-4">
          <QueryError
            error={members.error}
            what="The members could not be loaded"
            onRetry={() => void members.refetch()}
          />
        </div>
      ) : null}
      <ul className="divide-y" aria-label="Members">
        {members.data?.map((member) => (
          <li key={member.personId} className={memberRow}>
            <div className="min-w-0">
              <p className="truncate font-medium">
                {member.name}
                {member.personId === me.data?.person.id ? <span className="text-ink-soft"> (you)</span> : null}
              </p>
              <p className="truncate text-[0.8125rem] text-ink-soft">{member.email}</p>
            </div>
            <p className="text-[0.8125rem] break-words text-ink-soft">
              {scopeWords(member.scope.kind, member.scope.kind === "projects" ? slugs(member.scope.projectIds) : [])}
            </p>
            <div className="flex items-center gap-1 lg:justify-end">
              <Badge>{roleName(member.role)}</Badge>
              {mayChange && isManageable(member) && member.personId !== me.data?.person.id ? (
                <>
                  <Button
                    size="small"
                    variant="ghost"
                    aria-label={`Change access of ${member.name}`}
                    onClick={() => setChanging(member)}
                  >
                    Change
                  </Button>
                  <Button
                    size="small"
                    variant="ghost"
                    aria-label={`Remove ${member.name}`}
                    onClick={() => setRemoving(member)}
                  >
                    Remove
                  </Button>
                </>
              ) : null}
            </div>
          </li>
        ))}
      </ul>
      {mayChange ? (
        <InvitationList organizationId={organizationId} slugs={slugs} projects={projects.data ?? []} />
      ) : null}
      <InviteDialog
        organizationId={organizationId}
        projectId={projectId}
        highest={highest}
        projects={projects.data ?? []}
        open={inviting}
        onOpenChange={setInviting}
      />
      {changing ? (
        <ChangeAccessDialog
          organizationId={organizationId}
          member={changing}
          projects={projects.data ?? []}
          highest={highest}
          onClose={() => setChanging(null)}
        />
      ) : null}
      <ConfirmDialog
        open={removing !== null}
        onClose={() => setRemoving(null)}
        title={`Remove ${removing?.name ?? "member"}?`}
        description="They lose access to this organization at once, and their open invitations are revoked. You can invite them again."
        action="Remove member"
        mutation={remove}
        onConfirm={() => removing && remove.mutate({ organizationId, personId: removing.personId })}
      />
    </Card>
  );
}
