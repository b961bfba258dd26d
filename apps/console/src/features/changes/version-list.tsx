// Every text that was proposed, and the way back to it. In: the project's id. Out: a list; each version that isn't live can be
// compared with the live one and proposed again. Going back is a change like any other: reviewed, approved, deployed.
"use client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { History } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { diffTexts } from "./text-diff.ts";
import { TextDiffView } from "./text-diff-view.tsx";

export function VersionList({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const queryClient = useQueryClient();
  const [compared, setCompared] = useState<string | null>(null);
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const versions = useQuery(trpc.blueprints.list.queryOptions({ projectId }));
  const propose = useMutation(
    trpc.proposals.createFromVersion.mutationOptions({
      onSuccess: async (made) => {
        await queryClient.invalidateQueries({ queryKey: trpc.proposals.list.queryKey({ projectId }) });
        router.push(`/projects/${projectId}/changes/${made.id}`);
      },
    }),
  );
  const mayChange = project.data?.may.write === true;
  const isLive = Boolean(project.data?.live);
  if (versions.error) {
    return (
      <QueryError
        error={versions.error}
        what="The versions could not be loaded"
        onRetry={() => void versions.refetch()}
      />
    );
  }
  return (
    <Card title="Versions" description="Every text that was proposed. An earlier one can be proposed again." flush>
      {propose.error ? (
        <div className="p-4 pb-0">
          <QueryError error={propose.error} what="The version could not be proposed" />
        </div>
      ) : null}
      <ul className="divide-y">
        {versions.data?.map((version) => {
          const name = version.hash.slice(0, 10);
          const isOpen = compared === version.id;
          return (
            <li key={version.id} aria-label={`Version ${name}`}>
              <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
                <div className="min-w-0 flex-1 basis-48">
                  <p className="font-medium">Version {name}</p>
                  <p className="text-[0.8125rem] text-ink-soft">
                    First proposed <Time at={version.createdAt} />
                  </p>
                </div>
                {version.live ? <Badge tone="good">Live</Badge> : null}
                {isLive && !version.live ? (
                  <span className="flex flex-wrap gap-2">
                    <Button
                      size="small"
                      variant="ghost"
                      aria-expanded={isOpen}
                      onClick={() => setCompared(isOpen ? null : version.id)}
                    >
                      {isOpen ? "Hide difference" : "Compare with live"}
                    </Button>
                    {mayChange ? (
                      <Button
                        size="small"
                        pending={propose.isPending && propose.variables.versionId === version.id}
                        onClick={() => propose.mutate({ projectId, versionId: version.id })}
                        icon={<History aria-hidden />}
                      >
                        Propose again
                      </Button>
                    ) : null}
                  </span>
                ) : null}
              </div>
              {isOpen ? <Difference projectId={projectId} versionId={version.id} /> : null}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

/** From what is live to that version: what going back would take away and bring. */
function Difference({ projectId, versionId }: { projectId: string; versionId: string }) {
  const trpc = useTRPC();
  const live = useQuery(trpc.blueprints.current.queryOptions({ projectId }));
  const version = useQuery(trpc.blueprints.get.queryOptions({ versionId }));
  const failed = live.error ?? version.error;
  if (failed) {
    return (
      <div className="border-t p-4">
        <QueryError error={failed} what="The texts could not be loaded" />
      </div>
    );
  }
  if (live.data === undefined || !version.data) return <Skeleton className="m-4 h-24" />;
  return (
    <div className="border-t bg-sunken">
      <TextDiffView diff={diffTexts(live.data?.text ?? null, version.data.text)} />
    </div>
  );
}
