// A row of facts about a run or an event. In: names and values. Out: a list that wraps.
import { Children, type ReactNode } from "react";

export function Facts({ children }: { children: ReactNode }) {
  const columns = Children.toArray(children).length > 3 ? "lg:grid-cols-4" : "lg:grid-cols-3";
  return (
    <dl className={`grid grid-cols-2 gap-px overflow-hidden rounded-lg border bg-line shadow-card ${columns}`}>
      {children}
    </dl>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0 bg-surface px-4 py-3 max-lg:odd:last:col-span-2">
      <dt className="text-xs text-ink-soft">{name}</dt>
      <dd className="mt-0.5 flex min-w-0 items-center gap-1 truncate font-medium">{children}</dd>
    </div>
  );
}
