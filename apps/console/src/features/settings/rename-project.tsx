// Renames a project. In: the project, and its live blueprint. Out: a proposal that changes `project` in the blueprint. It is reviewed and
// deployed like any other, because clients that send the name must change with it.
"use client";
import type { Project } from "@plinth/control/router";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type FormEvent, useState } from "react";
import { isProjectName, withProjectName } from "../../project-name.ts";
import { useTRPC } from "../../trpc.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { TextField } from "../../ui/field.tsx";
import { QueryError } from "../../ui/query-error.tsx";

export function RenameProject({ project }: { project: Project }) {
  const trpc = useTRPC();
  const router = useRouter();
  const { id: projectId, slug, live } = project;
  const current = useQuery(trpc.blueprints.current.queryOptions({ projectId }, { enabled: live !== null }));
  const [name, setName] = useState(slug);
  const [problem, setProblem] = useState<string | null>(null);
  const propose = useMutation(
    trpc.proposals.create.mutationOptions({
      onSuccess: ({ id }) => router.push(`/projects/${projectId}/changes/${id}`),
    }),
  );

  function submit(event: FormEvent): void {
    event.preventDefault();
    const wanted = name.trim();
    const isName = isProjectName(wanted);
    setProblem(isName ? null : "Use lower-case words joined by hyphens, such as parcel-desk.");
    if (isName && current.data) propose.mutate({ projectId, text: withProjectName(current.data.text, wanted) });
  }

  return (
    <Card
      title="Rename"
      description="The name is in the first line of the blueprint. It changes with a deployment. Then another project can use the old name."
    >
      {live === null ? (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="text-ink-soft">Nothing is deployed yet. Change the name in the blueprint.</p>
          <ButtonLink href={`/projects/${projectId}/blueprint`}>Open editor</ButtonLink>
        </div>
      ) : (
        <form className="flex max-w-md flex-col gap-4" onSubmit={submit} noValidate>
          <TextField
            label="New name"
            className="font-mono"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            hint="From then on, apps that send the old name are refused. Keys and the project id stay."
            error={problem}
            value={name}
            onChange={(event) => {
              setName(event.target.value);
              setProblem(null);
              propose.reset();
            }}
          />
          {propose.error ? <QueryError error={propose.error} what="The new name was not proposed" /> : null}
          {current.error ? <QueryError error={current.error} what="The blueprint could not be loaded" /> : null}
          <div>
            <Button
              type="submit"
              pending={propose.isPending || propose.isSuccess}
              disabled={name.trim() === slug || !current.data}
            >
              Review the change
            </Button>
          </div>
        </form>
      )}
    </Card>
  );
}
