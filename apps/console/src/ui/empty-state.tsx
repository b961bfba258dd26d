// A placeholder for a list or page without content. In: the purpose of the place, and the next step. Out: a box with one action.
import type { ReactNode } from "react";

interface EmptyStateProps {
  icon: ReactNode;
  title: string;
  children: ReactNode;
  action?: ReactNode;
}

export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center rounded-lg border border-dashed border-line-strong px-6 py-14 text-center">
      <div className="mb-4 grid size-10 place-items-center rounded-lg border bg-surface text-ink-soft shadow-card [&_svg]:size-[1.125rem]">
        {icon}
      </div>
      <h2 className="font-medium">{title}</h2>
      <div className="mt-1 w-full max-w-md text-pretty text-ink-soft">{children}</div>
      {action ? <div className="mt-5 flex flex-wrap justify-center gap-2">{action}</div> : null}
    </div>
  );
}
