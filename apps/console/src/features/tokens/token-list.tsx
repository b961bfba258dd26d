// The access tokens of the person. In: the session. Out: the list with the last use of each, and dialogs to create and revoke one. Only the
// dialog that creates a token shows it.
"use client";
import type { AccessToken } from "@plinth/control/router";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { CreateTokenDialog } from "./create-token-dialog.tsx";

export function TokenList() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const tokens = useQuery(trpc.tokens.list.queryOptions());
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<AccessToken | null>(null);
  const revoke = useMutation(
    trpc.tokens.revoke.mutationOptions({
      onSuccess: async () => {
        await queryClient.invalidateQueries({ queryKey: trpc.tokens.list.queryKey() });
        setRevoking(null);
      },
    }),
  );
  return (
    <Card
      title="Access tokens"
      description="The command line, scripts and programs use them. Each has all your rights, except one for programs: it only proposes."
      actions={
        <Button icon={<Plus aria-hidden />} onClick={() => setCreating(true)}>
          New token
        </Button>
      }
    >
      {tokens.isPending ? <SkeletonRows rows={2} /> : null}
      {tokens.error ? (
        <QueryError error={tokens.error} what="The tokens could not be loaded" onRetry={() => void tokens.refetch()} />
      ) : null}
      {tokens.data?.length === 0 ? (
        <p className="text-ink-soft">
          None yet. Run <code className="font-mono">plinth login</code> to sign in to the command line, or create a
          token for CI.
        </p>
      ) : null}
      {tokens.data && tokens.data.length > 0 ? (
        <ul aria-label="Access tokens" className="divide-y">
          {tokens.data.map((token) => (
            <li key={token.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2.5 first:pt-0 last:pb-0">
              <div className="min-w-0 flex-1 basis-56">
                <p className="font-medium break-words">
                  {token.name} {token.kind === "login" ? <Badge>plinth login</Badge> : null}
                  {token.kind === "program" ? <Badge>For programs</Badge> : null}
                </p>
                <p className="text-[0.8125rem] text-ink-soft">
                  {token.lastUsedAt === null ? (
                    "Not used yet"
                  ) : (
                    <>
                      Last used <Time at={token.lastUsedAt} />
                    </>
                  )}
                  , created <Time at={token.createdAt} />, expires on{" "}
                  <time dateTime={token.expiresAt}>{token.expiresAt.slice(0, 10)}</time>
                </p>
              </div>
              <Button
                size="small"
                variant="ghost"
                aria-label={`Revoke ${token.name}`}
                onClick={() => setRevoking(token)}
              >
                Revoke
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
      <CreateTokenDialog open={creating} onOpenChange={setCreating} />
      <ConfirmDialog
        open={revoking !== null}
        onClose={() => setRevoking(null)}
        title={`Revoke ${revoking?.name ?? "token"}?`}
        description="From now on, requests with it are refused. This can't be undone."
        action="Revoke token"
        mutation={revoke}
        onConfirm={() => revoking && revoke.mutate({ tokenId: revoking.id })}
      />
    </Card>
  );
}
