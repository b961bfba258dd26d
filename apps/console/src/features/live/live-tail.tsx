// The changes of a project's records as they happen. In: the project's id. Out: a list with the newest change first, a filter, and buttons
// to pause and to clear; or an empty state if no entity can be followed.
"use client";
import { useQuery } from "@tanstack/react-query";
import { Pause, Play, Radio } from "lucide-react";
import { useMemo, useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { SelectField } from "../../ui/field.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { ChangeRow } from "./change-row.tsx";
import { type FollowedChanges, SHOWN_MAX, useChanges } from "./use-changes.ts";

/** The maximum number of entities for one request. */
const FOLLOWED_MAX = 50;

export function LiveTail({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const entities = useQuery(trpc.data.entities.queryOptions({ projectId }));
  const { data } = entities;
  const names = useMemo(
    () =>
      data
        ?.filter(({ realtime }) => realtime)
        .map(({ name }) => name)
        .slice(0, FOLLOWED_MAX),
    [data],
  );
  return (
    <>
      <PageHeader
        title="Live"
        description="Each change of a record as it happens, for entities with realtime: true in the blueprint."
      />
      {entities.error ? (
        <QueryError
          error={entities.error}
          what="The entities could not be loaded"
          onRetry={() => void entities.refetch()}
        />
      ) : null}
      {entities.isPending ? <SkeletonRows rows={6} className="h-10" /> : null}
      {names?.length === 0 ? <NothingToFollow projectId={projectId} /> : null}
      {names && names.length > 0 ? <Tail projectId={projectId} entities={names} /> : null}
    </>
  );
}

function NothingToFollow({ projectId }: { projectId: string }) {
  return (
    <EmptyState
      icon={<Radio />}
      title="No entity can be followed"
      action={<ButtonLink href={`/projects/${projectId}/blueprint`}>Open the blueprint</ButtonLink>}
    >
      Give an entity <code className="font-mono text-xs">realtime: true</code> and deploy. Apps can then subscribe to
      its changes, and they appear here.
    </EmptyState>
  );
}

const states: Readonly<Record<FollowedChanges["state"], readonly [tone: Tone, word: string]>> = {
  starting: ["neutral", "Connecting"],
  live: ["good", "Live"],
  reconnecting: ["warn", "Reconnecting"],
  paused: ["neutral", "Paused"],
};

function Tail({ projectId, entities }: { projectId: string; entities: readonly string[] }) {
  const [isPaused, setPaused] = useState(false);
  const [chosen, setChosen] = useState("");
  const { changes, state, error, retry, clear } = useChanges(projectId, entities, isPaused);
  const shown = chosen === "" ? changes : changes.filter(({ entity }) => entity === chosen);
  const [tone, word] = states[state];
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <SelectField
          label="Entity"
          hideLabel
          className="h-8 min-w-36 text-[0.8125rem]"
          value={chosen}
          onChange={(event) => setChosen(event.target.value)}
        >
          <option value="">Every entity</option>
          {entities.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </SelectField>
        <span role="status">
          <Badge tone={tone}>{word}</Badge>
        </span>
        <div className="ml-auto flex items-center gap-2">
          <Button onClick={() => setPaused(!isPaused)} aria-pressed={isPaused} icon={isPaused ? <Play /> : <Pause />}>
            {isPaused ? "Resume" : "Pause"}
          </Button>
          <Button onClick={clear} disabled={changes.length === 0}>
            Clear
          </Button>
        </div>
      </div>
      {error ? <QueryError error={error} what="The changes can't be followed" onRetry={retry} /> : null}
      {shown.length === 0 && !error ? (
        <EmptyState icon={<Radio />} title={isPaused ? "Paused" : "Waiting for changes"}>
          {isPaused
            ? "Changes of the next 15 minutes are shown when you resume."
            : "Create, change or delete a record, here or in an app. The change appears at once. Earlier changes are not shown."}
        </EmptyState>
      ) : null}
      {shown.length > 0 ? (
        <ol aria-label="Changes" className="divide-y overflow-hidden rounded-lg border bg-surface shadow-card">
          {shown.map((change) => (
            <ChangeRow key={change.key} projectId={projectId} change={change} />
          ))}
        </ol>
      ) : null}
      {changes.length === SHOWN_MAX ? (
        <p className="text-xs text-ink-soft">The newest {SHOWN_MAX} changes; older ones are no longer shown.</p>
      ) : null}
    </div>
  );
}
