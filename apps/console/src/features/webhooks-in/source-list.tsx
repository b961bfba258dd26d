// The inbound sources of a project. In: the project's id. Out: the sources with their state, or an example for the blueprint.
"use client";
import type { InboundSource } from "@plinth/control/router";
import { useQuery } from "@tanstack/react-query";
import { ArrowDownToLine } from "lucide-react";
import Link from "next/link";
import { useTRPC } from "../../trpc.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { WebhooksFrame } from "../webhooks/webhooks-frame.tsx";
import { guideOf } from "./provider-guides.ts";
import { reasonText, SourceBadge } from "./words.tsx";

const POLL_MS = 5_000;

export function SourceList({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const sources = useQuery(trpc.inbound.sources.queryOptions({ projectId }, { refetchInterval: POLL_MS }));
  return (
    <WebhooksFrame projectId={projectId} side="in">
      {sources.isPending ? <SkeletonRows /> : null}
      {sources.error ? (
        <QueryError
          error={sources.error}
          what="The sources could not be loaded"
          onRetry={() => void sources.refetch()}
        />
      ) : null}
      {sources.data === null || sources.data?.length === 0 ? <NoSources projectId={projectId} /> : null}
      {sources.data && sources.data.length > 0 ? <Sources projectId={projectId} sources={sources.data} /> : null}
    </WebhooksFrame>
  );
}

function Sources({ projectId, sources }: { projectId: string; sources: readonly InboundSource[] }) {
  return (
    <Card flush>
      <ScrollRegion label="Sources">
        <table className="w-full text-left text-[0.8125rem]">
          <thead className="border-b bg-sunken text-xs text-ink-soft">
            <tr>
              {["Source", "Provider", "State", "Last received", "Last refused"].map((name) => (
                <th key={name} className="px-4 py-2 font-medium whitespace-nowrap">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y">
            {sources.map((source) => (
              <tr key={source.name}>
                <td className="px-4 py-2.5">
                  <Link
                    href={`/projects/${projectId}/webhooks/in/${encodeURIComponent(source.name)}`}
                    className="font-mono text-xs text-accent-text hover:underline"
                  >
                    {source.name}
                  </Link>
                </td>
                <td className="px-4 py-2.5 whitespace-nowrap">{guideOf(source).label}</td>
                <td className="px-4 py-2.5">
                  <SourceBadge source={source} />
                </td>
                <td className="px-4 py-2.5 whitespace-nowrap">
                  {source.lastReceivedAt === null ? "–" : <Time at={source.lastReceivedAt} />}
                </td>
                <td className="min-w-60 px-4 py-2.5">
                  {source.lastRefusedAt === null ? (
                    "–"
                  ) : (
                    <>
                      <Time at={source.lastRefusedAt} />
                      <p className="text-ink-soft">{reasonText(source.lastRefusal)}</p>
                    </>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </Card>
  );
}

const example = `modules: [auth, users, webhooks, workers]
webhooks:
  in:
    stripe:
      verify: stripe
      type: body.type
      events:
        payment_intent.succeeded: payment.succeeded`;

/** For a project that is not live, or whose live version declares no source. */
function NoSources({ projectId }: { projectId: string }) {
  return (
    <EmptyState
      icon={<ArrowDownToLine />}
      title="No service sends to this project yet"
      action={
        <ButtonLink href={`/projects/${projectId}/blueprint`} variant="primary">
          Open editor
        </ButtonLink>
      }
    >
      <p>Declare a source in the blueprint and deploy it. Then its address appears here, to paste at the provider.</p>
      <CodeBlock
        code={example}
        label="example of an inbound source"
        className="mt-4 text-left text-ink [&_pre]:text-xs [&_pre]:leading-5"
      />
    </EmptyState>
  );
}
