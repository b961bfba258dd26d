// What runs and events have in common: the title, the two tabs, and what to do where a project does not work in the background.
// In: the project's id and which tab this is. Out: the page around its table.
"use client";
import { useQuery } from "@tanstack/react-query";
import { Workflow } from "lucide-react";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import type { ReactNode } from "react";
import { useLiveModel } from "../../live-model.ts";
import { useTRPC } from "../../trpc.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { cn } from "../../ui/cn.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { exampleBlueprint } from "./example.ts";
import { workPath } from "./work-links.tsx";

const tabs = [
  ["runs", "Runs"],
  ["events", "Events"],
] as const;

export function WorkFrame({
  projectId,
  tab,
  children,
}: {
  projectId: string;
  tab: "runs" | "events";
  children: ReactNode;
}) {
  // Runs and events of one request belong together.
  const request = useSearchParams().get("request");
  const kept = request === null ? {} : { request };
  return (
    <>
      <PageHeader title="Work" description="What happened in the project, and what its workflows made of it." />
      <nav aria-label="Work" className="mb-4 overflow-x-auto border-b">
        <ul className="flex gap-1">
          {tabs.map(([name, word]) => (
            <li key={name}>
              <Link
                href={workPath(projectId, name, kept)}
                aria-current={name === tab ? "page" : undefined}
                className={cn(
                  "block border-b-2 border-transparent px-3 py-2 text-[0.8125rem] font-medium whitespace-nowrap text-ink-soft -outline-offset-2 hover:text-ink",
                  name === tab && "border-accent text-ink",
                )}
              >
                {word}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {children}
    </>
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
