// The stored events of a project, newest first. In: the project's id; filters from the address. Out: a table.
"use client";
import type { EventSummary } from "@plinth/control/router";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Radio } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { useLiveModel } from "../../live-model.ts";
import { useTRPC } from "../../trpc.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { pageSize } from "../../ui/pager.tsx";
import { Time } from "../../ui/time.tsx";
import { type UrlFilters, useUrlFilters } from "../../url-filters.ts";
import { Actor } from "./actor.tsx";
import { FilterChip, FilterSelect } from "./work-filters.tsx";
import { NoWorkers, WorkFrame } from "./work-frame.tsx";
import { eventPath, IdLink, recordPath, workPath } from "./work-links.tsx";
import { WorkTable } from "./work-table.tsx";

const pollMs = 5_000;

export function EventList({ projectId }: { projectId: string }) {
  const filters = useUrlFilters();
  // A cursor is only valid for its filters, so other filters start at the first page.
  return <FilteredEvents key={filters.key} projectId={projectId} filters={filters} />;
}

function FilteredEvents({ projectId, filters }: { projectId: string; filters: UrlFilters }) {
  const trpc = useTRPC();
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const model = useLiveModel(projectId);
  const events = useQuery(
    trpc.work.events.queryOptions(
      {
        projectId,
        limit: pageSize,
        cursor: cursors.at(-1),
        entity: filters.of("entity"),
        name: filters.of("name"),
        recordId: filters.of("record"),
        requestId: filters.of("request"),
      },
      { placeholderData: keepPreviousData, refetchInterval: pollMs },
    ),
  );
  // The names to choose from don't depend on the filters.
  const recent = useQuery(trpc.work.events.queryOptions({ projectId, limit: 100 }, { refetchInterval: pollMs }));
  if (events.data === null) {
    return (
      <WorkFrame projectId={projectId} tab="events">
        <NoWorkers projectId={projectId} />
      </WorkFrame>
    );
  }
  const isFiltered = filters.key !== "";
  const entities = model.data?.entities.map(({ name }) => name) ?? [];
  const names = [...new Set(recent.data?.data.map(({ name }) => name))].sort();
  return (
    <WorkFrame projectId={projectId} tab="events">
      <WorkTable
        name="Events"
        query={events}
        filters={
          <>
            <FilterSelect filters={filters} name="name" label="Event" all="Every event" choices={pairs(names)} />
            <FilterSelect filters={filters} name="entity" label="Entity" all="Every entity" choices={pairs(entities)} />
            <FilterChip filters={filters} name="record">
              Record
            </FilterChip>
            <FilterChip filters={filters} name="request">
              Request
            </FilterChip>
          </>
        }
        columns={["Event", "Record", "Actor", "Time"]}
        row={(event) => <EventRow key={event.id} projectId={projectId} event={event} />}
        empty={
          <EmptyState
            icon={<Radio />}
            title={isFiltered ? "No event matches" : "No events yet"}
            action={isFiltered ? <ButtonLink href={workPath(projectId, "events")}>Clear filters</ButtonLink> : null}
          >
            {isFiltered
              ? "Events are deleted after some time; this one may be gone."
              : "An event is stored only if something listens for it. It appears here as soon as it happens."}
          </EmptyState>
        }
        cursors={cursors}
        onPage={setCursors}
      />
    </WorkFrame>
  );
}

function pairs(names: readonly string[]): readonly (readonly [string, string])[] {
  return names.map((name) => [name, name] as const);
}

function EventRow({ projectId, event }: { projectId: string; event: EventSummary }) {
  const { entity, recordId } = event;
  return (
    <tr className="hover:bg-hover/50">
      <td className="py-2 pr-3.5 pl-[1.125rem] whitespace-nowrap">
        <Link href={eventPath(projectId, event.id)} className="font-mono text-xs font-medium hover:underline">
          {event.name}
        </Link>
      </td>
      <td className="px-3.5 py-2 whitespace-nowrap">
        {entity !== null && recordId !== null ? (
          <IdLink href={recordPath(projectId, entity, recordId)} id={recordId} />
        ) : (
          <span className="text-ink-soft">–</span>
        )}
      </td>
      <td className="max-w-64 truncate px-3.5 py-2 text-ink-soft">
        <Actor kind={event.actorKind} id={event.actorId} />
      </td>
      <td className="px-3.5 py-2 whitespace-nowrap text-ink-soft">
        <Time at={event.at} />
      </td>
    </tr>
  );
}
