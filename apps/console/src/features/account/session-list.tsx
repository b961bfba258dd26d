// The sessions of the person. In: the session. Out: each device, with buttons to end one session or all.
"use client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { deviceWords } from "../../ui/device-words.ts";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { signOutEverywhere } from "./auth-client.ts";

export function SessionList() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const sessions = useQuery(trpc.me.sessions.queryOptions());
  const end = useMutation(
    trpc.me.endSession.mutationOptions({
      onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.me.sessions.queryKey() }),
    }),
  );
  const problem = end.error ?? sessions.error;
  return (
    <Card
      title="Sessions"
      description="If you have lost a device or forgot to sign out, end its session."
      flush
      actions={<SignOutEverywhere />}
    >
      {problem ? (
        <div className="p-4">
          <QueryError
            error={problem}
            what={end.error ? "The session was not ended" : "The sessions could not be loaded"}
            {...(end.error ? {} : { onRetry: () => void sessions.refetch() })}
          />
        </div>
      ) : null}
      {sessions.isPending ? (
        <div className="p-4">
          <SkeletonRows rows={2} className="h-10" />
        </div>
      ) : null}
      <ul className="divide-y" aria-label="Sessions">
        {sessions.data?.map(({ id, address, userAgent, createdAt, lastSeenAt, isCurrent }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
            <div className="min-w-0 flex-1 basis-52">
              <p className="flex flex-wrap items-center gap-2 font-medium" title={userAgent ?? undefined}>
                {deviceWords(userAgent)}
                {isCurrent ? <Badge tone="accent">This device</Badge> : null}
              </p>
              <p className="text-[0.8125rem] text-ink-soft">
                {address ?? "Unknown address"}, signed in <Time at={createdAt} />
              </p>
            </div>
            <p className="text-[0.8125rem] text-ink-soft">
              Last seen <Time at={lastSeenAt} />
            </p>
            {isCurrent ? null : (
              <Button
                size="small"
                variant="ghost"
                aria-label={`End the session on ${deviceWords(userAgent)}`}
                pending={end.isPending && end.variables.sessionId === id}
                onClick={() => end.mutate({ sessionId: id })}
              >
                End
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function SignOutEverywhere() {
  const [isConfirming, setIsConfirming] = useState(false);
  const [pending, setPending] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);

  async function leave(): Promise<void> {
    setPending(true);
    const problem = await signOutEverywhere();
    setPending(false);
    setRefused(problem);
    // A full page load discards all data of this session.
    if (problem === null) location.assign("/sign-in");
  }

  return (
    <>
      <Button size="small" variant="danger" onClick={() => setIsConfirming(true)}>
        Sign out everywhere
      </Button>
      <ConfirmDialog
        open={isConfirming}
        onClose={() => setIsConfirming(false)}
        title="Sign out everywhere?"
        description="All your sessions end at once, including this one and those of plinth login. Access tokens that you created for scripts stay."
        action="Sign out everywhere"
        mutation={{ isPending: pending, error: refused, reset: () => setRefused(null) }}
        onConfirm={() => void leave()}
      />
    </>
  );
}
