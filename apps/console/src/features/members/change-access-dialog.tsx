// Changes what a member may do, and where. In: the member. Out: their new role and scope.
"use client";
import type { Member, MemberRole, ProjectSummary } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog, DialogActions } from "../../ui/dialog.tsx";
import { Notice } from "../../ui/notice.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { type Access, AccessFields, accessProblem } from "./access-fields.tsx";

interface ChangeAccessDialogProps {
  organizationId: string;
  member: Member;
  projects: readonly ProjectSummary[];
  highest: MemberRole;
  onClose: () => void;
}

export function ChangeAccessDialog({ organizationId, member, projects, highest, onClose }: ChangeAccessDialogProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [access, setAccess] = useState<Access>({ role: member.role, scope: member.scope });
  const [problem, setProblem] = useState<string | null>(null);
  const change = useMutation(
    trpc.organizations.changeMember.mutationOptions({
      onSuccess: async () => {
        await queryClient.invalidateQueries({ queryKey: trpc.organizations.members.queryKey({ organizationId }) });
        onClose();
      },
    }),
  );

  function submit(event: FormEvent): void {
    event.preventDefault();
    const missing = accessProblem(access);
    setProblem(missing);
    if (missing === null) change.mutate({ organizationId, personId: member.personId, ...access });
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Access of ${member.name}`}
      description={`${member.email}. A change holds from their next click.`}
    >
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <AccessFields
          access={access}
          projects={projects}
          highest={highest}
          onChange={(changed) => {
            setAccess(changed);
            setProblem(null);
          }}
        />
        {problem ? <Notice tone="bad">{problem}</Notice> : null}
        {change.error ? <QueryError error={change.error} what="The access was not changed" /> : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" pending={change.isPending}>
            Change access
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
