// The open invitations of an organization. In: its id. Out: whom they are meant for, what they open, until when; each can be
// revoked. Their links aren't here: each was shown once.
"use client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "../../trpc.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { roleName, scopeWords } from "./access-words.ts";
import { memberRow } from "./member-row.ts";

interface InvitationListProps {
  organizationId: string;
  slugs: (projectIds: readonly string[]) => readonly string[];
}

export function InvitationList({ organizationId, slugs }: InvitationListProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const invitations = useQuery(trpc.invitations.list.queryOptions({ organizationId }));
  const revoke = useMutation(
    trpc.invitations.revoke.mutationOptions({
      onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.invitations.list.queryKey({ organizationId }) }),
    }),
  );
  const problem = revoke.error ?? invitations.error;
  if (!problem && !invitations.data?.length) return null;
  return (
    <section aria-label="Open invitations" className="border-t bg-sunken">
      <h3 className="px-4 pt-3 pb-1 text-xs font-medium text-ink-soft">Invited, not accepted yet</h3>
      {problem ? (
        <div className="px-4 py-2">
          <QueryError
            error={problem}
            what={revoke.error ? "The invitation was not revoked" : "The invitations could not be loaded"}
          />
        </div>
      ) : null}
      <ul className="divide-y">
        {invitations.data?.map(({ id, email, role, scope, invitedBy, expiresAt }) => (
          <li key={id} className={memberRow}>
            <div className="min-w-0">
              <p className="truncate font-medium">{email}</p>
              <p className="truncate text-[0.8125rem] text-ink-soft">
                by {invitedBy.name}, open until{" "}
                {new Date(expiresAt).toLocaleDateString(undefined, { dateStyle: "medium" })}
              </p>
            </div>
            <p className="text-[0.8125rem] break-words text-ink-soft">
              {scopeWords(scope.kind, scope.kind === "projects" ? slugs(scope.projectIds) : [])}
            </p>
            <div className="flex items-center gap-1 md:justify-end">
              <Badge>{roleName(role)}</Badge>
              <Button
                size="small"
                variant="ghost"
                aria-label={`Revoke the invitation of ${email}`}
                pending={revoke.isPending && revoke.variables.invitationId === id}
                onClick={() => revoke.mutate({ organizationId, invitationId: id })}
              >
                Revoke
              </Button>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
