// `plinth runs list|limits|show|retry|cancel|done|fail`. In: a project, filters or a run. Out: its runs as a table, one with its
// steps, or what was asked of it. With `json`, what control answered and nothing else.
import type { Run, RunStatus } from "@plinth/control/router";
import type { ControlClient } from "../control-client.ts";
import { CommandFailure, type ExitCode } from "../failure.ts";
import { openControl, projectCalled } from "../local/open-control.ts";
import type { LocalSettings } from "../local/settings.ts";
import { printRun, printRuns, printUsage } from "../print-runs.ts";
import type { Terminal } from "../terminal.ts";

export interface OfProject {
  /** The project's name, or its id. */
  readonly project: string;
  readonly json: boolean;
}

export interface RunFilters extends OfProject {
  readonly status?: RunStatus;
  readonly workflow?: string;
  readonly limit: number;
}

export async function listRuns(terminal: Terminal, settings: LocalSettings, options: RunFilters): Promise<ExitCode> {
  const { json, limit, status, workflow } = options;
  return withProject(settings, options.project, async (control, projectId) => {
    const page = await control.work.runs.query({ projectId, limit, status, workflow });
    if (page === null) throw noWorkers(options.project);
    if (json) terminal.out(JSON.stringify(page.data));
    else if (page.data.length === 0) terminal.err("no run matches");
    else {
      printRuns(terminal, page.data, Date.now());
      if (page.nextCursor !== null) terminal.err(`(the newest ${limit}; --limit shows more)`);
    }
    return 0;
  });
}

/** How much of the operator's limits the project's work uses. */
export async function showUsage(
  terminal: Terminal,
  settings: LocalSettings,
  { project, json }: OfProject,
): Promise<ExitCode> {
  return withProject(settings, project, async (control, projectId) => {
    const queues = await control.work.queues.query({ projectId });
    if (queues === null) throw noWorkers(project);
    if (json) terminal.out(JSON.stringify(queues.usage));
    else printUsage(terminal, queues.usage);
    return 0;
  });
}

export async function showRun(
  terminal: Terminal,
  settings: LocalSettings,
  runId: string,
  { project, json }: OfProject,
): Promise<ExitCode> {
  requireRunId(runId, project);
  return withProject(settings, project, async (control, projectId) => {
    const run = await control.work.run.query({ projectId, runId });
    if (json) terminal.out(JSON.stringify(run));
    else {
      printRun(terminal, run, Date.now());
      for (const line of nextSteps(run, project)) terminal.err(line);
    }
    return 0;
  });
}

/** What is asked of a run: the call, and what to say once it is taken. */
export interface RunDeed {
  readonly act: (control: ControlClient, run: { projectId: string; runId: string }) => Promise<{ readonly id: string }>;
  readonly said: string;
}

export function retried(from: string | undefined): RunDeed {
  return {
    act: (control, run) => control.work.retry.mutate({ ...run, from }),
    said: `goes on from ${from ?? "the first step that did not complete"}`,
  };
}

export const cancelled: RunDeed = {
  act: (control, run) => control.work.cancel.mutate(run),
  said: "is being cancelled: what it has done is undone",
};

/** Which call of a run it is about, and why. Without a step, all whose end is unknown. */
export interface Settling {
  readonly step?: string;
  readonly note?: string;
}

/** @param output JSON; without one, the step gives nothing. What is none fails the command. */
export function markedDone(output: string | undefined, { step, note }: Settling): RunDeed {
  return {
    act: async (control, run) => {
      const given = output === undefined ? null : jsonOf(output);
      return control.work.markDone.mutate({ ...run, step, output: given, note });
    },
    said: `counts ${callOf(step)} as done, and goes on when the end of all its calls is known`,
  };
}

export function markedFailed({ step, note }: Settling): RunDeed {
  return {
    act: (control, run) => control.work.markFailed.mutate({ ...run, step, note }),
    said: `counts ${callOf(step)} as failed, and goes on when the end of all its calls is known`,
  };
}

function callOf(step: string | undefined): string {
  return step === undefined ? "the call" : `the call of ${step}`;
}

export async function actOnRun(
  terminal: Terminal,
  settings: LocalSettings,
  runId: string,
  { project, json }: OfProject,
  { act, said }: RunDeed,
): Promise<ExitCode> {
  requireRunId(runId, project);
  return withProject(settings, project, async (control, projectId) => {
    const done = await act(control, { projectId, runId });
    terminal.out(json ? JSON.stringify(done) : `${done.id} ${said}`);
    return 0;
  });
}

/** What a person may do about a run that waits for one. */
export function nextSteps({ id, status }: Pick<Run, "id" | "status">, project: string): readonly string[] {
  if (status !== "needs_attention") return [];
  return [
    "",
    "the answer to a call was lost: see at the other service whether the call had its effect, then",
    `  plinth runs done ${id} --project ${project}    if it had`,
    `  plinth runs fail ${id} --project ${project}    if it had not`,
    `  plinth runs retry ${id} --project ${project}   to make the call again, whatever it did`,
  ];
}

/** What is no id at all never reaches the control API. */
export function requireRunId(text: string, project: string): void {
  requireId(text, "a run", `plinth runs list --project ${project}`);
}

/** @param list The command that shows the ids. @throws CommandFailure where it is none. */
export function requireId(text: string, what: string, list: string): void {
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return;
  throw new CommandFailure(`\`${text.slice(0, 80)}\` is not the id of ${what}: \`${list}\` shows the ids`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandFailure(`--output takes JSON, such as '{"id": "ch_1"}': ${text.slice(0, 80)} is none`);
  }
}

export function withProject(
  settings: LocalSettings,
  name: string,
  work: (control: ControlClient, projectId: string) => Promise<ExitCode>,
): Promise<ExitCode> {
  return openControl(settings, async (control, caller) => {
    const { id } = await projectCalled(control, caller, name);
    return work(control, id);
  });
}

export function noWorkers(project: string): CommandFailure {
  return new CommandFailure(`${project} has no background work: its live version does not list the module \`workers\``);
}
