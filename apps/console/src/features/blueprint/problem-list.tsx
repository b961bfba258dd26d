// The problems of a blueprint. In: diagnostics. Out: a list, errors first; each entry moves the cursor to its position.
"use client";
import type { Diagnostic } from "@plinth/blueprint";
import { CircleAlert, CircleCheck, TriangleAlert } from "lucide-react";
import { MarkedText } from "../../ui/marked-text.tsx";

interface ProblemListProps {
  diagnostics: readonly Diagnostic[];
  settled: boolean;
  onGoTo: (offset: number) => void;
}

export function ProblemList({ diagnostics, settled, onGoTo }: ProblemListProps) {
  const sorted = [...diagnostics].sort(
    (a, b) => rank(a) - rank(b) || a.span.start.offset - b.span.start.offset || a.code.localeCompare(b.code),
  );
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const warnings = diagnostics.length - errors;
  return (
    <section aria-label="Problems" className="flex max-h-[45%] shrink-0 flex-col">
      <div className="flex items-center justify-between gap-3 border-b px-4 py-2.5">
        <h2 className="text-[0.8125rem] font-medium">Problems</h2>
        <p role="status" className="flex items-center gap-3 text-xs text-ink-soft tabular-nums">
          {settled && diagnostics.length === 0 ? (
            <span className="flex items-center gap-1 text-good">
              <CircleCheck className="size-3.5" aria-hidden />
              No problems
            </span>
          ) : null}
          {errors > 0 ? <span className="text-bad">{counted(errors, "error")}</span> : null}
          {warnings > 0 ? <span className="text-warn">{counted(warnings, "warning")}</span> : null}
          {settled ? null : "Checking"}
        </p>
      </div>
      {sorted.length > 0 ? (
        <ul className="min-h-0 divide-y overflow-y-auto">
          {sorted.map((diagnostic) => (
            <li key={`${diagnostic.code}@${diagnostic.span.start.offset}:${diagnostic.message}`}>
              <button
                type="button"
                onClick={() => onGoTo(diagnostic.span.start.offset)}
                className="flex w-full items-start gap-2.5 px-4 py-2.5 text-left -outline-offset-2 hover:bg-hover/60"
              >
                {diagnostic.severity === "error" ? (
                  <CircleAlert className="mt-0.5 size-4 shrink-0 text-bad" aria-label="Error" />
                ) : (
                  <TriangleAlert className="mt-0.5 size-4 shrink-0 text-warn" aria-label="Warning" />
                )}
                <span className="min-w-0 flex-1">
                  <span className="block">
                    <MarkedText text={diagnostic.message} />
                  </span>
                  {diagnostic.hint ? (
                    <span className="block text-[0.8125rem] text-ink-soft">
                      <MarkedText text={diagnostic.hint} />
                    </span>
                  ) : null}
                </span>
                <span className="shrink-0 font-mono text-xs text-ink-soft tabular-nums">
                  {diagnostic.span.start.line}:{diagnostic.span.start.column}
                </span>
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  );
}

function rank({ severity }: Diagnostic): number {
  return severity === "error" ? 0 : 1;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
