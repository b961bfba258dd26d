// The records of one entity. In: the entity's fields. Out: a page of rows, sorted and filtered by the API, with buttons for the next and the
// previous page; for people who can change records also deleted records and actions. Cursors are opaque, so the list of used cursors
// leads back.
"use client";
import type { Entity } from "@plinth/blueprint";
import type { DataEntity, DataRow } from "@plinth/control/router";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ArrowDown, ArrowUp, ChevronsUpDown, Maximize2, Plus, RotateCw, Rows3, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { cn } from "../../ui/cn.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { errorCode } from "../../ui/error-text.ts";
import { Pager, pageSize } from "../../ui/pager.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { DeniedRecords } from "./denied-records.tsx";
import { RecordActionCell, TransitionDialog, useRecordActions } from "./record-action-cell.tsx";
import { recordActions } from "./record-actions.ts";
import { type LinkTo, RecordCell } from "./record-cell.tsx";
import { RecordDialog } from "./record-dialog.tsx";
import { RecordFilters } from "./record-filters.tsx";

/** Kinds by which the API can't filter or sort. */
const composite = new Set("json object list i18n point vector enum_set secret refs computed file image".split(" "));

interface RecordTableProps {
  projectId: string;
  entity: DataEntity;
  /** The entity in the live model; null until the model is loaded. */
  declared: Entity | null;
  linkTo: LinkTo;
  firstFilters: Readonly<Record<string, string>>;
  /** Whether the person can see deleted records, and change records. */
  mayChange: boolean;
}

