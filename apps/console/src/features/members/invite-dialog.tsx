// Invites somebody. In: an address, a role and a scope. Out: a link that is shown once, for the inviter to send. While it is
// shown, the dialog closes by its button only, so that no stray click loses the link.
"use client";
import type { CreatedInvitation, MemberRole, ProjectSummary } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { CopyField } from "../../ui/copy-field.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Notice } from "../../ui/notice.tsx";
import { type Access, AccessFields, accessProblem } from "./access-fields.tsx";
import { roleName, scopeWords } from "./access-words.ts";

interface InviteDialogProps {
  organizationId: string;
  /** The project that the person looks at, if any: the least that an invitation can be meant for. */
  projectId: string | null;
  highest: MemberRole;
  projects: readonly ProjectSummary[];
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

export function InviteDialog({ organizationId, projectId, highest, projects, open, onOpenChange }: InviteDialogProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const least: Access = {
    role: "viewer",
    scope: projectId === null ? { kind: "organization" } : { kind: "projects", projectIds: [projectId] },
  };
  const [email, setEmail] = useState("");
  const [access, setAccess] = useState(least);
  const [problem, setProblem] = useState<string | null>(null);
  const create = useMutation(
    trpc.invitations.create.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: trpc.invitations.list.queryKey({ organizationId }) }),
    }),
  );

  function close(): void {
    onOpenChange(false);
    setEmail("");
    setAccess(least);
    setProblem(null);
    create.reset();
  }

  function submit(): void {
    const missing = accessProblem(access);
    setProblem(missing);
    if (missing === null) create.mutate({ organizationId, email: email.trim(), ...access });
  }

  return (
    <FormDialog
      open={open}
      onClose={close}
      title="Invite a member"
      description="You get a link to send. Nobody joins before they have opened it and accepted."
      action="Create link"
      pending={create.isPending}
      error={create.error}
      failure="The invitation was not made"
      onSubmit={submit}
      result={
        create.data
          ? {
              title: "Send this link",
              description: `Plinth sends no email yet. Copy the link and send it to ${create.data.email} yourself.`,
              content: <LinkShownOnce invitation={create.data} projects={projects} />,
            }
          : null
      }
    >
      <TextField
        label="Email of the new member"
        type="email"
        required
        maxLength={254}
        autoComplete="off"
        placeholder="colleague@example.com"
        value={email}
        onChange={(event) => {
          setEmail(event.target.value);
          create.reset();
        }}
      />
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
    </FormDialog>
  );
}

export function LinkShownOnce({
  invitation,
  projects,
}: {
  invitation: CreatedInvitation;
  projects: readonly ProjectSummary[];
}) {
  const { scope, role, token } = invitation;
  // After the #, so that no server and no log ever sees it.
  const link = `${location.origin}/invitation#${token}`;
  const slugs = projects
    .filter(({ id }) => scope.kind === "projects" && scope.projectIds.includes(id))
    .map(({ slug }) => slug);
  return (
    <div className="flex flex-col gap-4">
      <CopyField value={link} label="Copy link" testId="invitation-link" />
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        <dt className="text-ink-soft">Role</dt>
        <dd>{roleName(role)}</dd>
        <dt className="text-ink-soft">Opens</dt>
        <dd className="break-words">{scopeWords(scope.kind, slugs)}</dd>
        <dt className="text-ink-soft">Works until</dt>
        <dd>{new Date(invitation.expiresAt).toLocaleDateString(undefined, { dateStyle: "long" })}</dd>
      </dl>
      <Notice tone="warn">
        Whoever has this link can join with it, once. It is shown only now; you can revoke it in the list.
      </Notice>
    </div>
  );
}
