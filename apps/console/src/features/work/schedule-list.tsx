// The schedules of a project. In: its id. Out: a card for each: its cron expression, also in words, the next times, the last tick and its
// run; buttons to run it now, to pause it and to resume it.
"use client";
import type { ScheduleState } from "@plinth/control/router";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { CalendarClock, Pause, Play, StepForward } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { exactTime } from "../../ui/exact-time.ts";
import { Notice } from "../../ui/notice.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { exampleSchedule } from "./example.ts";
import { Fact, Facts } from "./facts.tsx";
import { ResumeDialog } from "./resume-dialog.tsx";
import { RunBadge } from "./status-badge.tsx";
import { NoWorkers, WorkFrame } from "./work-frame.tsx";
import { runPath, workPath } from "./work-links.tsx";

const pollMs = 5_000;

export function ScheduleList({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const schedules = useQuery(trpc.work.schedules.queryOptions({ projectId }, { refetchInterval: pollMs }));
  return (
    <WorkFrame projectId={projectId} tab="schedules">
      {schedules.error ? (
        <QueryError
          error={schedules.error}
          what="The schedules could not be loaded"
          onRetry={() => void schedules.refetch()}
        />
      ) : null}
      {schedules.isPending ? <SkeletonRows rows={2} className="h-36" /> : null}
      {schedules.data === null ? <NoWorkers projectId={projectId} /> : null}
      {schedules.data?.length === 0 ? (
        <EmptyState
          icon={<CalendarClock />}
          title="No schedules yet"
          action={
            <ButtonLink href={`/projects/${projectId}/blueprint`} variant="primary">
              Open editor
            </ButtonLink>
          }
        >
          <p>A schedule starts a worker or a workflow at fixed times. Add one to the blueprint, and deploy it.</p>
          <CodeBlock
            code={exampleSchedule}
            label="example of a schedule"
            className="mt-4 text-left text-ink [&_pre]:text-xs [&_pre]:leading-5"
          />
        </EmptyState>
      ) : null}
      {schedules.data && schedules.data.length > 0 ? (
        <Shown projectId={projectId} schedules={schedules.data} mayAct={project.data?.may.write === true} />
      ) : null}
    </WorkFrame>
  );
}

interface ShownProps {
  projectId: string;
  schedules: readonly ScheduleState[];
  mayAct: boolean;
}

function Shown({ projectId, schedules, mayAct }: ShownProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const words = useCronWords(schedules);
  const [resuming, setResuming] = useState<ScheduleState | null>(null);
  const onSettled = (): Promise<void> => queryClient.invalidateQueries({ queryKey: trpc.work.pathKey() });
  const run = useMutation(trpc.work.runSchedule.mutationOptions({ onSettled }));
  const pause = useMutation(trpc.work.pauseSchedule.mutationOptions({ onSettled }));
  const resume = useMutation(trpc.work.resumeSchedule.mutationOptions({ onSettled }));
  const all = [run, pause, resume];
  const isPending = all.some((each) => each.isPending);
  const error = all.find((each) => each.error)?.error ?? null;
  const start = (request: () => void): void => {
    if (isPending) return;
    for (const each of all) each.reset();
    request();
  };
  return (
    <div className="flex flex-col gap-4">
      {error ? <QueryError error={error} what="The request failed" /> : null}
      {run.data ? (
        <Notice tone="good" title={`${run.variables?.schedule} runs now`}>
          <Link href={runPath(projectId, run.data.id)} className="text-accent-text hover:underline">
            See the run
          </Link>
        </Notice>
      ) : null}
      {schedules.map((schedule) => {
        const name = { projectId, schedule: schedule.name };
        return (
          <ScheduleCard
            key={schedule.name}
            projectId={projectId}
            schedule={schedule}
            words={words[schedule.cron] ?? null}
            actions={
              mayAct
                ? {
                    run: () => start(() => run.mutate(name)),
                    pause: () => start(() => pause.mutate(name)),
                    resume: () => setResuming(schedule),
                  }
                : null
            }
          />
        );
      })}
      <ResumeDialog
        schedule={resuming}
        onClose={() => setResuming(null)}
        onResume={(schedule, skipMissed) => {
          setResuming(null);
          start(() => resume.mutate({ projectId, schedule: schedule.name, skipMissed }));
        }}
      />
    </div>
  );
}

/** The package of the language is large, so it is loaded when it is first needed. */
function useCronWords(schedules: readonly ScheduleState[]): Readonly<Record<string, string>> {
  const crons = [...new Set(schedules.map(({ cron }) => cron))].sort();
  const words = useQuery({
    queryKey: ["cron-words", ...crons],
    queryFn: async () => {
      const { cronInWords } = await import("@plinth/blueprint");
      return Object.fromEntries(crons.map((cron) => [cron, cronInWords(cron)]));
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return words.data ?? {};
}

interface ScheduleCardProps {
  projectId: string;
  schedule: ScheduleState;
  words: string | null;
  /** Null if the person has no right to. */
  actions: Readonly<Record<"run" | "pause" | "resume", () => void>> | null;
}

const overlapWords = {
  skip: "the tick is skipped",
  queue: "the tick waits",
  allow: "both run",
} as const;

const catchUpWords = { none: "skipped", last: "one run for all", all: "one run for each" } as const;

function ScheduleCard({ projectId, schedule, words, actions }: ScheduleCardProps) {
  const { name, cron, timezone, next, lastAt, lastRun, pausedAt, pausedBy, overlap, catchUp } = schedule;
  return (
    <Card
      title={
        <span className="flex flex-wrap items-center gap-2.5">
          <span className="font-mono text-[0.8125rem]">{name}</span>
          {pausedAt === null ? null : (
            <Badge tone="warn">
              <Pause aria-hidden /> Paused
            </Badge>
          )}
        </span>
      }
      description={
        <>
          Runs{" "}
          <Link
            href={workPath(projectId, "runs", { workflow: schedule.run })}
            className="font-mono text-xs text-accent-text hover:underline"
          >
            {schedule.run}
          </Link>{" "}
          {words ?? ""} <span className="font-mono text-xs">({cron})</span>, {timezone}.
        </>
      }
      actions={
        actions === null ? null : (
          <>
            <Button
              size="small"
              icon={<StepForward aria-hidden />}
              onClick={actions.run}
              aria-label={`Run now: ${name}`}
            >
              Run now
            </Button>
            {pausedAt === null ? (
              <Button size="small" icon={<Pause aria-hidden />} onClick={actions.pause} aria-label={`Pause ${name}`}>
                Pause
              </Button>
            ) : (
              <Button
                size="small"
                variant="primary"
                icon={<Play aria-hidden />}
                onClick={actions.resume}
                aria-label={`Resume ${name}`}
              >
                Resume
              </Button>
            )}
          </>
        )
      }
    >
      <div className="flex flex-col gap-3">
        {pausedAt === null ? null : (
          <p className="text-[0.8125rem]">
            Paused <Time at={pausedAt} />
            {pausedBy === null ? null : ` by ${pausedBy}`}. No tick starts a run until you resume it.
          </p>
        )}
        <Facts>
          <Fact name="Last started">{lastAt === null ? "never" : <Time at={lastAt} />}</Fact>
          <Fact name="Last run">
            {lastRun === null ? (
              "–"
            ) : (
              <Link href={runPath(projectId, lastRun.id)} className="inline-flex hover:underline">
                {lastRun.status === null ? "deleted" : <RunBadge status={lastRun.status} />}
              </Link>
            )}
          </Fact>
          <Fact name="While the last run runs">{overlapWords[overlap]}</Fact>
          <Fact name="Missed ticks">{catchUpWords[catchUp]}</Fact>
        </Facts>
        <div>
          <h3 className="mb-1.5 text-xs font-medium text-ink-soft">
            {pausedAt === null ? "Next" : "Next, if it is resumed"}
          </h3>
          <ol className="flex flex-wrap gap-2 text-[0.8125rem]">
            {next.map((at) => (
              <li key={at} className="rounded-md border bg-sunken px-2 py-1 tabular-nums">
                <time dateTime={at} title={exactTime(at)}>
                  {inZone(at, timezone)}
                </time>
              </li>
            ))}
          </ol>
        </div>
      </div>
    </Card>
  );
}

/** In the time zone of the schedule. */
function inZone(at: string, timeZone: string): string {
  const parts = { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" } as const;
  const year = new Date(at).getFullYear() === new Date().getFullYear() ? {} : ({ year: "numeric" } as const);
  return new Intl.DateTimeFormat("en-GB", { ...parts, ...year, timeZone, hourCycle: "h23" }).format(new Date(at));
}
