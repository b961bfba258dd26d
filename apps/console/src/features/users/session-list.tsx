// The sessions of a user. In: the user. Out: each device with its last use, and buttons to end one session or all.
"use client";
import type { EndUserDetail } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { deviceWords } from "../../ui/device-words.ts";
import { QueryError } from "../../ui/query-error.tsx";
import { Time } from "../../ui/time.tsx";

interface SessionListProps {
  projectId: string;
  user: EndUserDetail;
  mayEnd: boolean;
}

export function SessionList({ projectId, user, mayEnd }: SessionListProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const end = useMutation(
    trpc.users.endSessions.mutationOptions({
      onSuccess: () => setAsking(false),
      onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.users.pathKey() }),
    }),
  );
  const { activeSessions } = user;
  return (
    <Card
      title="Sessions"
      flush
      actions={
        mayEnd && activeSessions.length > 0 ? (
          <Button size="small" variant="danger" onClick={() => setAsking(true)}>
            End all sessions
          </Button>
        ) : null
      }
    >
      {end.error && !asking ? (
        <div className="p-4">
          <QueryError error={end.error} what="The session was not ended" />
        </div>
      ) : null}
      {activeSessions.length === 0 ? (
        <p className="p-4 text-ink-soft">The user has no sessions.</p>
      ) : (
        <ul className="divide-y" aria-label="Sessions">
          {activeSessions.map(({ id, userAgent, ip, startedAt, lastSeenAt }) => (
            <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
              <div className="min-w-0 flex-1 basis-52">
                <p className="truncate font-medium" title={userAgent ?? undefined}>
                  {deviceWords(userAgent)}
                </p>
                <p className="text-[0.8125rem] text-ink-soft">
                  {ip ?? "Unknown address"}, signed in <Time at={startedAt} />
                </p>
              </div>
              <p className="text-[0.8125rem] text-ink-soft">
                Last seen <Time at={lastSeenAt} />
              </p>
              {mayEnd ? (
                <Button
                  size="small"
                  variant="ghost"
                  aria-label={`End the session on ${deviceWords(userAgent)}`}
                  pending={end.isPending && end.variables.sessionId === id}
                  onClick={() => end.mutate({ projectId, userId: user.id, sessionId: id })}
                >
                  End
                </Button>
              ) : null}
            </li>
          ))}
        </ul>
      )}
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title="End all sessions?"
        description={`${user.email} is signed out on every device within a second, and can sign in again.`}
        action="End all sessions"
        mutation={end}
        onConfirm={() => end.mutate({ projectId, userId: user.id })}
      />
    </Card>
  );
}
