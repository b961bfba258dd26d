// Creates an environment. In: the present environments. Out: a new one with the blueprint of one of them, and its first key, shown once.
"use client";
import type { CreatedEnvironment, EnvironmentSummary } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { Choice, SelectField, TextField } from "../../ui/field.tsx";
import { FormDialog, type FormResult } from "../../ui/form-dialog.tsx";
import { Notice } from "../../ui/notice.tsx";

interface CreateEnvironmentDialogProps {
  projectId: string;
  environments: readonly EnvironmentSummary[];
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

const nameForm = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
/** The choice to start without a blueprint, among the ids of environments. */
const NOTHING = "";

export function CreateEnvironmentDialog({ environments, open, onOpenChange }: CreateEnvironmentDialogProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const hasDevelopment = environments.some(({ kind }) => kind === "development");
  const live = environments.filter((one) => one.live !== null);
  const [kind, setKind] = useState<"development" | "preview">("preview");
  const [name, setName] = useState("preview");
  const [from, setFrom] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const start = from ?? live[0]?.id ?? NOTHING;
  const create = useMutation(
    trpc.environments.create.mutationOptions({
      onSuccess: async () => {
        await queryClient.invalidateQueries({ queryKey: trpc.environments.pathKey() });
        await queryClient.invalidateQueries({ queryKey: trpc.projects.list.queryKey() });
      },
    }),
  );

  function close(): void {
    onOpenChange(false);
    setFrom(null);
    setProblem(null);
    create.reset();
  }

  function submit(): void {
    const wanted = kind === "development" ? kind : name.trim();
    const found =
      kind === "preview" && (!nameForm.test(wanted) || wanted.length > 30)
        ? "Use lower-case words joined by hyphens, at most 30 characters, such as new-checkout."
        : null;
    setProblem(found);
    const empty = start === NOTHING;
    const projectId = empty ? environments[0]?.id : start;
    if (found === null && projectId !== undefined) create.mutate({ projectId, kind, name: wanted, empty });
  }

  return (
    <FormDialog
      open={open}
      onClose={close}
      title="New environment"
      description="It has no data, users and connections yet, and its own keys."
      action="Create environment"
      pending={create.isPending}
      error={create.error}
      failure="The environment was not created"
      onSubmit={submit}
      result={create.data ? resultOf(create.data, close) : null}
      noValidate
    >
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 text-[0.8125rem] font-medium">Kind</legend>
        <Choice
          name="kind"
          value="preview"
          checked={kind === "preview"}
          onChoose={() => setKind("preview")}
          title="Preview"
        >
          To try one change, and to delete afterwards. A project can have several.
        </Choice>
        <Choice
          name="kind"
          value="development"
          checked={kind === "development"}
          onChoose={() => setKind("development")}
          title="Development"
          disabled={hasDevelopment}
        >
          {hasDevelopment ? "This project already has one." : "The place for new changes. A project can have one."}
        </Choice>
      </fieldset>
      {kind === "preview" ? (
        <TextField
          label="Name"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          className="font-mono"
          hint="For example the name of a branch."
          error={problem}
          value={name}
          onChange={(event) => {
            setName(event.target.value);
            setProblem(null);
          }}
        />
      ) : null}
      <SelectField label="Start with" value={start} onChange={(event) => setFrom(event.target.value)}>
        {live.map((one) => (
          <option key={one.id} value={one.id}>
            The live blueprint of {one.name}
          </option>
        ))}
        <option value={NOTHING}>Nothing</option>
      </SelectField>
    </FormDialog>
  );
}

function resultOf(created: CreatedEnvironment, onClose: () => void): FormResult {
  const { id, name, key } = created;
  return {
    title: `${name} was created`,
    description:
      key === null
        ? "It needs a key before apps can use it."
        : "Copy its first key now. It is shown only now and can't be read again.",
    content: <FirstKey created={created} />,
    actions: (
      <>
        <Button onClick={onClose}>Done</Button>
        <ButtonLink href={`/projects/${id}`} variant="primary">
          Open {name}
        </ButtonLink>
      </>
    ),
    locked: key !== null,
  };
}

function FirstKey({ created: { key, problem, deploymentId } }: { created: CreatedEnvironment }) {
  return (
    <div className="flex flex-col gap-4">
      {key === null ? (
        <Notice tone="warn">It has no key yet. An admin can create one under Keys.</Notice>
      ) : (
        <CopyField value={key} label="Copy key" testId="new-key" />
      )}
      {problem === null ? (
        <p className="text-[0.8125rem] text-ink-soft">
          {deploymentId === null
            ? "Nothing is deployed in it yet."
            : "Its blueprint is being deployed, which takes a few seconds."}
        </p>
      ) : (
        <Notice tone="bad" title="Its blueprint was not deployed">
          {problem}
        </Notice>
      )}
    </div>
  );
}
