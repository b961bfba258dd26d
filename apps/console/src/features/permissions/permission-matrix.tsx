// The matrix of permissions as a table. In: its rows and the roles to show. Out: cells that can be chosen. The head and the first column
// stay visible while scrolling.
import type { MatrixCell, MatrixRow } from "@plinth/blueprint";
import { Check, Minus, SlidersHorizontal } from "lucide-react";
import { Fragment } from "react";
import { cn } from "../../ui/cn.ts";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { operationName } from "./operation-name.ts";

export interface Chosen {
  readonly row: MatrixRow;
  readonly cell: MatrixCell;
}

interface PermissionMatrixProps {
  rows: readonly MatrixRow[];
  columns: readonly string[];
  onChoose: (chosen: Chosen) => void;
}

const stuck = "sticky left-0 z-10 bg-surface";

export function PermissionMatrix({ rows, columns, onChoose }: PermissionMatrixProps) {
  return (
    <div className="overflow-hidden rounded-lg border bg-surface shadow-card">
      <ScrollRegion label="Permissions" className="max-h-[70dvh]">
        <table className="w-full border-separate border-spacing-0 text-left">
          <thead className="text-xs text-ink-soft">
            <tr>
              <th className="sticky top-0 left-0 z-20 border-r border-b bg-sunken px-3 py-2 font-medium">Entity</th>
              {columns.map((role) => (
                <th
                  key={role}
                  scope="col"
                  className="sticky top-0 z-10 min-w-40 border-b bg-sunken px-3 py-2 font-mono font-medium"
                >
                  {role}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <Fragment key={`${row.entity} ${row.operation}`}>
                {row.isFirst ? (
                  <tr>
                    <th
                      scope="rowgroup"
                      colSpan={columns.length + 1}
                      className={cn("bg-surface pt-2.5 pb-0.5", at > 0 && "border-t")}
                    >
                      <span className="sticky left-0 inline-block px-3 font-mono text-[0.8125rem] font-medium">
                        {row.entity}
                      </span>
                    </th>
                  </tr>
                ) : null}
                <tr>
                  <th scope="row" className={cn(stuck, "border-r px-3 py-1.5 align-top font-normal whitespace-nowrap")}>
                    <span className="block text-[0.8125rem] text-ink-soft">{operationName(row.operation)}</span>
                  </th>
                  {columns.map((role) => {
                    const cell = row.cells.find((one) => one.role === role);
                    return (
                      <td key={role} className="px-1 py-0.5 align-top">
                        {cell ? <Cell row={row} cell={cell} onChoose={onChoose} /> : null}
                      </td>
                    );
                  })}
                </tr>
              </Fragment>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </div>
  );
}

const looks = {
  allowed: { word: "Always", Icon: Check, tone: "text-good" },
  conditional: { word: "If", Icon: SlidersHorizontal, tone: "text-warn" },
  denied: { word: "Never", Icon: Minus, tone: "text-ink-faint" },
} as const;

function Cell({ row, cell, onChoose }: { row: MatrixRow; cell: MatrixCell; onChoose: (chosen: Chosen) => void }) {
  const { word, Icon, tone } = looks[cell.outcome];
  const rules = cell.grants.filter(({ always }) => !always).map(({ rule }) => rule);
  const some = cell.grants.filter(({ fields }) => fields !== null);
  return (
    <button
      type="button"
      onClick={() => onChoose({ row, cell })}
      title={rules.join("\n") || undefined}
      className="flex w-full flex-col rounded-md px-2 py-1 text-left text-[0.8125rem] hover:bg-hover"
    >
      <span className="sr-only">
        {row.entity}, {operationName(row.operation)}, {cell.role}:
      </span>
      <span className={cn("flex items-center gap-1.5", tone)}>
        <Icon className="size-3.5 shrink-0" aria-hidden />
        {cell.outcome === "conditional" && rules.length === 0 ? "Some fields" : word}
      </span>
      {cell.outcome === "conditional"
        ? rules.slice(0, 2).map((rule) => (
            <span key={rule} className="max-w-64 truncate font-mono text-xs text-ink-soft">
              {rule}
            </span>
          ))
        : null}
      {cell.outcome === "conditional" && rules.length > 2 ? (
        <span className="text-xs text-ink-soft">or {rules.length - 2} more</span>
      ) : null}
      {cell.outcome === "conditional" && some.length > 0 ? (
        <span className="max-w-64 truncate text-xs text-ink-soft">
          Fields: {some.flatMap(({ fields }) => fields ?? []).join(", ")}
        </span>
      ) : null}
    </button>
  );
}
