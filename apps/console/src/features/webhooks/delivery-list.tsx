// The deliveries of an endpoint. In: its id. Out: a page of deliveries, newest first; each can be opened to see its attempts, and replayed.
"use client";
import type { WebhookDelivery } from "@plinth/control/router";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Pager, pageSize } from "../../ui/pager.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { reasonText } from "./delivery-words.ts";
import { DeliveryBadge } from "./health-badge.tsx";

const POLL_MS = 5_000;

interface DeliveryListProps {
  projectId: string;
  endpointId: string;
  mayAct: boolean;
}

export function DeliveryList({ projectId, endpointId, mayAct }: DeliveryListProps) {
  const trpc = useTRPC();
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const [open, setOpen] = useState<string | null>(null);
  const cursor = cursors.at(-1);
  const page = useQuery(
    trpc.webhooks.deliveries.queryOptions(
      { projectId, endpointId, limit: pageSize, ...(cursor === undefined ? {} : { cursor }) },
      { refetchInterval: POLL_MS, placeholderData: keepPreviousData },
    ),
  );
  if (page.error) {
    return (
      <QueryError error={page.error} what="The deliveries could not be loaded" onRetry={() => void page.refetch()} />
    );
  }
  if (!page.data) return <SkeletonRows />;
  if (page.data.data.length === 0 && cursors.length === 0) {
    return (
      <EmptyState icon={<Send />} title="No deliveries yet">
        The next event that this endpoint receives appears here. Send a test event to see whether the receiver responds.
      </EmptyState>
    );
  }
  return (
    <Card flush>
      <ul className="divide-y text-[0.8125rem]" aria-label="Deliveries">
        {page.data.data.map((delivery) => (
          <li key={delivery.id} className="px-4 py-2.5">
            <button
              type="button"
              aria-expanded={open === delivery.id}
              onClick={() => setOpen(open === delivery.id ? null : delivery.id)}
              className="flex w-full flex-wrap items-center gap-3 text-left"
            >
              <DeliveryBadge status={delivery.status} />
              <span className="font-mono text-xs">{delivery.event}</span>
              <span className="text-ink-soft">
                {attemptsText(delivery)}
                {delivery.error === null ? null : ` · ${reasonText(delivery.error)}`}
              </span>
              <span className="ml-auto text-ink-soft">
                <Time at={delivery.createdAt} />
              </span>
            </button>
            {open === delivery.id ? <Delivery projectId={projectId} delivery={delivery} mayAct={mayAct} /> : null}
          </li>
        ))}
      </ul>
      <Pager cursors={cursors} next={page.data.nextCursor} shown={page.data.data.length} onChange={setCursors} />
    </Card>
  );
}

function attemptsText({ attempts }: WebhookDelivery): string {
  return attempts === 1 ? "1 attempt" : `${attempts} attempts`;
}

interface DeliveryProps {
  projectId: string;
  delivery: WebhookDelivery;
  mayAct: boolean;
}

function Delivery({ projectId, delivery, mayAct }: DeliveryProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const details = useQuery(
    trpc.webhooks.delivery.queryOptions({ projectId, deliveryId: delivery.id }, { refetchInterval: POLL_MS }),
  );
  const replay = useMutation(
    trpc.webhooks.replay.mutationOptions({
      onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.webhooks.pathKey() }),
    }),
  );
  return (
    <div className="mt-3 flex flex-col gap-3">
      {details.error ? <QueryError error={details.error} what="The delivery could not be loaded" /> : null}
      {replay.error ? <QueryError error={replay.error} what="The delivery was not replayed" /> : null}
      {delivery.status === "pending" ? (
        <p className="text-ink-soft">
          The next attempt is due <Time at={delivery.dueAt} />.
        </p>
      ) : null}
      <ol className="flex flex-col gap-2">
        {details.data?.tries.map((one) => (
          <li key={one.attempt} className="rounded-md border bg-sunken px-3 py-2">
            <span className="font-medium">Attempt {one.attempt}</span> <Time at={one.startedAt} />:{" "}
            {one.endedAt === null
              ? "interrupted; it may have arrived"
              : one.error === null
                ? `response ${one.status}`
                : reasonText(one.error)}
            {one.responseBody === null || one.responseBody === "" ? null : (
              <pre className="mt-1 max-h-40 overflow-auto font-mono text-xs whitespace-pre-wrap">
                {one.responseBody}
              </pre>
            )}
          </li>
        ))}
      </ol>
      {details.data ? <CodeBlock code={JSON.stringify(details.data.body, null, 2)} label="payload" /> : null}
      {mayAct && delivery.status !== "pending" ? (
        <div>
          <Button
            size="small"
            pending={replay.isPending}
            onClick={() => replay.mutate({ projectId, deliveryId: delivery.id })}
          >
            Replay
          </Button>
        </div>
      ) : null}
    </div>
  );
}
