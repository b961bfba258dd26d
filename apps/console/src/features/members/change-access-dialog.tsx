// Changes the role and scope of a member. In: the member. Out: the new role and scope.
"use client";
import type { Member, MemberRole, ProjectSummary } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
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

  function submit(): void {
    const missing = accessProblem(access);
    setProblem(missing);
    if (missing === null) change.mutate({ organizationId, personId: member.personId, ...access });
  }

  return (
    <FormDialog
      onClose={onClose}
      title={`Access of ${member.name}`}
      description={`${member.email}. A change applies from their next request.`}
      action="Change access"
      pending={change.isPending}
      error={change.error}
      failure="The access was not changed"
      onSubmit={submit}
    >
      <AccessFields
        access={access}
        projects={projects}
        highest={highest}
        problem={problem}
        onChange={(changed) => {
          setAccess(changed);
          setProblem(null);
        }}
      />
    </FormDialog>
  );
}
