// The context of a run. In: the run. Out: links to its event, its record, the run that caused it, and its request.
"use client";
import type { Run } from "@plinth/control/router";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTRPC } from "../../trpc.ts";
import { Actor } from "./actor.tsx";
import { Fact, Facts } from "./facts.tsx";
import { eventPath, IdLink, recordPath, requestPath, runPath, workPath } from "./work-links.tsx";

export function RunFacts({ projectId, run }: { projectId: string; run: Run }) {
  const trpc = useTRPC();
  const { eventId, record, causedBy, requestId } = run;
  const event = useQuery(
    trpc.work.event.queryOptions({ projectId, eventId: eventId ?? "" }, { enabled: eventId !== null }),
  );
  const name = event.data?.name ?? null;
  return (
    <Facts>
      {eventId === null ? null : (
        <Fact name="Event">
          {name === null ? (
            <IdLink href={eventPath(projectId, eventId)} id={eventId} />
          ) : (
            <Link
              href={eventPath(projectId, eventId)}
              className="truncate font-mono text-xs text-accent-text hover:underline"
            >
              {name}
            </Link>
          )}
        </Fact>
      )}
      {record === null ? null : (
        <Fact name="Record">
          <IdLink href={recordPath(projectId, record.entity, record.id)} id={record.id}>
            {record.entity}
          </IdLink>
        </Fact>
      )}
      {causedBy === null ? null : (
        <Fact name="Caused by">
          <IdLink href={runPath(projectId, causedBy)} id={causedBy}>
            run
          </IdLink>
        </Fact>
      )}
      {eventId === null && causedBy === null ? (
        <Fact name="Caused by">
          <Start projectId={projectId} run={run} />
        </Fact>
      ) : null}
      {requestId === null ? null : (
        <Fact name="Request">
          <IdLink href={requestPath(projectId, requestId)} id={requestId} />
        </Fact>
      )}
      {run.actorKind === null ? null : (
        <Fact name="Actor">
          <Actor kind={run.actorKind} id={run.actorId} />
        </Fact>
      )}
    </Facts>
  );
}

function Start({ projectId, run: { kind, input } }: { projectId: string; run: Run }) {
  if (kind === "action") return "A call";
  const schedule = typeof input === "object" && input !== null && "schedule" in input ? input.schedule : null;
  if (typeof schedule !== "string") return "A call";
  return (
    <Link href={workPath(projectId, "schedules")} className="truncate text-accent-text hover:underline">
      the schedule {schedule}
    </Link>
  );
}
