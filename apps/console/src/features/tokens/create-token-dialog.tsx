// Makes an access token. In: a name and how long it lasts. Out: the token, shown once; closing forgets it. While it is shown, the dialog
// closes by its button only, so that no stray click loses the token.
"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { Dialog, DialogActions } from "../../ui/dialog.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { QueryError } from "../../ui/query-error.tsx";

const lifetimes = [
  [7, "7 days"],
  [30, "30 days"],
  [90, "90 days"],
  [365, "1 year"],
] as const;

interface CreateTokenDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

export function CreateTokenDialog({ open, onOpenChange }: CreateTokenDialogProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [name, setName] = useState("");
  const [days, setDays] = useState(90);
  const create = useMutation(
    trpc.tokens.create.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: trpc.tokens.list.queryKey() }),
    }),
  );

  function close(): void {
    onOpenChange(false);
    setName("");
    create.reset();
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    create.mutate({ name: name.trim(), days });
  }

  if (create.data) {
    return (
      <Dialog
        open={open}
        onOpenChange={close}
        title="Your new access token"
        description="Copy it now. It is shown this once and can't be read again."
        locked
      >
        <ShownOnce token={create.data.token} />
        <DialogActions>
          <Button variant="primary" onClick={close}>
            Done
          </Button>
        </DialogActions>
      </Dialog>
    );
  }
  return (
    <Dialog
      open={open}
      onOpenChange={close}
      title="New access token"
      description="For one script or one CI system, so that it can be revoked alone."
    >
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <TextField
          label="Name"
          autoComplete="off"
          placeholder="Deployments from CI"
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <SelectField
          label="Expires after"
          value={String(days)}
          onChange={(event) => setDays(Number(event.target.value))}
        >
          {lifetimes.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
        {create.error ? <QueryError error={create.error} what="The token was not created" /> : null}
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" variant="primary" pending={create.isPending}>
            Create token
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function ShownOnce({ token }: { token: string }) {
  return (
    <div className="flex flex-col gap-4">
      <CopyField value={token} label="Copy token" testId="new-token" />
      <Notice tone="warn">Whoever has this token acts as you. Keep it as you keep a password.</Notice>
      <div>
        <p className="mb-1.5 text-[0.8125rem] font-medium">In CI</p>
        <CodeBlock
          label="Variables and a command"
          wrap
          code={`export PLINTH_URL=${location.origin}
export PLINTH_TOKEN=...   # this token, as a secret of your CI
plinth deploy blueprint.yaml --project NAME --approve`}
        />
      </div>
    </div>
  );
}
