// `plinth schedules list|run|pause|resume`. In: a project, and one of its schedules. Out: the next time and the last run of each,
// or the result of an action. With `json`, exactly control's answer.
import { cronInWords } from "@plinth/blueprint";
import { type ControlClient, isControlError } from "../control-client.ts";
import { CommandFailure, type ExitCode } from "../failure.ts";
import type { LocalSettings } from "../local/settings.ts";
import { printSchedules } from "../print-runs.ts";
import type { Terminal } from "../terminal.ts";
import { noWorkers, type OfProject, withProject } from "./runs.ts";

export async function listSchedules(
  terminal: Terminal,
  settings: LocalSettings,
  { project, json }: OfProject,
): Promise<ExitCode> {
  return withProject(settings, project, async (control, projectId) => {
    const schedules = await control.work.schedules.query({ projectId });
    if (schedules === null) throw noWorkers(project);
    if (json) terminal.out(JSON.stringify(schedules));
    else if (schedules.length === 0) terminal.err("the live version has no schedule: `schedules:` declares them");
    else printSchedules(terminal, schedules, cronInWords);
    return 0;
  });
}

/** An action on a schedule, and the message after it. */
export type ScheduleAction = (
  control: ControlClient,
  schedule: { projectId: string; schedule: string },
) => Promise<{ readonly answer: object; readonly message: string }>;

export const run: ScheduleAction = async (control, schedule) => {
  const answer = await control.work.runSchedule.mutate(schedule);
  return { answer, message: `${schedule.schedule} runs as ${answer.id}` };
};

export const pause: ScheduleAction = async (control, schedule) => {
  const answer = await control.work.pauseSchedule.mutate(schedule);
  return { answer, message: `${answer.name} is paused: it starts no runs until it is resumed` };
};

export function resume(skipMissed: boolean): ScheduleAction {
  return async (control, schedule) => {
    const answer = await control.work.resumeSchedule.mutate({ ...schedule, skipMissed });
    const missed = skipMissed ? "missed runs are skipped" : "`catch_up` decides about missed runs";
    return { answer, message: `${answer.name} is resumed; ${missed}` };
  };
}

export async function actOnSchedule(
  terminal: Terminal,
  settings: LocalSettings,
  schedule: string,
  { project, json }: OfProject,
  action: ScheduleAction,
): Promise<ExitCode> {
  return withProject(settings, project, async (control, projectId) => {
    const { answer, message } = await action(control, { projectId, schedule }).catch(async (error: unknown) => {
      if (!isControlError(error) || error.data?.code !== "NOT_FOUND") throw error;
      const schedules = await control.work.schedules.query({ projectId });
      throw noSchedule(
        schedule,
        (schedules ?? []).map(({ name }) => name),
      );
    });
    terminal.out(json ? JSON.stringify(answer) : message);
    return 0;
  });
}

/** @param known The schedules of the live version. */
export function noSchedule(schedule: string, known: readonly string[]): CommandFailure {
  const there = known.length === 0 ? "it has none" : `it has ${known.join(", ")}`;
  return new CommandFailure(`the live version has no schedule \`${schedule.slice(0, 80)}\`: ${there}`);
}
