// A value of a step or an event. In: JSON. Out: it, indented, to read and to copy; nothing at all says so.
import { cn } from "../../ui/cn.ts";
import { CodeBlock } from "../../ui/code-block.tsx";

export function JsonView({ value, label, className }: { value: unknown; label: string; className?: string }) {
  if (value === null || value === undefined) return <p className="text-[0.8125rem] text-ink-soft">Nothing.</p>;
  return (
    <CodeBlock
      code={JSON.stringify(value, null, 2)}
      label={label}
      className={cn("[&_pre]:max-h-96 [&_pre]:text-xs [&_pre]:leading-5", className)}
    />
  );
}
