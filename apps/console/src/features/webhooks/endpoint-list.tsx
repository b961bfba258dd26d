// The endpoints that receive a project's events. In: the project's id. Out: the endpoints with their state, and a dialog to create one.
// Only that dialog shows the secret.
"use client";
import type { WebhookEndpoint } from "@plinth/control/router";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Plus, Webhook } from "lucide-react";
import Link from "next/link";
import { type ReactNode, useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Pager, pageSize } from "../../ui/pager.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { CreateEndpointDialog } from "./create-endpoint-dialog.tsx";
import { EndpointSearch, filtersOf, noSearch, type Search } from "./endpoint-search.tsx";
import { HealthBadge } from "./health-badge.tsx";
import { WebhooksFrame } from "./webhooks-frame.tsx";

const POLL_MS = 5_000;

export function EndpointList({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const [search, setSearch] = useState<Search>(noSearch);
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const endpoints = useQuery(
    trpc.webhooks.endpoints.queryOptions(
      { projectId, limit: pageSize, ...filtersOf(search), cursor: cursors.at(-1) },
      { refetchInterval: POLL_MS, placeholderData: keepPreviousData },
    ),
  );
  const isSearched = Object.keys(filtersOf(search)).length > 0;
  const find = (next: Search): void => {
    setCursors([]);
    setSearch(next);
  };
  const [creating, setCreating] = useState(false);
  const mayChange = project.data?.may.manage === true;
  const create = mayChange ? (
    <Button variant="primary" icon={<Plus aria-hidden />} onClick={() => setCreating(true)}>
      New endpoint
    </Button>
  ) : null;
  return (
    <WebhooksFrame
      projectId={projectId}
      side="out"
      actions={endpoints.data && (isSearched || endpoints.data.data.length > 0) ? create : null}
    >
      {endpoints.isPending ? <SkeletonRows /> : null}
      {endpoints.error ? (
        <QueryError
          error={endpoints.error}
          what="The endpoints could not be loaded"
          onRetry={() => void endpoints.refetch()}
        />
      ) : null}
      {endpoints.data === null ? <NoWebhooks projectId={projectId} /> : null}
      {endpoints.data && (isSearched || cursors.length > 0 || endpoints.data.data.length > 0) ? (
        <EndpointSearch search={search} onChange={find} />
      ) : null}
      {endpoints.data?.data.length === 0 && isSearched ? <p className="text-ink-soft">No endpoint matches.</p> : null}
      {endpoints.data?.data.length === 0 && !isSearched ? (
        <EmptyState icon={<Webhook />} title="No endpoints yet" action={create}>
          {mayChange
            ? "Create one for each address that should receive events of this project."
            : "An admin or owner of the project can create one."}
        </EmptyState>
      ) : null}
      {endpoints.data && endpoints.data.data.length > 0 ? (
        <Endpoints projectId={projectId} endpoints={endpoints.data.data}>
          <Pager
            cursors={cursors}
            next={endpoints.data.nextCursor}
            shown={endpoints.data.data.length}
            onChange={setCursors}
          />
        </Endpoints>
      ) : null}
      <CreateEndpointDialog projectId={projectId} open={creating} onOpenChange={setCreating} />
    </WebhooksFrame>
  );
}

interface EndpointsProps {
  projectId: string;
  endpoints: readonly WebhookEndpoint[];
  children: ReactNode;
}

function Endpoints({ projectId, endpoints, children }: EndpointsProps) {
  return (
    <Card flush>
      <ScrollRegion label="Endpoints">
        <table className="w-full text-left text-[0.8125rem]">
          <thead className="border-b bg-sunken text-xs text-ink-soft">
            <tr>
              {["Address", "State", "Events", "Last success"].map((name) => (
                <th key={name} className="px-4 py-2 font-medium">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y">
            {endpoints.map((endpoint) => (
              <tr key={endpoint.id}>
                <td className="min-w-52 px-4 py-2.5">
                  <Link
                    href={`/projects/${projectId}/webhooks/${endpoint.id}`}
                    className="font-mono text-xs break-all text-accent-text hover:underline"
                  >
                    {endpoint.url}
                  </Link>
                  {endpoint.description === "" ? null : <p className="text-ink-soft">{endpoint.description}</p>}
                </td>
                <td className="px-4 py-2.5">
                  <HealthBadge endpoint={endpoint} />
                </td>
                <td className="px-4 py-2.5 font-mono text-xs">{endpoint.events.join(", ")}</td>
                <td className="px-4 py-2.5 whitespace-nowrap">
                  {endpoint.lastSuccessAt === null ? "–" : <Time at={endpoint.lastSuccessAt} />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {children}
    </Card>
  );
}

/** For a project that is not live, or whose live version doesn't have the module. */
function NoWebhooks({ projectId }: { projectId: string }) {
  return (
    <EmptyState
      icon={<Webhook />}
      title="This project sends no webhooks"
      action={
        <ButtonLink href={`/projects/${projectId}/blueprint`} variant="primary">
          Open editor
        </ButtonLink>
      }
    >
      <p>Add the module to the blueprint and deploy it. Then you can create endpoints here.</p>
      <CodeBlock
        code="modules: [auth, users, roles, webhooks, audit_logs]"
        label="example of the module list"
        className="mt-4 text-left text-ink [&_pre]:text-xs [&_pre]:leading-5"
      />
    </EmptyState>
  );
}
