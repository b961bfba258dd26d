// A table about work that is loaded page by page. In: the query, its columns, a row for each item, the empty state. Out: filters, the
// table, buttons for the next and the previous page, and the error.
"use client";
import type { WorkPage } from "@plinth/control/router";
import type { UseQueryResult } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import { cn } from "../../ui/cn.ts";
import { Pager } from "../../ui/pager.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";

interface WorkTableProps<Item> {
  /** The name of the table, which is also in its error. */
  name: string;
  query: Pick<
    UseQueryResult<WorkPage<Item> | null, unknown>,
    "data" | "error" | "isPending" | "isPlaceholderData" | "refetch" | "dataUpdatedAt"
  >;
  filters: ReactNode;
  columns: readonly string[];
  row: (item: Item, now: number) => ReactNode;
  empty: ReactNode;
  cursors: readonly string[];
  onPage: (cursors: readonly string[]) => void;
}

export function WorkTable<Item>({ name, query, filters, columns, row, empty, cursors, onPage }: WorkTableProps<Item>) {
  const { data, error, refetch } = query;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-start justify-between gap-2">
        <div className="flex flex-wrap items-center gap-2">{filters}</div>
        <Reload onReload={() => void refetch()} />
      </div>
      {error ? (
        <QueryError
          error={error}
          what={`The ${name.toLowerCase()} could not be loaded`}
          onRetry={() => void refetch()}
        />
      ) : null}
      {query.isPending ? <SkeletonRows rows={6} className="h-10" /> : null}
      {data?.data.length === 0 && !error ? empty : null}
      {data && data.data.length > 0 ? (
        <div className="overflow-hidden rounded-lg border bg-surface shadow-card">
          <ScrollRegion label={name} className={cn(query.isPlaceholderData && "opacity-60")}>
            <table className="w-full text-left text-[0.8125rem]">
              <TableHead columns={columns} />
              <tbody className="divide-y">{data.data.map((item) => row(item, query.dataUpdatedAt))}</tbody>
            </table>
          </ScrollRegion>
          <Pager cursors={cursors} next={data.nextCursor} shown={data.data.length} onChange={onPage} />
        </div>
      ) : null}
    </div>
  );
}

export function Reload({ onReload }: { onReload: () => void }) {
  return (
    <Button size="icon" variant="ghost" aria-label="Reload" title="Reload" onClick={onReload} icon={<RotateCw />} />
  );
}

export function TableHead({ columns }: { columns: readonly string[] }) {
  return (
    <thead className="border-b bg-sunken">
      <tr>
        {columns.map((name) => (
          <th key={name} className="px-3.5 py-2 text-xs font-medium whitespace-nowrap first:pl-[1.125rem]">
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}
