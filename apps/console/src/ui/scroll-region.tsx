// Content that may be larger than its space. In: a name and content. Out: a named group that scrolls, also by keyboard. It is not a landmark,
// because the card around it often is one with the same name.
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
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms.
    <div
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it, so it must take the focus.
      tabIndex={0}
      aria-label={label}
      className={cn("relative overflow-auto -outline-offset-2", className)}
    >
      {children}
    </div>
  );
}
