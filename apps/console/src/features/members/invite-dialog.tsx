// Invites a person. In: an email, a role and a scope. Out: a mail with a link. If this Plinth sends no mail, the link is shown once, and the
// inviter sends it.
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
  /** The project of the open page, if any: the smallest scope, which is chosen first. */
  projectId: string | null;
  highest: MemberRole;
  projects: readonly ProjectSummary[];
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

export function InviteDialog({ organizationId, projectId, highest, projects, open, onOpenChange }: InviteDialogProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const smallest: Access = {
    role: "viewer",
    scope: projectId === null ? { kind: "organization" } : { kind: "projects", projectIds: [projectId] },
  };
  const [email, setEmail] = useState("");
  const [access, setAccess] = useState(smallest);
  const [problem, setProblem] = useState<string | null>(null);
  const create = useMutation(
    trpc.invitations.create.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: trpc.invitations.list.queryKey({ organizationId }) }),
    }),
  );

  function close(): void {
    onOpenChange(false);
    setEmail("");
    setAccess(smallest);
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
      description="The person joins when they open the link of the invitation and accept."
      action="Invite"
      pending={create.isPending}
      error={create.error}
      failure="The invitation was not created"
      onSubmit={submit}
      result={
        create.data
          ? {
              ...invitedWords(create.data),
              content: <InvitationResult invitation={create.data} projects={projects} />,
              locked: create.data.token !== null,
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
        problem={problem}
        onChange={(changed) => {
          setAccess(changed);
          setProblem(null);
        }}
      />
    </FormDialog>
  );
}

/** What happened to the link. */
export function invitedWords({ email, mail }: CreatedInvitation): {
  readonly title: string;
  readonly description: string;
} {
  const yourself = `Copy the link and send it to ${email} yourself.`;
  switch (mail) {
    case "sent":
      return { title: "Invitation sent", description: `${email} has a mail with the link.` };
    case "failed":
      return { title: "Send this link", description: `The mail server didn't accept the mail. ${yourself}` };
    case "mailbox":
      return {
        title: "Send this link",
        description: `This Plinth runs on your machine and sends no mail. ${yourself}`,
      };
    case "none":
      return { title: "Send this link", description: `This Plinth sends no mail. ${yourself}` };
  }
}

export function InvitationResult({
  invitation,
  projects,
}: {
  invitation: CreatedInvitation;
  projects: readonly ProjectSummary[];
}) {
  const { scope, role, token } = invitation;
  // After the #, so that no server and no log sees the token.
  const link = token === null ? null : `${location.origin}/invitation#${token}`;
  const slugs = projects
    .filter(({ id }) => scope.kind === "projects" && scope.projectIds.includes(id))
    .map(({ slug }) => slug);
  return (
    <div className="flex flex-col gap-4">
      {link === null ? null : <CopyField value={link} label="Copy link" testId="invitation-link" />}
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        <dt className="text-ink-soft">Role</dt>
        <dd>{roleName(role)}</dd>
        <dt className="text-ink-soft">Access to</dt>
        <dd className="break-words">{scopeWords(scope.kind, slugs)}</dd>
        <dt className="text-ink-soft">Works until</dt>
        <dd>{new Date(invitation.expiresAt).toLocaleDateString(undefined, { dateStyle: "long" })}</dd>
      </dl>
      {link === null ? null : (
        <Notice tone="warn">
          It works once, for an account with the address {invitation.email}. It is shown only now. You can revoke it in
          the list.
        </Notice>
      )}
    </div>
  );
}
