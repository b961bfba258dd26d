// Creates an access token. In: a name, a lifetime, and who uses it. Out: the token, shown once.
"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Notice } from "../../ui/notice.tsx";

const kinds = [
  ["personal", "A script or CI: all my rights"],
  ["program", "An AI or another program: read, check and propose"],
] as const;

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
  const [kind, setKind] = useState<"personal" | "program">("personal");
  const create = useMutation(
    trpc.tokens.create.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: trpc.tokens.list.queryKey() }),
    }),
  );

  function close(): void {
    onOpenChange(false);
    setName("");
    setKind("personal");
    create.reset();
  }

  function submit(): void {
    create.mutate({ name: name.trim(), days, kind });
  }

  return (
    <FormDialog
      open={open}
      onClose={close}
      title="New access token"
      description="Use one token for each script or CI system, so that you can revoke them separately."
      action="Create token"
      pending={create.isPending}
      error={create.error}
      failure="The token was not created"
      onSubmit={submit}
      result={
        create.data
          ? {
              title: "Your new access token",
              description: "Copy it now. It is shown only now and can't be read again.",
              content: <ShownOnce token={create.data.token} isProgram={create.data.kind === "program"} />,
            }
          : null
      }
    >
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
        label="Who uses it"
        value={kind}
        onChange={(event) => setKind(event.target.value === "program" ? "program" : "personal")}
        hint={
          kind === "program"
            ? "It reads blueprints, checks them, proposes changes and follows them. A person approves and consents."
            : "It can do what you can do, except create tokens and change your account."
        }
      >
        {kinds.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      <SelectField label="Expires after" value={String(days)} onChange={(event) => setDays(Number(event.target.value))}>
        {lifetimes.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
    </FormDialog>
  );
}

function ShownOnce({ token, isProgram }: { token: string; isProgram: boolean }) {
  return (
    <div className="flex flex-col gap-4">
      <CopyField value={token} label="Copy token" testId="new-token" />
      <Notice tone="warn">
        {isProgram
          ? "Anybody with this token can read your blueprints and propose changes in your name, as an AI. Protect it like a password."
          : "Anybody with this token has your rights. Protect it like a password."}
      </Notice>
      <div>
        <p className="mb-1.5 text-[0.8125rem] font-medium">{isProgram ? "For the program" : "In CI"}</p>
        <CodeBlock
          label="Variables and a command"
          wrap
          code={`export PLINTH_URL=${location.origin}
export PLINTH_TOKEN=...   # this token${isProgram ? "" : ", as a secret of your CI"}
plinth deploy blueprint.yaml --project NAME${isProgram ? "" : " --approve"}`}
        />
      </div>
    </div>
  );
}
