// A banner on the overview of an environment other than production: whether its live version can be promoted. In: its id. Out: a notice
// with a link to the comparison; nothing if there is nothing to promote, or the environments can't be compared now.
"use client";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "../../trpc.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { words } from "./comparison-view.tsx";

export function PromotionBanner({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const environment = project.data?.environment;
  const wanted = environment !== undefined && environment.kind !== "production" && project.data?.live != null;
  const comparison = useQuery(
    trpc.environments.compare.queryOptions(
      { projectId: environment?.projectId ?? "", fromProjectId: projectId },
      { enabled: wanted },
    ),
  );
  if (!wanted || !comparison.data || comparison.data.standing === "same") return null;
  const { standing, from, to, changes } = comparison.data;
  const { tone, title } = words(standing, from.name, to.name);
  const count = changes?.length ?? 0;
  return (
    <Notice
      tone={tone}
      title={title}
      className="mb-6"
      actions={
        <ButtonLink href={`/projects/${projectId}/environments`} size="small">
          Compare
        </ButtonLink>
      }
    >
      {count === 0 ? "Only the text differs." : count === 1 ? "One change." : `${count} changes.`}
    </Notice>
  );
}
