// Something that may be larger than its place. In: a name and content. Out: a named region that scrolls, also by keys.
import type { ReactNode } from "react";
import { cn } from "./cn.ts";

export function ScrollRegion({
  label,
  className,
  children,
}: {
  label: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard.
    <section tabIndex={0} aria-label={label} className={cn("relative overflow-auto -outline-offset-2", className)}>
      {children}
    </section>
  );
}
