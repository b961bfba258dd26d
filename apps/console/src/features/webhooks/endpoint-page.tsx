// One endpoint. In: the ids of project and endpoint. Out: its state, its deliveries with their attempts, and buttons to test and change it,
// rotate its secret, disable it, delete it, and replay deliveries.
"use client";
import type { NewWebhookEndpoint, WebhookEndpoint } from "@plinth/control/router";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { BackLink } from "../../ui/back-link.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { DeliveryList } from "./delivery-list.tsx";
import { disabledText } from "./delivery-words.ts";
import { EditEndpointDialog } from "./edit-endpoint-dialog.tsx";
import { EndpointSecret } from "./endpoint-secret.tsx";
import { HealthBadge } from "./health-badge.tsx";

const POLL_MS = 5_000;
/** "Replay failures" replays the failed deliveries of this period. */
const REPLAY_DAYS = 7;

export function EndpointPage({ projectId, endpointId }: { projectId: string; endpointId: string }) {
  const trpc = useTRPC();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const found = useQuery(trpc.webhooks.endpoint.queryOptions({ projectId, endpointId }, { refetchInterval: POLL_MS }));
  const endpoint = found.data;
  return (
    <>
      <BackLink href={`/projects/${projectId}/webhooks`}>Sent webhooks</BackLink>
      {found.isPending ? <SkeletonRows /> : null}
      {found.error ? <QueryError error={found.error} what="The endpoint could not be loaded" /> : null}
      {endpoint === undefined ? null : (
        <>
          <PageHeader
            title={<span className="font-mono text-base break-all">{endpoint.url}</span>}
            description={`Sent: ${endpoint.events.join(", ")}, in version ${endpoint.version} of the payload. It receives the data that the role ${endpoint.role} can read.`}
            actions={<HealthBadge endpoint={endpoint} />}
          />
          {endpoint.enabled ? null : (
            <Notice tone="warn" className="mb-4" title={`Disabled: ${disabledText(endpoint.disabledReason).short}`}>
              {disabledText(endpoint.disabledReason).next}
            </Notice>
          )}
          {project.data?.may.write === true ? (
            <EndpointCard projectId={projectId} endpoint={endpoint} mayManage={project.data.may.manage} />
          ) : null}
          <DeliveryList projectId={projectId} endpointId={endpointId} mayAct={project.data?.may.write === true} />
        </>
      )}
    </>
  );
}

interface EndpointCardProps {
  projectId: string;
  endpoint: WebhookEndpoint;
  /** Otherwise the person can only test it and replay deliveries. */
  mayManage: boolean;
}

function EndpointCard({ projectId, endpoint, mayManage }: EndpointCardProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const router = useRouter();
  const [secret, setSecret] = useState<NewWebhookEndpoint | null>(null);
  const [asking, setAsking] = useState<"edit" | "rotate" | "remove" | null>(null);
  const onSettled = (): Promise<void> => queryClient.invalidateQueries({ queryKey: trpc.webhooks.pathKey() });
  const test = useMutation(trpc.webhooks.test.mutationOptions({ onSettled }));
  const enable = useMutation(trpc.webhooks.setEnabled.mutationOptions({ onSettled }));
  const replay = useMutation(trpc.webhooks.replayFailed.mutationOptions({ onSettled }));
  const rotate = useMutation(
    trpc.webhooks.rotate.mutationOptions({
      gcTime: 0,
      onSettled,
      onSuccess: (rotated) => {
        setSecret(rotated);
        setAsking(null);
      },
    }),
  );
  const remove = useMutation(
    trpc.webhooks.remove.mutationOptions({
      onSettled,
      onSuccess: () => router.push(`/projects/${projectId}/webhooks`),
    }),
  );
  const named = { projectId, endpointId: endpoint.id };
  const error = test.error ?? enable.error ?? replay.error;
  const since = (): string => new Date(Date.now() - REPLAY_DAYS * 86_400_000).toISOString();
  return (
    <Card
      title="Endpoint"
      className="mb-4"
      actions={
        <>
          <Button size="small" pending={test.isPending} onClick={() => test.mutate(named)} disabled={!endpoint.enabled}>
            Send test
          </Button>
          <Button
            size="small"
            pending={replay.isPending}
            disabled={!endpoint.enabled}
            onClick={() => replay.mutate({ ...named, since: since() })}
          >
            Replay failures
          </Button>
          {mayManage ? (
            <>
              <Button size="small" onClick={() => setAsking("edit")}>
                Edit
              </Button>
              <Button size="small" onClick={() => setAsking("rotate")}>
                Rotate secret
              </Button>
              <Button
                size="small"
                pending={enable.isPending}
                onClick={() => enable.mutate({ ...named, enabled: !endpoint.enabled })}
              >
                {endpoint.enabled ? "Disable" : "Enable"}
              </Button>
              <Button size="small" variant="danger" onClick={() => setAsking("remove")}>
                Delete
              </Button>
            </>
          ) : null}
        </>
      }
    >
      {error ? <QueryError error={error} what="The request failed" /> : null}
      {replay.data ? <Notice tone="good" title={`${replay.data.deliveries} deliveries are replayed`} /> : null}
      {endpoint.enabled && endpoint.pausedUntil !== null ? (
        <p className="mb-2 text-[0.8125rem]">
          Nothing is sent before{" "}
          <time dateTime={endpoint.pausedUntil}>{new Date(endpoint.pausedUntil).toLocaleTimeString()}</time>, because{" "}
          {endpoint.failures} deliveries failed in a row. Pending deliveries are retried after that.
        </p>
      ) : null}
      {endpoint.enabled && endpoint.behindSince !== null ? (
        <p className="mb-2 text-[0.8125rem]">
          Events since <time dateTime={endpoint.behindSince}>{new Date(endpoint.behindSince).toLocaleString()}</time>{" "}
          wait, because the project has as many pending deliveries as its operator allows. They are delivered in their
          order when this endpoint has received some of its pending ones.
        </p>
      ) : null}
      {secret === null ? (
        <p className="text-[0.8125rem] text-ink-soft">
          {endpoint.publicKey === null
            ? "Its secret was shown when the endpoint was created. If you rotate it, a new secret is created; for one day, deliveries are signed with both."
            : `Receivers verify with ${endpoint.publicKey}`}
        </p>
      ) : (
        <EndpointSecret endpoint={secret} />
      )}
      {asking === "edit" ? (
        <EditEndpointDialog projectId={projectId} endpoint={endpoint} onClose={() => setAsking(null)} />
      ) : null}
      <ConfirmDialog
        open={asking === "rotate"}
        onClose={() => setAsking(null)}
        title="Rotate the secret?"
        description="For one day, deliveries have two signatures: one with the new secret, one with the present secret. Give the receiver the new secret within that day."
        action="Rotate secret"
        mutation={rotate}
        onConfirm={() => rotate.mutate(named)}
      />
      <ConfirmDialog
        open={asking === "remove"}
        onClose={() => setAsking(null)}
        title="Delete this endpoint?"
        description="No more events are sent to it, and its deliveries can no longer be viewed."
        action="Delete endpoint"
        mutation={remove}
        onConfirm={() => remove.mutate(named)}
      />
    </Card>
  );
}
