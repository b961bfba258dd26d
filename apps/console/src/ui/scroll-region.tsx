// Something that may be larger than its place. In: a name and content. Out: a named group that scrolls, also by keys. It is no
// landmark: the card around it often is one, under the same name.
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
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard.
      tabIndex={0}
      aria-label={label}
      className={cn("relative overflow-auto -outline-offset-2", className)}
    >
      {children}
    </div>
  );
}
