// One inbound source. In: the project's id and the source's name. Out: its address to copy, the next setup step, its secrets, its events and
// its requests.
"use client";
import type { InboundSource } from "@plinth/control/router";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "../../trpc.ts";
import { BackLink } from "../../ui/back-link.tsx";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { MarkedText } from "../../ui/marked-text.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { guideOf, isLocal, testCommand } from "./provider-guides.ts";
import { RequestList } from "./request-list.tsx";
import { SecretsCard } from "./secrets-card.tsx";
import { SourceBadge, setUpText } from "./words.tsx";

const POLL_MS = 5_000;

export function SourcePage({ projectId, name }: { projectId: string; name: string }) {
  const trpc = useTRPC();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const sources = useQuery(trpc.inbound.sources.queryOptions({ projectId }, { refetchInterval: POLL_MS }));
  const source = sources.data?.find((one) => one.name === name);
  const mayAct = project.data?.may.write === true;
  return (
    <>
      <BackLink href={`/projects/${projectId}/webhooks/in`}>Received webhooks</BackLink>
      {sources.isPending ? <SkeletonRows /> : null}
      {sources.error ? <QueryError error={sources.error} what="The source could not be loaded" /> : null}
      {sources.data !== undefined && source === undefined ? (
        <Notice tone="warn" title="The live version has no such source">
          Deploy a version that declares it.
        </Notice>
      ) : null}
      {source === undefined ? null : (
        <>
          <PageHeader
            title={<span className="font-mono text-base">{source.name}</span>}
            description={`Requests are verified ${guideOf(source).label === "Own scheme" ? "as declared in the blueprint" : `with the signature of ${guideOf(source).label}`}.`}
            actions={<SourceBadge source={source} />}
          />
          <div className="flex flex-col gap-4">
            <SetUp source={source} />
            <SecretsCard projectId={projectId} source={source} mayAct={project.data?.may.manage === true} />
            <Mapping source={source} />
            <RequestList projectId={projectId} source={source} mayAct={mayAct} />
          </div>
        </>
      )}
    </>
  );
}

/** Shows the setup steps until the first request has arrived; then only the address. */
function SetUp({ source }: { source: InboundSource }) {
  const { place, secret } = guideOf(source);
  const command = testCommand(source);
  return (
    <Card title="Address" description={`Paste it at the provider: ${place}.`}>
      <CodeBlock code={source.url} label="address" wrap />
      {isLocal(source.url) ? (
        <p className="mt-3 text-[0.8125rem] text-ink-soft">
          Only this machine can reach this address. A provider on the internet needs a tunnel to it
          <MarkedText text={source.verify === "stripe" ? ", for example `stripe listen --forward-to`." : "."} />
        </p>
      ) : null}
      {source.lastReceivedAt === null ? (
        <>
          <p className="mt-3 text-[0.8125rem]">
            {setUpText(source, secret)} Send a test request from the provider's page
            {command === null ? "." : ", or with this command, with SECRET set in the shell:"}
          </p>
          {command === null ? null : <CodeBlock code={command} label="test command" className="mt-2" />}
        </>
      ) : null}
    </Card>
  );
}

function Mapping({ source }: { source: InboundSource }) {
  const pairs = Object.entries(source.events);
  return (
    <Card
      title="Events"
      description="The event for each type of request, from the blueprint. Requests of other types are stored. You can replay them when a version maps them."
    >
      {pairs.length === 0 ? (
        <p className="text-[0.8125rem] text-ink-soft">
          <MarkedText text="None: requests are stored and start nothing. Add `type` and `events` to the source in the blueprint." />
        </p>
      ) : (
        <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 font-mono text-xs">
          {pairs.map(([type, event]) => (
            <div key={type} className="contents">
              <dt className="break-all">{type}</dt>
              <dd className="break-all text-ink-soft">{event}</dd>
            </div>
          ))}
        </dl>
      )}
    </Card>
  );
}
