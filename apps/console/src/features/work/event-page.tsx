// One event. In: its id. Out: its payload, the previous values of its record, and the runs that it started.
"use client";
import type { WorkEvent } from "@plinth/control/router";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTRPC } from "../../trpc.ts";
import { BackLink } from "../../ui/back-link.tsx";
import { Card } from "../../ui/card.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { Skeleton, SkeletonRows } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { Actor } from "./actor.tsx";
import { Fact, Facts } from "./facts.tsx";
import { JsonView } from "./json-view.tsx";
import { isBusy } from "./run-words.ts";
import { RunBadge } from "./status-badge.tsx";
import { IdLink, recordPath, requestPath, runPath, workPath } from "./work-links.tsx";

const pollMs = 2_000;

export function EventPage({ projectId, eventId }: { projectId: string; eventId: string }) {
  const trpc = useTRPC();
  const event = useQuery(
    trpc.work.event.queryOptions(
      { projectId, eventId },
      { refetchInterval: ({ state }) => (state.data?.runs.some(({ status }) => isBusy(status)) ? pollMs : false) },
    ),
  );
  return (
    <>
      <BackLink href={workPath(projectId, "events")}>Events</BackLink>
      {event.error ? (
        <QueryError error={event.error} what="The event could not be loaded" onRetry={() => void event.refetch()} />
      ) : null}
      {event.isPending ? (
        <>
          <Skeleton className="mb-6 h-7 w-56" />
          <SkeletonRows rows={3} className="h-24" />
        </>
      ) : null}
      {event.data ? <Shown projectId={projectId} event={event.data} /> : null}
    </>
  );
}

function Shown({ projectId, event }: { projectId: string; event: WorkEvent }) {
  const { entity, recordId, requestId, causedBy } = event;
  const payload = event.record ?? event.data;
  return (
    <>
      <PageHeader
        title={<span className="font-mono text-lg">{event.name}</span>}
        description={
          <>
            It happened <Time at={event.at} />.
          </>
        }
      />
      <div className="flex flex-col gap-6">
        <Facts>
          {entity !== null && recordId !== null ? (
            <Fact name="Record">
              <IdLink href={recordPath(projectId, entity, recordId)} id={recordId}>
                {entity}
              </IdLink>
            </Fact>
          ) : null}
          <Fact name="Actor">
            <Actor kind={event.actorKind} id={event.actorId} />
          </Fact>
          <Fact name="Caused by">
            {causedBy === null ? (
              "A request"
            ) : (
              <IdLink href={runPath(projectId, causedBy)} id={causedBy}>
                run
              </IdLink>
            )}
          </Fact>
          <Fact name="Request">
            {requestId === null ? "–" : <IdLink href={requestPath(projectId, requestId)} id={requestId} />}
          </Fact>
        </Facts>
        <Card title="Runs that it started" flush>
          {event.runs.length === 0 ? (
            <p className="p-4 text-ink-soft">
              It started no run. If a run waited for it, the page of that run shows it.
            </p>
          ) : (
            <ul className="divide-y">
              {event.runs.map(({ id, workflow, status }) => (
                <li key={id} className="relative flex items-center gap-3 px-4 py-2.5 hover:bg-hover/60">
                  <Link
                    href={runPath(projectId, id)}
                    className="min-w-0 flex-1 truncate font-mono text-xs font-medium after:absolute after:inset-0"
                  >
                    {workflow}
                  </Link>
                  <RunBadge status={status} />
                </li>
              ))}
            </ul>
          )}
        </Card>
        {isMap(event.old) && Object.keys(event.old).length > 0 ? <Changed event={event} old={event.old} /> : null}
        <Card title="Payload" description={event.record === null ? null : "The record as it was when this happened."}>
          <JsonView value={payload} label="payload" />
        </Card>
      </div>
    </>
  );
}

function Changed({ event, old }: { event: WorkEvent; old: Readonly<Record<string, unknown>> }) {
  const record = isMap(event.record) ? event.record : {};
  return (
    <Card title="Changed values" flush>
      <table className="w-full text-left text-[0.8125rem]">
        <thead className="border-b bg-sunken">
          <tr>
            {["Field", "Before", "After"].map((name) => (
              <th key={name} className="px-4 py-2 text-xs font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y font-mono text-xs">
          {Object.entries(old).map(([name, before]) => (
            <tr key={name}>
              <td className="px-4 py-2">{name}</td>
              <td className="max-w-80 px-4 py-2 break-words text-ink-soft">{JSON.stringify(before)}</td>
              <td className="max-w-80 px-4 py-2 break-words">{JSON.stringify(record[name] ?? null)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
