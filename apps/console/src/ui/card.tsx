// A bordered surface with an optional title row. In: title, description, actions, content. Out: a section, named by its title.
import { type ReactNode, useId } from "react";
import { cn } from "./cn.ts";

interface CardProps {
  title?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
  className?: string;
  /** Without inner padding, for tables and lists that draw their own rows. */
  flush?: boolean;
}

export function Card({ title, description, actions, children, className, flush = false }: CardProps) {
  const id = useId();
  return (
    <section
      aria-labelledby={title ? id : undefined}
      className={cn("overflow-hidden rounded-lg border bg-surface shadow-card", className)}
    >
      {title || actions ? (
        <header className={cn("flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3", "border-b")}>
          <div className="min-w-0">
            {title ? (
              <h2 id={id} className="font-medium">
                {title}
              </h2>
            ) : null}
            {description ? <p className="text-[0.8125rem] text-ink-soft">{description}</p> : null}
          </div>
          {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
        </header>
      ) : null}
      {children ? <div className={flush ? "" : "p-4"}>{children}</div> : null}
    </section>
  );
}
