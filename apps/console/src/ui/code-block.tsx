// Code to read or to copy. In: text and a label. Out: a scrollable, focusable block with a copy button.
import { cn } from "./cn.ts";
import { CopyButton } from "./copy-button.tsx";
import { ScrollRegion } from "./scroll-region.tsx";

interface CodeBlockProps {
  code: string;
  /** A name for the copy button and screen readers, such as "curl command". */
  label: string;
  className?: string;
  /** Breaks long lines instead of scrolling. */
  wrap?: boolean;
}

export function CodeBlock({ code, label, className, wrap = false }: CodeBlockProps) {
  return (
    <div className={cn("flex items-start rounded-md border bg-sunken", className)}>
      <ScrollRegion label={label} className="min-w-0 flex-1 rounded-md">
        <pre
          className={cn(
            "px-3.5 py-3 font-mono text-[0.8125rem] leading-6",
            wrap && "text-xs leading-5 break-all whitespace-pre-wrap",
          )}
        >
          {code}
        </pre>
      </ScrollRegion>
      <CopyButton text={code} label={`Copy ${label}`} className="m-2" />
    </div>
  );
}
