// Creates a key. In: name, kind and role. Out: the key, shown once, with a command to try it.
"use client";
import type { CreatedKey } from "@plinth/control/router";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useEntityForKey, useLiveModel } from "../../live-model.ts";
import { curlSnippet } from "../../request-snippets.ts";
import { useTRPC } from "../../trpc.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { Choice, SelectField, TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Notice } from "../../ui/notice.tsx";

interface CreateKeyDialogProps {
  projectId: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

export function CreateKeyDialog({ projectId, open, onOpenChange }: CreateKeyDialogProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [name, setName] = useState("");
  const [kind, setKind] = useState<CreatedKey["kind"]>("secret");
  const [role, setRole] = useState("admin");
  const model = useLiveModel(projectId);
  const create = useMutation(
    trpc.keys.create.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: trpc.keys.list.queryKey({ projectId }) }),
    }),
  );

  function close(): void {
    onOpenChange(false);
    setName("");
    create.reset();
  }

  function submit(): void {
    create.mutate({ projectId, name: name.trim(), kind, ...(kind === "secret" && role !== "admin" ? { role } : {}) });
  }

  const roles = model.data?.roles.filter(({ builtin }) => !builtin).map((one) => one.name) ?? [];
  return (
    <FormDialog
      open={open}
      onClose={close}
      title="New key"
      description="Use one key for each app or server, so that you can revoke them separately."
      action="Create key"
      pending={create.isPending}
      error={create.error}
      failure="The key was not created"
      onSubmit={submit}
      result={
        create.data
          ? {
              title: "Your new key",
              description: "Copy it now. It is shown only now and can't be read again.",
              content: <ShownOnce projectId={projectId} created={create.data} />,
            }
          : null
      }
    >
      <TextField
        label="Name"
        autoComplete="off"
        placeholder="Web server"
        required
        maxLength={80}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 text-[0.8125rem] font-medium">Kind</legend>
        <Choice
          name="kind"
          value="secret"
          checked={kind === "secret"}
          onChoose={() => setKind("secret")}
          title="Secret"
        >
          For servers. It has the rights of its role. Keep it out of browsers and repositories.
        </Choice>
        <Choice
          name="kind"
          value="publishable"
          checked={kind === "publishable"}
          onChoose={() => setKind("publishable")}
          title="Publishable"
        >
          For browsers and mobile apps. It has the rights of the role public; users sign in in addition.
        </Choice>
      </fieldset>
      {kind === "secret" && roles.length > 0 ? (
        <SelectField label="Role" value={role} onChange={(event) => setRole(event.target.value)}>
          {["admin", ...roles].map((one) => (
            <option key={one}>{one}</option>
          ))}
        </SelectField>
      ) : null}
    </FormDialog>
  );
}

function ShownOnce({ projectId, created }: { projectId: string; created: CreatedKey }) {
  const trpc = useTRPC();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const role = created.kind === "publishable" ? "public" : (created.role ?? "admin");
  const { data: entity } = useEntityForKey(projectId, role);
  return (
    <div className="flex flex-col gap-4">
      <CopyField value={created.key} label="Copy key" testId="new-key" />
      {created.kind === "secret" ? (
        <Notice tone="warn">
          Anybody with this key has the rights of {created.role ?? "admin"}. Protect it like a password.
        </Notice>
      ) : null}
      {project.data && entity ? (
        <div>
          <p className="mb-1.5 text-[0.8125rem] font-medium">Try it</p>
          <CodeBlock
            label="curl command"
            wrap
            code={curlSnippet({
              apiUrl: project.data.apiUrl,
              project: project.data.slug,
              entity: entity.name,
              plural: entity.plural,
              key: created.key,
            })}
          />
        </div>
      ) : null}
      {entity === null ? (
        <p className="text-[0.8125rem] text-ink-soft">
          No rule lets the role <code className="font-mono text-xs text-ink">{role}</code> read records yet.
          {created.kind === "publishable"
            ? " A user of your app signs in first, and sends a token beside the key."
            : ""}
        </p>
      ) : null}
    </div>
  );
}
