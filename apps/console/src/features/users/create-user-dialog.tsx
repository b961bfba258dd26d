// Adds a user without a password. In: an email and roles. Out: Plinth mails a link to the user, or shows the link once.
"use client";
import type { CreatedUser } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { CopyField } from "../../ui/copy-field.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormDialog, type FormResult } from "../../ui/form-dialog.tsx";
import { Notice } from "../../ui/notice.tsx";
import { RoleBoxes } from "./role-boxes.tsx";

interface CreateUserDialogProps {
  projectId: string;
  roles: readonly string[];
  onClose: () => void;
}

export function CreateUserDialog({ projectId, roles, onClose }: CreateUserDialogProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const create = useMutation(
    trpc.users.create.mutationOptions({
      gcTime: 0,
      onSuccess: () => queryClient.invalidateQueries({ queryKey: trpc.users.pathKey() }),
    }),
  );

  function submit(): void {
    create.mutate({
      projectId,
      email: email.trim(),
      roles: [...new Set(["user", ...chosen])],
      ...(name.trim() === "" ? {} : { name: name.trim() }),
    });
  }

  return (
    <FormDialog
      onClose={onClose}
      title="Add a user"
      description="The account has no password yet. The user sets one with a link that works once."
      action="Add user"
      pending={create.isPending}
      error={create.error}
      failure="The user was not added"
      onSubmit={submit}
      result={create.data ? resultOf(create.data, email.trim()) : null}
    >
      <TextField
        label="Email"
        type="email"
        required
        maxLength={254}
        autoComplete="off"
        placeholder="ana@example.com"
        value={email}
        onChange={(event) => {
          setEmail(event.target.value);
          create.reset();
        }}
      />
      <TextField
        label="Name (optional)"
        maxLength={255}
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <RoleBoxes roles={roles} chosen={chosen} onChange={setChosen} />
    </FormDialog>
  );
}

function resultOf(created: CreatedUser, email: string): FormResult {
  if (created.isMailed) {
    return {
      title: "The user was added",
      description: `${email} gets a mail with a link to set a password, which works for 30 minutes. You can send another one on the user's page.`,
      content: null,
      locked: false,
    };
  }
  return {
    title: "Send this to the user",
    description: `The project has no connection for mail, so send this to ${email} yourself. It sets a password and works for 30 minutes.`,
    content: <TokenShownOnce created={created} />,
  };
}

function TokenShownOnce({ created: { link, token } }: { created: CreatedUser }) {
  const text = link ?? token ?? "";
  return (
    <div className="flex flex-col gap-4">
      <CopyField value={text} label={link === null ? "Copy token" : "Copy link"} />
      <Notice tone="warn">
        {link === null
          ? "It is shown only now. Your app sends it to /v1/auth/reset-password with the new password. If you declare a page for it under auth in the blueprint, you get a link instead."
          : "It is shown only now. The first person who opens it can set the password of this account."}
      </Notice>
    </div>
  );
}