export function RecordTable({ projectId, entity, declared, linkTo, firstFilters, mayChange }: RecordTableProps) {
  const trpc = useTRPC();
  const [sort, setSort] = useState<string | null>(null);
  const [filters, setFilters] = useState(firstFilters);
  const [deleted, setDeleted] = useState(false);
  const actionState = useRecordActions(projectId, entity.name);
  const [cursors, setCursors] = useState<readonly string[]>([]);
  /** The record in the dialog; null for a new one. */
  const [opened, setOpened] = useState<DataRow | null | "none">("none");
  const cursor = cursors.at(-1);
  const rows = useQuery(
    trpc.data.rows.queryOptions(
      {
        projectId,
        entity: entity.name,
        limit: pageSize,
        ...(cursor === undefined ? {} : { cursor }),
        ...(sort === null ? {} : { sort }),
        ...(deleted ? { deleted } : {}),
        ...(Object.keys(filters).length === 0 ? {} : { filters }),
      },
      { placeholderData: keepPreviousData },
    ),
  );

  /** Ascending, descending, then unsorted. A cursor is only valid for its order, so the first page is shown again. */
  function sortBy(field: string): void {
    setSort(sort === field ? `-${field}` : sort === `-${field}` ? null : field);
    setCursors([]);
  }

  function filterBy(changed: Readonly<Record<string, string>>): void {
    setFilters(changed);
    setCursors([]);
  }

  function showDeleted(wanted: boolean): void {
    setDeleted(wanted);
    setCursors([]);
  }

  const actionable = mayChange && declared !== null && (deleted || declared.stateMachine !== null) ? declared : null;
  const types = new Map(declared?.fields.map((field) => [field.name, field]));
  const simple = entity.fields.filter(({ name, kind }) => !composite.has(kind) && types.get(name)?.internal !== true);
  const isDenied = errorCode(rows.error) === "FORBIDDEN";
  const filtered = Object.keys(filters).length > 0;
  const next = rows.data?.page.next_cursor ?? null;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <RecordFilters fields={simple} filters={filters} onChange={filterBy} />
        <span className="flex max-w-full gap-2">
          {mayChange && declared !== null && !deleted ? (
            <Button className="min-w-0" onClick={() => setOpened(null)} icon={<Plus aria-hidden />}>
              <span className="truncate">New {entity.name}</span>
            </Button>
          ) : null}
          {mayChange && declared?.softDelete ? (
            <Button aria-pressed={deleted} onClick={() => showDeleted(!deleted)} icon={<Trash2 aria-hidden />}>
              {deleted ? "Hide deleted" : "Show deleted"}
            </Button>
          ) : null}
          <Button
            size="icon"
            variant="ghost"
            aria-label="Reload"
            title="Reload"
            onClick={() => void rows.refetch()}
            icon={<RotateCw className={rows.isFetching ? "animate-spin" : ""} />}
          />
        </span>
      </div>
      {isDenied ? <DeniedRecords projectId={projectId} entity={entity} mayChange={mayChange} /> : null}
      {rows.error && !isDenied ? (
        <QueryError error={rows.error} what="The records could not be loaded" onRetry={() => void rows.refetch()} />
      ) : null}
      <TransitionDialog entity={entity.name} state={actionState} />
      {actionState.error ? <QueryError error={actionState.error} what="The record was not changed" /> : null}
      {declared !== null && opened !== "none" ? (
        <RecordDialog
          projectId={projectId}
          entity={declared}
          record={opened}
          mayChange={mayChange && !deleted}
          linkTo={linkTo}
          onClose={() => setOpened("none")}
        />
      ) : null}
      {rows.isPending ? <SkeletonRows rows={6} className="h-10" /> : null}
      {rows.data?.data.length === 0 && !rows.error ? (
        <EmptyState
          icon={<Rows3 />}
          title={filtered ? "No record matches" : deleted ? `No deleted ${entity.plural}` : `No ${entity.plural} yet`}
          action={filtered ? <Button onClick={() => filterBy({})}>Clear filters</Button> : null}
        >
          {filtered ? (
            "Filters match the exact value, including upper and lower case."
          ) : deleted ? (
            "Deleted records are listed here until they are restored."
          ) : (
            <>
              {mayChange ? "Create the first one here, or " : "Your app creates them "}
              with <code className="font-mono text-xs text-ink">POST /v1/resources/{entity.plural}</code>
              {mayChange ? " from your app." : "."}
            </>
          )}
        </EmptyState>
      ) : null}
      {rows.data && rows.data.data.length > 0 ? (
        <div className="overflow-hidden rounded-lg border bg-surface shadow-card">
          <ScrollRegion label={`Records of ${entity.name}`} className={cn(rows.isPlaceholderData && "opacity-60")}>
            <table className="w-full text-left text-[0.8125rem]">
              <thead className="border-b bg-sunken">
                <tr>
                  <th className="py-1.5 pl-2">
                    <span className="sr-only">Open</span>
                  </th>
                  {entity.fields.map((field) => (
                    <HeadCell
                      key={field.name}
                      field={field}
                      sort={sort}
                      onSort={simple.includes(field) ? () => sortBy(field.name) : null}
                    />
                  ))}
                  {actionable ? (
                    <th className="px-3.5 py-1.5 text-xs font-medium whitespace-nowrap">
                      {deleted ? "Deleted" : "Transitions"}
                    </th>
                  ) : null}
                </tr>
              </thead>
              <tbody className="divide-y">
                {rows.data.data.map((row) => (
                  <tr key={String(row.id)} className="hover:bg-hover/50">
                    <td className="py-1.5 pl-2">
                      <Button
                        size="icon-small"
                        variant="ghost"
                        aria-label={`Open ${entity.name} ${row.id}`}
                        title="Open"
                        disabled={declared === null}
                        onClick={() => setOpened(row)}
                        icon={<Maximize2 aria-hidden />}
                      />
                    </td>
                    {entity.fields.map((field) => (
                      <RecordCell
                        key={field.name}
                        name={field.name}
                        type={types.get(field.name)?.type ?? null}
                        value={row[field.name]}
                        linkTo={linkTo}
                      />
                    ))}
                    {actionable ? (
                      <RecordActionCell
                        recordId={String(row.id)}
                        // Rows of the previous page are only shown until the new ones arrive.
                        actions={rows.isPlaceholderData ? [] : recordActions(actionable, row, deleted)}
                        state={actionState}
                      />
                    ) : null}
                  </tr>
                ))}
              </tbody>
            </table>
          </ScrollRegion>
          <Pager cursors={cursors} next={next} shown={rows.data.data.length} onChange={setCursors} />
        </div>
      ) : null}
    </div>
  );
}

interface HeadCellProps {
  field: DataEntity["fields"][number];
  sort: string | null;
  /** Null if the API can't sort by it. */
  onSort: (() => void) | null;
}

function HeadCell({ field, sort, onSort }: HeadCellProps) {
  if (onSort === null) {
    return (
      <th className="px-2 py-1.5 font-medium whitespace-nowrap first:pl-3">
        <span className="flex items-center gap-1.5 px-1.5 py-0.5">
          <span className="font-mono text-xs">{field.name}</span>
          <span className="text-xs font-normal text-ink-faint">{field.kind}</span>
        </span>
      </th>
    );
  }
  const direction = sort === field.name ? "ascending" : sort === `-${field.name}` ? "descending" : "none";
  const Icon = { ascending: ArrowUp, descending: ArrowDown, none: ChevronsUpDown }[direction];
  return (
    <th aria-sort={direction} className="px-2 py-1.5 font-medium whitespace-nowrap first:pl-3">
      <button
        type="button"
        onClick={onSort}
        className="flex items-center gap-1.5 rounded px-1.5 py-0.5 hover:bg-hover"
        title={`Sort by ${field.name}`}
      >
        <span className="font-mono text-xs">{field.name}</span>
        <span className="text-xs font-normal text-ink-faint">{field.kind}</span>
        <Icon
          className={cn("size-3", direction === "none" ? "text-ink-faint group-hover:text-ink" : "text-accent-text")}
          aria-hidden
        />
      </button>
    </th>
  );
}
