// Grey shapes while something loads. In: their size. Out: shapes that screen readers skip, and the word "Loading" for screen readers.
import { cn } from "./cn.ts";

export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={cn("animate-pulse rounded-md bg-hover", className)} />;
}

const rowKeys = ["a", "b", "c", "d", "e", "f", "g", "h"];

/** Rows for a list or table that is loading. */
export function SkeletonRows({ rows = 3, className = "h-14" }: { rows?: number; className?: string }) {
  return (
    <div className="flex flex-col gap-2">
      <span role="status" className="sr-only">
        Loading
      </span>
      {rowKeys.slice(0, rows).map((key) => (
        <Skeleton key={key} className={className} />
      ))}
    </div>
  );
}
