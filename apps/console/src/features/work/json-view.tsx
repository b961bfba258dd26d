// A JSON value of a step or an event. In: the value. Out: the value with indentation and a copy button, or "Nothing."
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
