// The environments of a project. In: the environments. Out: a row with a link for each, and a button to delete those that are not production.
"use client";
import type { EnvironmentSummary } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EnvironmentBadge } from "../../ui/environment-badge.tsx";
import { Time } from "../../ui/time.tsx";

interface EnvironmentListProps {
  /** The environment of the open page. */
  projectId: string;
  environments: readonly EnvironmentSummary[];
  mayDelete: boolean;
}

export function EnvironmentList({ projectId, environments, mayDelete }: EnvironmentListProps) {
  const trpc = useTRPC();
  const router = useRouter();
  const queryClient = useQueryClient();
  const [deleting, setDeleting] = useState<EnvironmentSummary | null>(null);
  const remove = useMutation(
    trpc.environments.delete.mutationOptions({
      onSuccess: async (_, { projectId: deleted }) => {
        setDeleting(null);
        // The open page belongs to the deleted environment.
        if (deleted === projectId) router.push(`/projects/${environments[0]?.id}/environments`);
        await queryClient.invalidateQueries({ queryKey: trpc.environments.pathKey() });
        await queryClient.invalidateQueries({ queryKey: trpc.projects.list.queryKey() });
      },
    }),
  );
  return (
    <>
      <Card flush>
        <ul className="divide-y" aria-label="Environments">
          {environments.map((environment) => (
            <li
              key={environment.id}
              className="relative flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 hover:bg-hover/60"
            >
              <div className="min-w-0 flex-1 basis-56">
                <Link
                  href={`/projects/${environment.id}`}
                  className="inline-flex max-w-full items-center gap-2 font-medium after:absolute after:inset-0"
                >
                  <EnvironmentBadge kind={environment.kind} name={environment.name} className="min-w-0 truncate" />
                  {environment.id === projectId ? (
                    <span className="text-xs font-normal text-ink-soft">You are here</span>
                  ) : null}
                </Link>
                <p className="mt-1 text-[0.8125rem] text-ink-soft">
                  <code className="font-mono break-all">{environment.slug}</code>
                  {environment.live ? (
                    <>
                      , deployed <Time at={environment.live.deployedAt} />
                    </>
                  ) : (
                    <>
                      , created <Time at={environment.createdAt} />
                    </>
                  )}
                </p>
              </div>
              {environment.live ? <Badge tone="good">Live</Badge> : <Badge>Not deployed</Badge>}
              {mayDelete && environment.kind !== "production" ? (
                <Button
                  size="small"
                  variant="ghost"
                  className="relative"
                  icon={<Trash2 aria-hidden />}
                  aria-label={`Delete ${environment.name}`}
                  onClick={() => setDeleting(environment)}
                >
                  Delete
                </Button>
              ) : null}
            </li>
          ))}
        </ul>
      </Card>
      <ConfirmDialog
        open={deleting !== null}
        onClose={() => setDeleting(null)}
        title={`Delete ${deleting?.name ?? "environment"}?`}
        description="Its records, users, keys and connections are deleted, and apps that use its keys are refused. This can't be undone. Other environments stay as they are."
        action="Delete environment"
        mutation={remove}
        onConfirm={() => deleting && remove.mutate({ projectId: deleting.id })}
      />
    </>
  );
}
