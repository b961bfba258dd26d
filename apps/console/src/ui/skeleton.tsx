// Grey shapes while something loads. In: how large. Out: shapes that screen readers skip, and one spoken "Loading".
import { cn } from "./cn.ts";

export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={cn("animate-pulse rounded-md bg-hover", className)} />;
}

const rowKeys = ["a", "b", "c", "d", "e", "f", "g", "h"];

/** Rows of a list or table that is on its way. */
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
