// Prints events, runs and schedules. In: control's answers. Out: lines in columns. A run has its steps, their waits, and the
// reasons of failures.
import type {
  EventSummary,
  Run,
  RunStatus,
  RunStep,
  RunSummary,
  ScheduleState,
  StepStatus,
  WorkUsage,
} from "@plinth/control/router";
import { type Cell, columns } from "./columns.ts";
import type { Colour, Terminal } from "./terminal.ts";

const colours: Readonly<Record<RunStatus | StepStatus, Colour>> = {
  queued: "dim",
  running: "blue",
  started: "blue",
  waiting: "blue",
  delayed: "dim",
  retrying: "yellow",
  needs_attention: "yellow",
  undo_failed: "red",
  completed: "green",
  skipped: "dim",
  failed: "red",
  cancelled: "dim",
};

export function printRuns(terminal: Terminal, runs: readonly RunSummary[], now: number): void {
  const head = ["ID", "WORKFLOW", "STATUS", "STARTED", "TOOK", "ERROR"].map(dim);
  const rows = runs.map((run) => [
    run.id,
    run.workflow,
    stateOf(run.status),
    timeText(run.startedAt ?? run.createdAt),
    tookText(run.startedAt, run.endedAt, now),
    run.error === null ? "" : `${run.error.code}${run.error.step === null ? "" : ` at ${run.error.step}`}`,
  ]);
  for (const line of columns(terminal, [head, ...rows])) terminal.out(line);
}

export function printRun(terminal: Terminal, run: Run, now: number): void {
  const { out, paint } = terminal;
  out(`${paint("bold", run.workflow)}  ${paint(colours[run.status], wordsOf(run.status))}`);
  const facts: readonly (readonly [string, string | null])[] = [
    ["id", run.id],
    ["started", run.startedAt === null ? null : timeText(run.startedAt)],
    ["took", run.startedAt === null ? null : tookText(run.startedAt, run.endedAt, now)],
    ["record", run.record === null ? null : `${run.record.entity} ${run.record.id}`],
    ["event", run.eventId],
    ["caused by", run.causedBy],
    ["request", run.requestId],
    ["actor", run.actorId === null ? null : `${run.actorKind ?? ""} ${run.actorId}`.trim()],
  ];
  const known = facts.flatMap(([name, value]) => (value === null ? [] : [[dim(name), value]]));
  for (const line of columns(terminal, known)) out(`  ${line}`);
  if (run.error !== null) out(`  ${paint("red", run.error.code)}: ${run.error.message}`);
  if (run.steps.length === 0) return;
  out("");
  const rows = run.steps.map((step) => [
    step.path,
    stateOf(step.status),
    step.status === "skipped" ? "" : tookText(step.startedAt, step.endedAt, now),
    [attemptsText(step), remarkOf(run, step)].filter((part) => part !== "").join("; "),
  ]);
  for (const line of columns(terminal, [["STEP", "STATUS", "TOOK", ""].map(dim), ...rows])) out(line);
}

/** Rows near their limit are marked. */
export function printUsage(terminal: Terminal, usage: WorkUsage): void {
  const named = [
    ["unfinished runs", usage.openRuns],
    ["open waits", usage.openWaits],
    ["runs in progress", usage.activeRuns],
    ["calls in progress", usage.calls],
    ["kept events", usage.keptEvents],
    ["kept runs", usage.keptRuns],
  ] as const;
  const rows = named.flatMap(([name, limit]): readonly (readonly Cell[])[] => {
    if (limit === null) return [];
    const { used, allowed, near } = limit;
    const share = `${allowed === 0 ? 100 : Math.floor((used / allowed) * 100)} %`;
    const last: Cell = near ? { text: `${share}, near the limit`, colour: "yellow" } : share;
    return [[name, String(used), String(allowed), last]];
  });
  for (const line of columns(terminal, [["LIMIT", "USED", "ALLOWED", ""].map(dim), ...rows])) terminal.out(line);
}

/** @param inWords Describes a cron expression in words. */
export function printSchedules(
  terminal: Terminal,
  schedules: readonly ScheduleState[],
  inWords: (cron: string) => string,
): void {
  const head = ["SCHEDULE", "RUNS", "WHEN", "NEXT", "LAST", ""].map(dim);
  const rows = schedules.map(({ name, run, cron, timezone, next, lastAt, lastRun, pausedAt, pausedBy }) => [
    name,
    run,
    `${inWords(cron)} (${cron} ${timezone})`,
    pausedAt === null ? timeText(next[0] ?? "never") : { text: "paused", colour: "yellow" as const },
    lastAt === null ? "never" : timeText(lastAt),
    pausedAt === null
      ? (lastRun?.status?.replaceAll("_", " ") ?? "")
      : `since ${timeText(pausedAt)}${pausedBy === null ? "" : ` by ${pausedBy}`}`,
  ]);
  for (const line of columns(terminal, [head, ...rows])) terminal.out(line);
}

/** One line for each. `seen` pads the names, so that all lines are aligned. */
export function eventLine(terminal: Terminal, event: EventSummary, nameWidth: number): string {
  const { at, name, entity, recordId, actorKind, actorId } = event;
  const record = recordId === null ? (entity ?? "") : recordId;
  const actor = actorId === null ? (actorKind ?? "") : `${actorKind ?? ""} ${actorId}`.trim();
  const cells = [terminal.paint("dim", timeText(at)), name.padEnd(nameWidth), record.padEnd(36), actor];
  return cells.join("  ").trimEnd();
}

function dim(text: string): Cell {
  return { text, colour: "dim" };
}

function stateOf(status: RunStatus | StepStatus): Cell {
  return { text: wordsOf(status), colour: colours[status] };
}

function wordsOf(status: RunStatus | StepStatus): string {
  return status.replaceAll("_", " ");
}

function attemptsText({ attempts }: RunStep): string {
  return attempts > 1 ? `${attempts} attempts` : "";
}

function remarkOf({ waits }: Run, step: RunStep): string {
  if (step.error !== null) return `${step.error.code}: ${step.error.message}`;
  if (step.status === "delayed" || step.status === "retrying") return `continues at ${timeText(step.nextAt ?? "")}`;
  if (step.status !== "waiting") return "";
  const wait = waits.find(({ path, answer }) => path === step.path && answer == null);
  if (wait?.kind === "approval") return `waits for approval by ${wait.roles?.join(", ") ?? "somebody"}`;
  if (wait?.kind === "run") return `waits for the run ${wait.event ?? ""}`;
  if (wait?.kind === "event") return `waits for the event ${wait.event ?? ""}`;
  return step.nextAt === null ? "waits" : `continues at ${timeText(step.nextAt)}`;
}

/** UTC, accurate to the second: it can be sorted, and is the same for all readers. */
function timeText(at: string): string {
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? at : new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

function tookText(startedAt: string | null, endedAt: string | null, now: number): string {
  if (startedAt === null) return "";
  const ms = Math.max(0, (endedAt === null ? now : Date.parse(endedAt)) - Date.parse(startedAt));
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min`;
  return ms < 86_400_000 ? `${Math.floor(ms / 3_600_000)} h` : `${Math.floor(ms / 86_400_000)} d`;
}
