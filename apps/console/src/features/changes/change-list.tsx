// The changes of a project, newest first. In: the project's id; the filters are in the address. Out: a page of changes, each with its
// number, title, author and state.
"use client";
import type { ChangeState } from "@plinth/control/router";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { GitCompareArrows, GitPullRequestArrow } from "lucide-react";
import { useEffect, useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type UrlFilters, useUrlFilters } from "../../url-filters.ts";
import { ChangeRow } from "./change-row.tsx";

const groups: Readonly<Record<string, { readonly word: string; readonly states: readonly ChangeState[] }>> = {
  open: { word: "Open", states: ["open", "approved", "deploying"] },
  failed: { word: "Failed", states: ["failed", "unfinished"] },
  deployed: { word: "Deployed", states: ["live", "unfinished", "replaced"] },
  closed: { word: "Rejected or outdated", states: ["rejected", "outdated"] },
};

/** While a change is being deployed, its state is refetched. */
const pollMs = 1_500;

export function ChangeList({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const filters: TimelineFilters = useUrlFilters();
  const group = groups[filters.of("state") ?? ""];
  const search = filters.of("search");
  const [pages, setPages] = useState<readonly number[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other filters begin at the first page.
  useEffect(() => setPages([]), [filters.key]);
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const timeline = useQuery(
    trpc.proposals.timeline.queryOptions(
      {
        projectId,
        ...(group === undefined ? {} : { states: group.states }),
        ...(search === undefined ? {} : { search }),
        ...(pages.length === 0 ? {} : { before: pages.at(-1) }),
      },
      {
        placeholderData: keepPreviousData,
        refetchInterval: ({ state }) =>
          state.data?.changes.some((change) => change.state === "deploying") ? pollMs : false,
      },
    ),
  );
  const changes = timeline.data?.changes;
  const filtered = group !== undefined || search !== undefined;
  const root = `/projects/${projectId}`;
  const empty = changes?.length === 0 && pages.length === 0;
  return (
    <>
      <PageHeader
        title="Changes"
        description="Every change to the blueprint is reviewed, approved and deployed here."
        actions={
          empty && !filtered ? null : (
            <ButtonLink href={`${root}/changes/compare`} icon={<GitCompareArrows />}>
              Compare versions
            </ButtonLink>
          )
        }
      />
      {timeline.error ? (
        <QueryError
          error={timeline.error}
          what="The changes could not be loaded"
          onRetry={() => void timeline.refetch()}
        />
      ) : null}
      {timeline.isPending ? <SkeletonRows rows={5} /> : null}
      {empty && !filtered ? (
        <EmptyState
          icon={<GitPullRequestArrow />}
          title="No changes yet"
          action={
            <ButtonLink href={`${root}/blueprint`} variant="primary">
              Open editor
            </ButtonLink>
          }
        >
          Write the blueprint, then press Review change. You see all effects here before anything runs.
        </EmptyState>
      ) : null}
      {changes && !(empty && !filtered) ? (
        <div className="rounded-lg border bg-surface shadow-card">
          <Filters filters={filters} />
          {empty ? <p className="px-4 py-8 text-center text-ink-soft">No change matches these filters.</p> : null}
          <ul aria-label="Changes" className="divide-y">
            {changes.map((change) => (
              <ChangeRow
                key={change.id}
                projectId={projectId}
                change={change}
                liveVersionId={project.data?.live?.versionId ?? null}
                mayChange={project.data?.may.write === true}
              />
            ))}
          </ul>
          {pages.length > 0 || timeline.data?.next ? (
            <div className="flex justify-end gap-2 border-t px-4 py-2">
              <Button size="small" disabled={pages.length === 0} onClick={() => setPages(pages.slice(0, -1))}>
                Newer
              </Button>
              <Button
                size="small"
                disabled={timeline.data?.next == null}
                onClick={() => timeline.data?.next && setPages([...pages, timeline.data.next])}
              >
                Older
              </Button>
            </div>
          ) : null}
        </div>
      ) : null}
    </>
  );
}

type TimelineFilters = UrlFilters<"state" | "search">;

/** Avoids a request for each key. */
const debounceMs = 250;

function Filters({ filters }: { filters: TimelineFilters }) {
  const [typed, setTyped] = useState(filters.of("search") ?? "");
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the timer.
  useEffect(() => {
    if (typed.trim() === (filters.of("search") ?? "")) return;
    const timer = setTimeout(() => filters.set("search", typed.trim()), debounceMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <div className="flex flex-wrap gap-2 border-b px-4 py-3">
      <div className="min-w-40 flex-1">
        <TextField
          label="Search changes"
          hideLabel
          type="search"
          placeholder="Search by title or number"
          className="h-8 text-[0.8125rem]"
          maxLength={120}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </div>
      <SelectField
        label="State"
        hideLabel
        className="h-8 min-w-40 text-[0.8125rem]"
        value={filters.of("state") ?? ""}
        onChange={(event) => filters.set("state", event.target.value)}
      >
        <option value="">All states</option>
        {Object.entries(groups).map(([name, { word }]) => (
          <option key={name} value={name}>
            {word}
          </option>
        ))}
      </SelectField>
    </div>
  );
}
