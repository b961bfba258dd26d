// What the lists of work have in common: the title, the tabs, the search for a request, and what to do where a project does not work
// in the background.
// In: the project's id and which tab this is. Out: the page around its table.
"use client";
import { useQuery } from "@tanstack/react-query";
import { Search, Workflow } from "lucide-react";
import { useRouter, useSearchParams } from "next/navigation";
import { type ReactNode, useState } from "react";
import { useLiveModel } from "../../live-model.ts";
import { useTRPC } from "../../trpc.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { TextField } from "../../ui/field.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { TabLinks } from "../../ui/tab-links.tsx";
import { exampleBlueprint } from "./example.ts";
import { requestPath, type WorkView, workPath } from "./work-links.tsx";

const tabs: readonly (readonly [WorkView, string])[] = [
  ["runs", "Runs"],
  ["events", "Events"],
  ["queues", "Queues"],
  ["schedules", "Schedules"],
  ["actions", "Actions"],
];

interface WorkFrameProps {
  projectId: string;
  tab: WorkView;
  children: ReactNode;
}

export function WorkFrame({ projectId, tab, children }: WorkFrameProps) {
  // Runs and events of one request belong together.
  const request = useSearchParams().get("request");
  const kept = request === null ? {} : { request };
  return (
    <>
      <PageHeader
        title="Work"
        description="What happened in the project, what its workflows made of it, and what is to come."
        actions={<RequestSearch projectId={projectId} />}
      />
      <TabLinks
        label="Work"
        tabs={tabs.map(([name, label]) => ({
          name,
          label,
          href: workPath(projectId, name, name === "runs" || name === "events" ? kept : {}),
        }))}
        current={tab}
      />
      {children}
    </>
  );
}

/** From the id of a request, as an answer's `X-Request-Id` has it, to all that came of it. */
function RequestSearch({ projectId }: { projectId: string }) {
  const router = useRouter();
  const [id, setId] = useState("");
  return (
    <form
      className="flex items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (id.trim() !== "") router.push(requestPath(projectId, id.trim()));
      }}
    >
      <TextField
        label="Request id"
        hideLabel
        placeholder="Request id"
        maxLength={128}
        spellCheck={false}
        autoComplete="off"
        className="h-8 w-52 font-mono text-xs"
        value={id}
        onChange={(event) => setId(event.target.value)}
      />
      <Button type="submit" icon={<Search aria-hidden />}>
        Trace
      </Button>
    </form>
  );
}

/** Of a project that is not live, or whose live version doesn't list the module. */
export function NoWorkers({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const model = useLiveModel(projectId);
  return (
    <EmptyState
      icon={<Workflow />}
      title={project.data && !project.data.live ? "Nothing is deployed yet" : "This project has no background work"}
      action={
        <ButtonLink href={`/projects/${projectId}/blueprint`} variant="primary">
          Open editor
        </ButtonLink>
      }
    >
      <p>List the module and write a workflow into the blueprint; once it is deployed, its runs appear here.</p>
      <CodeBlock
        code={exampleBlueprint(model.data?.entities[0]?.name ?? "note")}
        label="example of a workflow"
        className="mt-4 text-left text-ink [&_pre]:text-xs [&_pre]:leading-5"
      />
    </EmptyState>
  );
}
