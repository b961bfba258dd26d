// The members of an organization. In: its id. Out: the list; for an owner also adding and removing.
"use client";
import type { Member, MemberRole } from "@plinth/control/router";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { errorCode, errorText } from "../../ui/error-text.ts";
import { SelectField, TextField } from "../../ui/field.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";

export function MemberList({ organizationId, mayChange }: { organizationId: string; mayChange: boolean }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const me = useQuery(trpc.me.get.queryOptions());
  const members = useQuery(trpc.organizations.members.queryOptions({ organizationId }));
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<MemberRole>("viewer");
  const [removing, setRemoving] = useState<Member | null>(null);

  const refresh = (): Promise<void> =>
    queryClient.invalidateQueries({ queryKey: trpc.organizations.members.queryKey({ organizationId }) });
  const add = useMutation(
    trpc.organizations.addMember.mutationOptions({
      onSuccess: async () => {
        setEmail("");
        await refresh();
      },
    }),
  );
  const remove = useMutation(
    trpc.organizations.removeMember.mutationOptions({
      onSuccess: async () => {
        setRemoving(null);
        await refresh();
      },
    }),
  );

  function submit(event: FormEvent): void {
    event.preventDefault();
    add.mutate({ organizationId, email: email.trim(), role });
  }

  return (
    <Card title="Members" description="Owners change everything. Viewers read." flush>
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
      <ul className="divide-y">
        {members.data?.map((member) => (
          <li key={member.personId} className="flex items-center gap-3 px-4 py-2.5">
            <div className="min-w-0 flex-1">
              <p className="truncate font-medium">{member.name}</p>
              <p className="truncate text-[0.8125rem] text-ink-soft">{member.email}</p>
            </div>
            <Badge>{member.role === "owner" ? "Owner" : "Viewer"}</Badge>
            {mayChange && member.personId !== me.data?.person.id ? (
              <Button
                size="small"
                variant="ghost"
                aria-label={`Remove ${member.name}`}
                onClick={() => setRemoving(member)}
              >
                Remove
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {mayChange ? (
        <form onSubmit={submit} className="flex flex-wrap items-start gap-2 border-t bg-sunken px-4 py-3">
          <div className="min-w-48 flex-1">
            <TextField
              label="Email of the new member"
              hideLabel
              type="email"
              required
              placeholder="colleague@example.com"
              value={email}
              error={add.error ? addProblem(add.error) : null}
              onChange={(event) => {
                setEmail(event.target.value);
                if (add.error) add.reset();
              }}
            />
          </div>
          <SelectField
            label="Role of the new member"
            hideLabel
            value={role}
            onChange={(event) => setRole(event.target.value === "owner" ? "owner" : "viewer")}
          >
            <option value="viewer">Viewer</option>
            <option value="owner">Owner</option>
          </SelectField>
          <Button type="submit" size="large" pending={add.isPending}>
            Add member
          </Button>
        </form>
      ) : null}
      <ConfirmDialog
        open={removing !== null}
        onOpenChange={(open) => {
          if (open) return;
          setRemoving(null);
          remove.reset();
        }}
        title={`Remove ${removing?.name ?? "member"}?`}
        description="They lose access to every project of this organization at once. You can add them again."
        action="Remove member"
        pending={remove.isPending}
        error={remove.error ? errorText(remove.error) : null}
        onConfirm={() => removing && remove.mutate({ organizationId, personId: removing.personId })}
      />
    </Card>
  );
}

function addProblem(error: unknown): string {
  return errorCode(error) === "NOT_FOUND"
    ? "Nobody has an account with this email. Ask them to sign up first, then add them."
    : errorText(error);
}
