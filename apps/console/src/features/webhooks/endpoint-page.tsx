// One endpoint. In: the ids of project and endpoint. Out: how it is, what was sent to it with each attempt, and what an owner may do: test,
// rotate its secret, disable, delete, send again.
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
import { HealthBadge } from "./health-badge.tsx";
import { SecretOnce } from "./secret-once.tsx";

const POLL_MS = 5_000;
/** Failures of so long are sent again at once. */
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
            description={`Sent: ${endpoint.events.join(", ")}, in version ${endpoint.version} of the payload. It sees what the role ${endpoint.role} may read.`}
            actions={<HealthBadge endpoint={endpoint} />}
          />
          {endpoint.enabled ? null : (
            <Notice tone="warn" title={`Disabled: ${disabledText(endpoint.disabledReason).short}`}>
              {disabledText(endpoint.disabledReason).next}
            </Notice>
          )}
          {project.data?.may.write === true ? <Deeds projectId={projectId} endpoint={endpoint} /> : null}
          <DeliveryList projectId={projectId} endpointId={endpointId} mayAct={project.data?.may.write === true} />
        </>
      )}
    </>
  );
}

function Deeds({ projectId, endpoint }: { projectId: string; endpoint: WebhookEndpoint }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const router = useRouter();
  const [secret, setSecret] = useState<NewWebhookEndpoint | null>(null);
  const [asking, setAsking] = useState<"rotate" | "remove" | null>(null);
  const onSettled = (): Promise<void> => queryClient.invalidateQueries({ queryKey: trpc.webhooks.pathKey() });
  const test = useMutation(trpc.webhooks.test.mutationOptions({ onSettled }));
  const enable = useMutation(trpc.webhooks.setEnabled.mutationOptions({ onSettled }));
  const again = useMutation(trpc.webhooks.replayFailed.mutationOptions({ onSettled }));
  const rotate = useMutation(
    trpc.webhooks.rotate.mutationOptions({
      gcTime: 0,
      onSettled,
      onSuccess: (made) => {
        setSecret(made);
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
  const of = { projectId, endpointId: endpoint.id };
  const error = test.error ?? enable.error ?? again.error;
  const since = (): string => new Date(Date.now() - REPLAY_DAYS * 86_400_000).toISOString();
  return (
    <Card
      title="Endpoint"
      className="mb-4"
      actions={
        <>
          <Button size="small" pending={test.isPending} onClick={() => test.mutate(of)} disabled={!endpoint.enabled}>
            Send test
          </Button>
          <Button
            size="small"
            pending={again.isPending}
            disabled={!endpoint.enabled}
            onClick={() => again.mutate({ ...of, since: since() })}
          >
            Replay failures
          </Button>
          <Button size="small" onClick={() => setAsking("rotate")}>
            Rotate secret
          </Button>
          <Button
            size="small"
            pending={enable.isPending}
            onClick={() => enable.mutate({ ...of, enabled: !endpoint.enabled })}
          >
            {endpoint.enabled ? "Disable" : "Enable"}
          </Button>
          <Button size="small" variant="danger" onClick={() => setAsking("remove")}>
            Delete
          </Button>
        </>
      }
    >
      {error ? <QueryError error={error} what="That was not done" /> : null}
      {again.data ? <Notice tone="good" title={`${again.data.deliveries} deliveries are sent again`} /> : null}
      {endpoint.enabled && endpoint.pausedUntil !== null ? (
        <p className="mb-2 text-[0.8125rem]">
          Nothing is sent before{" "}
          <time dateTime={endpoint.pausedUntil}>{new Date(endpoint.pausedUntil).toLocaleTimeString()}</time>, because{" "}
          {endpoint.failures} deliveries failed in a row. Pending deliveries are tried again after that.
        </p>
      ) : null}
      {secret === null ? (
        <p className="text-[0.8125rem] text-ink-soft">
          {endpoint.publicKey === null
            ? "Its secret was shown when it was made. Rotating it makes another one; the last one signs beside it for a day."
            : `Receivers verify with ${endpoint.publicKey}`}
        </p>
      ) : (
        <SecretOnce endpoint={secret} />
      )}
      <ConfirmDialog
        open={asking === "rotate"}
        onClose={() => setAsking(null)}
        title="Rotate the secret?"
        description="For a day, what is sent carries two signatures: of a new secret, and of the one that is in use now. Give the receiver the new one within that day."
        action="Rotate secret"
        mutation={rotate}
        onConfirm={() => rotate.mutate(of)}
      />
      <ConfirmDialog
        open={asking === "remove"}
        onClose={() => setAsking(null)}
        title="Delete this endpoint?"
        description="Nothing is sent to it any more, and what was sent to it can't be looked at any more."
        action="Delete endpoint"
        mutation={remove}
        onConfirm={() => remove.mutate(of)}
      />
    </Card>
  );
}
