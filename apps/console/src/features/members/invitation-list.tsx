// The open invitations of an organization. In: its id. Out: the email, the access and the end of each invitation, with buttons to revoke it
// and to create a new link. Old links can't be shown: each is shown once.
"use client";
import type { ProjectSummary } from "@plinth/control/router";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "../../trpc.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog, DialogActions } from "../../ui/dialog.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { roleName, scopeWords } from "./access-words.ts";
import { InvitationResult, invitedWords } from "./invite-dialog.tsx";
import { memberRow } from "./member-row.ts";

interface InvitationListProps {
  organizationId: string;
  slugs: (projectIds: readonly string[]) => readonly string[];
  projects: readonly ProjectSummary[];
}

export function InvitationList({ organizationId, slugs, projects }: InvitationListProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const invitations = useQuery(trpc.invitations.list.queryOptions({ organizationId }));
  const revoke = useMutation(
    trpc.invitations.revoke.mutationOptions({
      onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.invitations.list.queryKey({ organizationId }) }),
    }),
  );
  const renew = useMutation(
    trpc.invitations.renew.mutationOptions({
      gcTime: 0,
      onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.invitations.list.queryKey({ organizationId }) }),
    }),
  );
  const problem = revoke.error ?? renew.error ?? invitations.error;
  if (!problem && !invitations.data?.length) return null;
  return (
    <section aria-label="Open invitations" className="border-t bg-sunken">
      <h3 className="px-4 pt-3 pb-1 text-xs font-medium text-ink-soft">Invited, not accepted yet</h3>
      {problem ? (
        <div className="px-4 py-2">
          <QueryError
            error={problem}
            what={
              revoke.error
                ? "The invitation was not revoked"
                : renew.error
                  ? "The link was not renewed"
                  : "The invitations could not be loaded"
            }
          />
        </div>
      ) : null}
      <ul className="divide-y">
        {invitations.data?.map(({ id, email, role, scope, invitedBy, expiresAt }) => (
          <li key={id} className={memberRow}>
            <div className="min-w-0">
              <p className="truncate font-medium">{email}</p>
              <p className="truncate text-[0.8125rem] text-ink-soft">
                by {invitedBy.name}, {Date.parse(expiresAt) > Date.now() ? "open until" : "expired on"}{" "}
                {new Date(expiresAt).toLocaleDateString(undefined, { dateStyle: "medium" })}
              </p>
            </div>
            <p className="text-[0.8125rem] break-words text-ink-soft">
              {scopeWords(scope.kind, scope.kind === "projects" ? slugs(scope.projectIds) : [])}
            </p>
            <div className="flex items-center gap-1 lg:justify-end">
              <Badge>{roleName(role)}</Badge>
              <Button
                size="small"
                variant="ghost"
                aria-label={`New link for ${email}`}
                pending={renew.isPending && renew.variables.invitationId === id}
                onClick={() => renew.mutate({ organizationId, invitationId: id })}
              >
                New link
              </Button>
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
      {renew.data ? (
        <Dialog
          open
          onOpenChange={() => renew.reset()}
          title={invitedWords(renew.data).title}
          description={`The old link no longer works. ${invitedWords(renew.data).description}`}
          locked
        >
          <InvitationResult invitation={renew.data} projects={projects} />
          <DialogActions>
            <Button variant="primary" onClick={() => renew.reset()}>
              Done
            </Button>
          </DialogActions>
        </Dialog>
      ) : null}
    </section>
  );
}
