// The steps of a run on one time scale. In: the rows, what each step waits for, and the chosen step. Out: a button for each step, with a
// bar on the time scale. The arrow keys move between the buttons.
"use client";
import { type KeyboardEvent, useRef } from "react";
import { cn } from "../../ui/cn.ts";
import { durationText } from "./duration.ts";
import { StepIcon } from "./status-badge.tsx";
import type { Timeline, TimelineRow } from "./timeline.ts";

interface RunTimelineProps {
  timeline: Timeline;
  chosen: string | null;
  onChoose: (path: string) => void;
  /** From the path of a step to what the step waits for. */
  waiting: ReadonlyMap<string, string>;
}

const marks = [0, 0.25, 0.5, 0.75, 1];

export function RunTimeline({ timeline: { rows, took }, chosen, onChoose, waiting }: RunTimelineProps) {
  const list = useRef<HTMLUListElement>(null);

  function move(event: KeyboardEvent): void {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    const buttons = [...(list.current?.querySelectorAll("button") ?? [])];
    const next = buttons[buttons.indexOf(event.target as HTMLButtonElement) + by];
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
    next.click();
  }

  return (
    <div>
      <div className="flex border-b bg-sunken px-4 py-1.5 text-xs text-ink-soft" aria-hidden>
        <span className="w-40 shrink-0 sm:w-56">Step</span>
        <span className="relative h-4 min-w-0 flex-1 tabular-nums max-sm:hidden">
          {marks.map((mark) => (
            <span
              key={mark}
              className={cn(
                "absolute whitespace-nowrap",
                mark === 1 ? "right-0" : mark === 0 ? "" : "-translate-x-1/2",
              )}
              style={mark === 1 ? {} : { left: `${mark * 100}%` }}
            >
              {mark === 0 ? "0" : durationText(took * mark)}
            </span>
          ))}
        </span>
        <span className="ml-4 w-20 shrink-0 text-right max-sm:ml-auto">Took</span>
      </div>
      <ul ref={list} className="divide-y" onKeyDown={move}>
        {rows.map((row) => (
          <li key={row.path}>
            <button
              type="button"
              aria-pressed={row.path === chosen}
              onClick={() => onChoose(row.path)}
              className={cn(
                "flex w-full items-center px-4 py-2 text-left text-[0.8125rem] -outline-offset-2 hover:bg-hover/60",
                row.path === chosen && "bg-accent-soft/60 hover:bg-accent-soft/60",
              )}
            >
              <span
                className="flex min-w-0 flex-1 items-center gap-2 pr-3 sm:w-56 sm:flex-none"
                style={{ paddingLeft: `${Math.min(row.depth, 4) * 1.125}rem` }}
              >
                <StepIcon status={row.status} />
                <StepName row={row} />
              </span>
              <span className="relative flex h-5 min-w-0 flex-1 items-center max-sm:hidden">
                <Bar row={row} waitsFor={waiting.get(row.path) ?? null} />
              </span>
              <span className="ml-4 w-20 shrink-0 text-right text-xs text-ink-soft tabular-nums max-sm:ml-auto">
                {tookText(row)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A step inside the database is recorded in the same statement as its effect, so its duration is unknown. */
function tookText({ status, took }: TimelineRow): string {
  return status === "skipped" || took < 1 ? "–" : durationText(took);
}

const prefixes = { step: "", member: "member", on_error: "on error:", compensate: "undo:" } as const;

function StepName({ row: { kind, name, step } }: { row: TimelineRow }) {
  return (
    <span className="min-w-0 truncate">
      {prefixes[kind] === "" ? null : <span className="text-xs text-ink-soft">{prefixes[kind]} </span>}
      <span className="font-mono text-xs font-medium">{name}</span>
      {step !== null && step.attempts > 1 ? (
        <span className="ml-1.5 text-xs text-ink-soft">{step.attempts} attempts</span>
      ) : null}
    </span>
  );
}

const barLooks: Readonly<Record<TimelineRow["status"], string>> = {
  completed: "bg-good",
  failed: "bg-bad",
  started: "bg-accent",
  retrying: "bg-warn",
  waiting: "bar-waiting",
  delayed: "bar-waiting",
  skipped: "bg-line-strong",
  cancelled: "bg-line-strong",
};

function Bar({ row, waitsFor }: { row: TimelineRow; waitsFor: string | null }) {
  // The text is next to the bar, on the side with more room.
  const after = row.from + row.length < 0.55;
  const inside = row.length > 0.4;
  return (
    <>
      <span
        className={cn(
          "absolute h-2.5 min-w-1 rounded-sm",
          barLooks[row.status],
          row.from >= 0.995 && "-translate-x-full",
        )}
        style={{ left: `${row.from * 100}%`, width: `${row.length * 100}%` }}
        aria-hidden
      />
      {row.retries.map((at) => (
        <span
          key={at}
          className="absolute h-4 w-0.5 rounded-full bg-ink"
          style={{ left: `${at * 100}%` }}
          title="Another attempt"
          aria-hidden
        />
      ))}
      {waitsFor === null ? null : (
        <span
          className={cn(
            "absolute truncate rounded bg-surface px-1.5 text-xs text-accent-text",
            inside && "max-w-[40%]",
          )}
          style={
            inside
              ? { left: `calc(${row.from * 100}% + 0.5rem)` }
              : after
                ? { left: `calc(${(row.from + row.length) * 100}% + 0.375rem)` }
                : { right: `calc(${(1 - row.from) * 100}% + 0.375rem)` }
          }
        >
          {waitsFor}
        </span>
      )}
    </>
  );
}
