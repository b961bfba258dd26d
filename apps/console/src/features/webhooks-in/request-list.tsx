// The requests to a source. In: the source. Out: a page of requests with their outcomes, newest first. People who can change the project
// can open a request to read its content, and replay it.
"use client";
import type { InboundRequest, InboundSource, InboundStatus } from "@plinth/control/router";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Inbox } from "lucide-react";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { SelectField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Pager, pageSize } from "../../ui/pager.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { outcomeText, RequestBadge } from "./words.tsx";

const POLL_MS = 5_000;

interface RequestListProps {
  projectId: string;
  source: InboundSource;
  mayAct: boolean;
}

const choices = [
  ["", "All outcomes"],
  ["accepted", "Accepted"],
  ["unmapped", "Unmapped"],
  ["refused", "Refused"],
] as const satisfies readonly (readonly [InboundStatus | "", string])[];

export function RequestList({ projectId, source, mayAct }: RequestListProps) {
  const trpc = useTRPC();
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const [status, setStatus] = useState<InboundStatus | "">("");
  const [open, setOpen] = useState<string | null>(null);
  const cursor = cursors.at(-1);
  const page = useQuery(
    trpc.inbound.requests.queryOptions(
      {
        projectId,
        source: source.name,
        limit: pageSize,
        ...(status === "" ? {} : { status }),
        ...(cursor === undefined ? {} : { cursor }),
      },
      { refetchInterval: POLL_MS, placeholderData: keepPreviousData },
    ),
  );
  const requests = page.data?.data ?? [];
  const isEmpty = page.data && requests.length === 0 && cursors.length === 0;
  if (page.error)
    return (
      <QueryError error={page.error} what="The requests could not be loaded" onRetry={() => void page.refetch()} />
    );
  if (page.isPending) return <SkeletonRows />;
  if (isEmpty && status === "") {
    return (
      <EmptyState icon={<Inbox />} title="Nothing has arrived yet">
        The next request to the address above appears here. If it is refused, you see the reason.
      </EmptyState>
    );
  }
  return (
    <Card
      flush
      title="Requests"
      actions={
        <>
          <SelectField
            label="Outcome"
            hideLabel
            className="h-8 min-w-36 text-[0.8125rem]"
            value={status}
            onChange={(event) => {
              setStatus(event.target.value as InboundStatus | "");
              setCursors([]);
            }}
          >
            {choices.map(([value, word]) => (
              <option key={value} value={value}>
                {word}
              </option>
            ))}
          </SelectField>
          {mayAct ? <ReplayUnmapped projectId={projectId} source={source} /> : null}
        </>
      }
    >
      {isEmpty ? <p className="px-4 py-6 text-center text-ink-soft">No request has this outcome.</p> : null}
      <ul className="divide-y text-[0.8125rem]" aria-label="Requests">
        {requests.map((request) => (
          <li key={request.id} className="px-4 py-2.5">
            <button
              type="button"
              aria-expanded={open === request.id}
              onClick={() => setOpen(open === request.id ? null : request.id)}
              className="flex w-full flex-wrap items-center gap-x-3 gap-y-1 text-left"
            >
              <RequestBadge status={request.status} />
              {request.type === null ? null : <span className="font-mono text-xs">{request.type}</span>}
              <span className="order-last min-w-0 basis-full break-words text-ink-soft sm:order-none sm:flex-1 sm:basis-0">
                {outcomeText(request)}
              </span>
              <span className="ml-auto text-ink-soft">
                <Time at={request.receivedAt} />
              </span>
            </button>
            {open === request.id ? <Request projectId={projectId} request={request} mayAct={mayAct} /> : null}
          </li>
        ))}
      </ul>
      {isEmpty ? null : (
        <Pager cursors={cursors} next={page.data?.nextCursor ?? null} shown={requests.length} onChange={setCursors} />
      )}
    </Card>
  );
}

function ReplayUnmapped({ projectId, source }: Omit<RequestListProps, "mayAct">) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const replay = useMutation(
    trpc.inbound.replayUnmapped.mutationOptions({
      onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.inbound.pathKey() }),
    }),
  );
  return (
    <>
      {replay.error ? <span className="text-[0.8125rem] text-bad">Not replayed: {replay.error.message}</span> : null}
      {replay.data ? (
        <span className="text-[0.8125rem] text-ink-soft" role="status">
          {replay.data.requests === 0
            ? "No stored request becomes an event."
            : `${replay.data.requests} replayed${replay.data.hasMore ? ", there are more" : ""}.`}
        </span>
      ) : null}
      <Button
        size="small"
        pending={replay.isPending}
        onClick={() => replay.mutate({ projectId, source: source.name })}
        title="Replays stored requests that the live version maps to an event"
      >
        Replay unmapped
      </Button>
    </>
  );
}

interface RequestProps {
  projectId: string;
  request: InboundRequest;
  mayAct: boolean;
}

function Request({ projectId, request, mayAct }: RequestProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const isStored = request.status !== "refused";
  const details = useQuery(
    trpc.inbound.request.queryOptions({ projectId, requestId: request.id }, { enabled: mayAct && isStored, gcTime: 0 }),
  );
  const replay = useMutation(
    trpc.inbound.replay.mutationOptions({
      onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.inbound.pathKey() }),
    }),
  );
  return (
    <div className="mt-3 flex flex-col gap-3">
      {isStored ? null : (
        <p className="text-ink-soft">For a refused request, only the time and the reason are stored.</p>
      )}
      {isStored && !mayAct ? (
        <p className="text-ink-soft">Only people who can change the project see the content.</p>
      ) : null}
      {details.error ? <QueryError error={details.error} what="The request could not be loaded" /> : null}
      {replay.error ? <QueryError error={replay.error} what="The request was not replayed" /> : null}
      {replay.data ? <Notice tone="good" title={`${replay.data.event} was emitted again`} /> : null}
      {request.replayedAt === null ? null : (
        <p className="text-ink-soft">
          Replayed <Time at={request.replayedAt} />.
        </p>
      )}
      {details.data ? (
        <>
          <h3 className="-mb-1 text-xs font-medium text-ink-soft">Body</h3>
          <CodeBlock
            code={indented(details.data.body) ?? `base64: ${details.data.bodyBase64 ?? ""}`}
            label="body"
            className="[&_pre]:max-h-96 [&_pre]:text-xs [&_pre]:leading-5"
          />
          <h3 className="-mb-1 text-xs font-medium text-ink-soft">Headers</h3>
          <CodeBlock
            code={JSON.stringify(details.data.headers, null, 2)}
            label="headers"
            className="[&_pre]:max-h-48 [&_pre]:text-xs [&_pre]:leading-5"
          />
        </>
      ) : null}
      {mayAct && isStored ? (
        <div>
          <Button
            size="small"
            pending={replay.isPending}
            onClick={() => replay.mutate({ projectId, requestId: request.id })}
          >
            Replay
          </Button>
        </div>
      ) : null}
    </div>
  );
}

function indented(json: string | null): string | null {
  return json === null ? null : JSON.stringify(JSON.parse(json), null, 2);
}
