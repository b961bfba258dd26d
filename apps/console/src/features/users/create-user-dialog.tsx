// Adds a user without a password. In: an address and roles. Out: the user is sent a mail, or the person a link to hand over once.
"use client";
import type { CreatedUser } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { Dialog, DialogActions } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { QueryError } from "../../ui/query-error.tsx";
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

  function submit(event: FormEvent): void {
    event.preventDefault();
    create.mutate({
      projectId,
      email: email.trim(),
      roles: [...new Set(["user", ...chosen])],
      ...(name.trim() === "" ? {} : { name: name.trim() }),
    });
  }

  if (create.data) {
    return (
      <Dialog
        open
        onOpenChange={onClose}
        title={create.data.isMailed ? "The user is added" : "Send this to the user"}
        description={
          create.data.isMailed
            ? `A mail to ${email.trim()} tells how to set a password. It works for 30 minutes; you can send another one on the user's page.`
            : `${email.trim()} sets a password with it within 30 minutes. The project has no connection for mail, so you hand it over yourself.`
        }
        locked={!create.data.isMailed}
      >
        {create.data.isMailed ? null : <TokenShownOnce created={create.data} />}
        <DialogActions>
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </DialogActions>
      </Dialog>
    );
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Add a user"
      description="The account has no password: the user sets one with a link that works once."
    >
      <form className="flex flex-col gap-4" onSubmit={submit}>
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
        {create.error ? <QueryError error={create.error} what="The user was not added" /> : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" pending={create.isPending}>
            Add user
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function TokenShownOnce({ created: { link, token } }: { created: CreatedUser }) {
  const text = link ?? token ?? "";
  return (
    <div className="flex flex-col gap-4">
      <CopyField value={text} label={link === null ? "Copy token" : "Copy link"} />
      <Notice tone="warn">
        {link === null
          ? "It is shown only now. Your app sends it to /v1/auth/reset-password with the new password. Name a page for it under auth in the blueprint, and you get a link instead."
          : "It is shown only now. Whoever opens it first sets the password of this account."}
      </Notice>
    </div>
  );
}
