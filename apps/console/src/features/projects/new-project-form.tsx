// Creates a project. In: a name, and a template or a file for its blueprint. Out: the project with a first draft, opened in the editor.
// Nothing is deployed here.
"use client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type FormEvent, useState } from "react";
import { putDraft } from "../../draft.ts";
import { usePersonId } from "../../person.ts";
import { isProjectName, nameForFile, withProjectName } from "../../project-name.ts";
import { useTRPC, useTRPCClient } from "../../trpc.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { errorCode } from "../../ui/error-text.ts";
import { Choice, SelectField, TextField } from "../../ui/field.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { BlueprintDrop, type BlueprintFile } from "./blueprint-drop.tsx";

/** The choice of a file, in addition to the templates; no template can have this name. */
const fileChoice = "(file)";
/** Its project gets a name of its own. */
const BLANK = "blank";

export function NewProjectForm() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const personId = usePersonId();
  const router = useRouter();
  const queryClient = useQueryClient();
  const me = useQuery(trpc.me.get.queryOptions());
  const templates = useQuery(trpc.blueprints.templates.queryOptions());
  const manageable = me.data?.organizations.filter(({ may }) => may.manage) ?? [];

  const [typed, setName] = useState<string | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const [organization, setOrganization] = useState<string | null>(null);
  const [file, setFile] = useState<BlueprintFile | null>(null);
  const [nameProblem, setNameProblem] = useState<string | null>(null);
  const [startProblem, setStartProblem] = useState<string | null>(null);

  const start = chosen ?? templates.data?.[0]?.name ?? null;
  // The name of the template, until the person types one.
  const name = typed ?? (start === null || start === fileChoice || start === BLANK ? "" : start);
  const organizationId = organization ?? manageable[0]?.id;

  const create = useMutation(
    trpc.projects.create.mutationOptions({
      onSuccess: async (project) => {
        const text =
          start === fileChoice ? file?.text : templates.data?.find((template) => template.name === start)?.text;
        if (text !== undefined)
          await putDraft(client, { personId, projectId: project.id }, withProjectName(text, project.slug), null);
        await queryClient.invalidateQueries({ queryKey: trpc.projects.list.queryKey() });
        router.push(`/projects/${project.id}/blueprint`);
      },
    }),
  );

  const isTaken = create.error !== null && errorCode(create.error) === "CONFLICT";

  function submit(event: FormEvent): void {
    event.preventDefault();
    const isNamed = isProjectName(name);
    const hasStart = start !== null && (start !== fileChoice || file !== null);
    setNameProblem(isNamed ? null : "Use lower-case words joined by hyphens, such as parcel-desk.");
    setStartProblem(hasStart ? null : "Choose a template or a file to start from.");
    if (isNamed && hasStart && organizationId !== undefined) create.mutate({ organizationId, slug: name });
  }

  function takeFile(taken: BlueprintFile): void {
    setName(nameForFile(taken.text, typed ?? "", file?.text ?? null));
    setNameProblem(null);
    setFile(taken);
    setChosen(fileChoice);
    setStartProblem(null);
  }

  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader title="New project" description="You can change everything in the blueprint before it is deployed." />
      <form className="flex flex-col gap-7" onSubmit={submit} noValidate>
        <div className="flex flex-col gap-4">
          <TextField
            label="Name"
            name="name"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            placeholder="parcel-desk"
            className="font-mono"
            hint="Lower-case words joined by hyphens. Your app sends it to name the project."
            error={nameProblem ?? (isTaken ? create.error.message : null)}
            value={name}
            onChange={(event) => {
              setName(event.target.value);
              setNameProblem(null);
              create.reset();
            }}
          />
          {manageable.length > 1 ? (
            <SelectField
              label="Organization"
              value={organizationId ?? ""}
              onChange={(event) => setOrganization(event.target.value)}
            >
              {manageable.map(({ id, name: organizationName }) => (
                <option key={id} value={id}>
                  {organizationName}
                </option>
              ))}
            </SelectField>
          ) : null}
        </div>
        <fieldset>
          <legend className="mb-2 text-[0.8125rem] font-medium">Start from</legend>
          {templates.isPending ? <SkeletonRows className="h-16" /> : null}
          {templates.error ? (
            <QueryError
              error={templates.error}
              what="The templates could not be loaded"
              onRetry={() => void templates.refetch()}
            />
          ) : null}
          <div className="flex flex-col gap-2">
            {templates.data?.map((template) => (
              <Choice
                key={template.name}
                name="start"
                value={template.name}
                checked={start === template.name}
                onChoose={setChosen}
                title={template.title}
              >
                {template.description}
              </Choice>
            ))}
            <Choice
              name="start"
              value={fileChoice}
              checked={start === fileChoice}
              onChoose={setChosen}
              title="Your own file"
            >
              A blueprint that you have written or received.
            </Choice>
            {start === fileChoice ? <BlueprintDrop file={file} onFile={takeFile} /> : null}
          </div>
          {startProblem ? (
            <p role="alert" className="mt-1.5 text-[0.8125rem] text-bad">
              {startProblem}
            </p>
          ) : null}
        </fieldset>
        {create.error && !isTaken ? <QueryError error={create.error} what="The project was not created" /> : null}
        <div className="flex items-center gap-2">
          <Button type="submit" variant="primary" size="large" pending={create.isPending || create.isSuccess}>
            Create project
          </Button>
          <ButtonLink href="/projects" variant="ghost" size="large">
            Cancel
          </ButtonLink>
        </div>
      </form>
    </div>
  );
}
