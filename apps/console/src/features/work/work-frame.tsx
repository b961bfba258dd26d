// The frame of the pages about work: title, tabs, search for a request, and the empty state of a project without background work. In: the
// project's id and the current tab. Out: the page around its content.
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
  // The filter by request stays when one switches between runs and events.
  const request = useSearchParams().get("request");
  const requestFilter = request === null ? {} : { request };
  return (
    <>
      <PageHeader
        title="Work"
        description="The project's events, the runs of its workflows, and what is due next."
        actions={<RequestSearch projectId={projectId} />}
      />
      <TabLinks
        label="Work"
        tabs={tabs.map(([name, label]) => ({
          name,
          label,
          href: workPath(projectId, name, name === "runs" || name === "events" ? requestFilter : {}),
        }))}
        current={tab}
      />
      {children}
    </>
  );
}

/** Opens the page of a request. Its id is in the header `X-Request-Id` of the response. */
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

/** For a project that is not live, or whose live version doesn't have the module. */
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
      <p>Add the module and a workflow to the blueprint. After the deployment, its runs appear here.</p>
      <CodeBlock
        code={exampleBlueprint(model.data?.entities[0]?.name ?? "note")}
        label="example of a workflow"
        className="mt-4 text-left text-ink [&_pre]:text-xs [&_pre]:leading-5"
      />
    </EmptyState>
  );
}
