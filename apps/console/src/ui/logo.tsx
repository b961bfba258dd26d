// The logo: a plinth seen from the front. In: a class for its size. Out: an SVG in the colour of the surrounding text.
import { cn } from "./cn.ts";

export function Logo({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 20 20" className={cn("size-5", className)} fill="currentColor" aria-hidden>
      <rect x="2" y="2" width="16" height="4" rx="0.75" />
      <rect x="4.5" y="7.5" width="11" height="5" rx="0.75" />
      <rect x="2" y="14" width="16" height="4" rx="0.75" />
    </svg>
  );
}
