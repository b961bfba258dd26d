// `plinth runs list|show|retry|cancel`. In: a project of the local Plinth, filters or a run. Out: its runs as a table, one with its
// steps, or what was asked of it. With `json`, what control answered and nothing else.
import type { RunStatus } from "@plinth/control/router";
import type { ControlClient } from "../control-client.ts";
import { CommandFailure, type ExitCode } from "../failure.ts";
import { openControl, projectCalled } from "../local/open-control.ts";
import type { LocalSettings } from "../local/settings.ts";
import { printRun, printRuns } from "../print-runs.ts";
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

export async function showRun(
  terminal: Terminal,
  settings: LocalSettings,
  runId: string,
  { project, json }: OfProject,
): Promise<ExitCode> {
  return withProject(settings, project, async (control, projectId) => {
    const run = await control.work.run.query({ projectId, runId });
    if (json) terminal.out(JSON.stringify(run));
    else printRun(terminal, run, Date.now());
    return 0;
  });
}

export async function retryRun(
  terminal: Terminal,
  settings: LocalSettings,
  runId: string,
  { project, json, from }: OfProject & { readonly from?: string },
): Promise<ExitCode> {
  return withProject(settings, project, async (control, projectId) => {
    const done = await control.work.retry.mutate({ projectId, runId, from });
    const where = from === undefined ? "the first step that did not complete" : from;
    terminal.out(json ? JSON.stringify(done) : `${done.id} goes on from ${where}`);
    return 0;
  });
}

export async function cancelRun(
  terminal: Terminal,
  settings: LocalSettings,
  runId: string,
  { project, json }: OfProject,
): Promise<ExitCode> {
  return withProject(settings, project, async (control, projectId) => {
    const done = await control.work.cancel.mutate({ projectId, runId });
    terminal.out(json ? JSON.stringify(done) : `${done.id} is being cancelled: what it has done is undone`);
    return 0;
  });
}

export function withProject(
  settings: LocalSettings,
  name: string,
  work: (control: ControlClient, projectId: string) => Promise<ExitCode>,
): Promise<ExitCode> {
  return openControl(settings, async (control, developer) => {
    const { id } = await projectCalled(control, developer, name);
    return work(control, id);
  });
}

export function noWorkers(project: string): CommandFailure {
  return new CommandFailure(`${project} has no background work: its live version does not list the module \`workers\``);
}
