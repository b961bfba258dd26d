// The API keys of a project. In: its id. Out: the list, dialogs to create and revoke a key, and the secret that signs calls of workers. Only
// the dialog that creates a key shows it.
"use client";
import type { KeySummary } from "@plinth/control/router";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { useLiveModel } from "../../live-model.ts";
import { useTRPC } from "../../trpc.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { EnvironmentBadge } from "../../ui/environment-badge.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { CreateKeyDialog } from "./create-key-dialog.tsx";
import { SigningSecretCard } from "./signing-secret.tsx";

export function KeyList({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const keys = useQuery(trpc.keys.list.queryOptions({ projectId }));
  // From the project's cell. The list is complete without it.
  const usedAt = useQuery(trpc.projects.status.queryOptions({ projectId })).data?.keysUsedAt;
  const model = useLiveModel(projectId);
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<KeySummary | null>(null);
  const revoke = useMutation(
    trpc.keys.revoke.mutationOptions({
      onSuccess: async () => {
        await queryClient.invalidateQueries({ queryKey: trpc.keys.list.queryKey({ projectId }) });
        setRevoking(null);
      },
    }),
  );
  const mayChange = project.data?.may.manage === true;
  const create = mayChange ? (
    <Button variant="primary" icon={<Plus aria-hidden />} onClick={() => setCreating(true)}>
      New key
    </Button>
  ) : null;

  return (
    <>
      <PageHeader
        title={
          <>
            Keys
            {project.data ? <EnvironmentBadge {...project.data.environment} /> : null}
          </>
        }
        description="Apps send a key with each request. A key is only valid for this environment. It is shown once; only its fingerprint is stored."
        actions={keys.data && keys.data.length > 0 ? create : null}
      />
      {keys.isPending ? <SkeletonRows /> : null}
      {keys.error ? (
        <QueryError error={keys.error} what="The keys could not be loaded" onRetry={() => void keys.refetch()} />
      ) : null}
      {keys.data?.length === 0 ? (
        <EmptyState icon={<KeyRound />} title="No keys yet" action={create}>
          {mayChange
            ? "Create a secret key for a server, or a publishable key for a browser or a mobile app."
            : "An admin or owner of the project can create one."}
        </EmptyState>
      ) : null}
      {keys.data && keys.data.length > 0 ? (
        <Card flush>
          <ScrollRegion label="Keys">
            <table className="w-full text-left">
              <thead className="border-b bg-sunken text-xs text-ink-soft">
                <tr>
                  <th className="px-4 py-2 font-medium">Name</th>
                  <th className="px-4 py-2 font-medium">Kind</th>
                  <th className="px-4 py-2 font-medium">Key</th>
                  <th className="px-4 py-2 font-medium">Created</th>
                  <th className="px-4 py-2 font-medium">Last used</th>
                  <th className="px-4 py-2">
                    <span className="sr-only">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody className="divide-y">
                {keys.data.map((key) => (
                  <tr key={key.id} className={key.revokedAt ? "text-ink-faint" : ""}>
                    <td className="min-w-44 px-4 py-2.5 font-medium break-words">{key.name}</td>
                    <td className="px-4 py-2.5 whitespace-nowrap">
                      {key.kind === "secret" ? "Secret" : "Publishable"}
                      {key.role ? <span className="ml-1.5 font-mono text-xs text-ink-soft">{key.role}</span> : null}
                    </td>
                    <td className="px-4 py-2.5 font-mono text-[0.8125rem] whitespace-nowrap">
                      plk_{key.kind === "secret" ? "sec" : "pub"}_…{key.last4}
                    </td>
                    <td className="px-4 py-2.5 whitespace-nowrap">
                      <Time at={key.createdAt} />
                    </td>
                    <td className="px-4 py-2.5 whitespace-nowrap">
                      <LastUsed usedAt={usedAt} keyId={key.id} />
                    </td>
                    <td className="px-4 py-1.5 text-right whitespace-nowrap">
                      {key.revokedAt ? (
                        <Badge>Revoked</Badge>
                      ) : mayChange ? (
                        <Button
                          size="small"
                          variant="ghost"
                          aria-label={`Revoke ${key.name}`}
                          onClick={() => setRevoking(key)}
                        >
                          Revoke
                        </Button>
                      ) : null}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </ScrollRegion>
        </Card>
      ) : null}
      {mayChange && model.data?.modules.includes("workers") ? (
        <div className="mt-6">
          <SigningSecretCard projectId={projectId} />
        </div>
      ) : null}
      <CreateKeyDialog projectId={projectId} open={creating} onOpenChange={setCreating} />
      <ConfirmDialog
        open={revoking !== null}
        onClose={() => setRevoking(null)}
        title={`Revoke ${revoking?.name ?? "key"}?`}
        description="Within a second, every app that uses it is refused. This can't be undone."
        action="Revoke key"
        mutation={revoke}
        onConfirm={() => revoking && revoke.mutate({ keyId: revoking.id })}
      />
    </>
  );
}

interface LastUsedProps {
  /** Undefined while it isn't known. */
  usedAt: Readonly<Record<string, string>> | undefined;
  keyId: string;
}

function LastUsed({ usedAt, keyId }: LastUsedProps) {
  if (usedAt === undefined) return <span className="text-ink-faint">–</span>;
  const at = usedAt[keyId];
  return at === undefined ? <span className="text-ink-soft">Never</span> : <Time at={at} />;
}
