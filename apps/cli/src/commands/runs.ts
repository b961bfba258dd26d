// `plinth runs list|limits|show|retry|cancel|done|fail|settle`. In: a project, filters or a run. Out: its runs as a table, one run with
// its steps, or the result of an action. With `json`, exactly control's answer.
import type { Run, RunKind, RunStatus } from "@plinth/control/router";
import type { ControlClient } from "../control-client.ts";
import { CommandFailure, type ExitCode } from "../failure.ts";
import { openControl, projectCalled } from "../local/open-control.ts";
import type { LocalSettings } from "../local/settings.ts";
import { printRun, printRuns, printUsage } from "../print-runs.ts";
import type { Terminal } from "../terminal.ts";

export interface OfProject {
  /** The project's name or id. */
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

/** An action on a run: the call, and the message after it. */
export interface RunAction {
  readonly act: (control: ControlClient, run: { projectId: string; runId: string }) => Promise<{ readonly id: string }>;
  readonly message: string;
}

export function retried(from: string | undefined, outOfOrder = false): RunAction {
  return {
    act: (control, run) => control.work.retry.mutate({ ...run, from, ...(outOfOrder ? { outOfOrder } : {}) }),
    message: `continues from ${from ?? "the first unfinished step"}`,
  };
}

export const cancelled: RunAction = {
  act: (control, run) => control.work.cancel.mutate(run),
  message: "is being cancelled: its completed steps with a compensation are undone",
};

/** The call of a run, and the reason. Without a step, all calls with an unknown result. */
export interface Settling {
  readonly step?: string;
  readonly note?: string;
  readonly outOfOrder?: boolean;
}

export interface SettlingAll extends Omit<Settling, "outOfOrder"> {
  readonly calls: "done" | "failed" | "again";
  readonly kind: RunKind;
  readonly output?: string;
}

/** Says how the lost calls ended, of all runs of a workflow that need attention now, in as many requests as it needs. */
export async function settleAll(
  terminal: Terminal,
  settings: LocalSettings,
  workflow: string,
  { project, json, kind, calls, output, step, note }: OfProject & SettlingAll,
): Promise<ExitCode> {
  const given = output === undefined ? {} : { output: jsonOf(output) };
  const until = new Date().toISOString();
  return withProject(settings, project, async (control, projectId) => {
    let runs = 0;
    for (;;) {
      const request = { projectId, workflow, kind, until, calls, step, note, ...given };
      const done = await control.work.settleAll.mutate(request);
      runs += done.runs;
      if (done.left > 0 && done.runs > 0) continue;
      terminal.out(json ? JSON.stringify({ ...done, runs }) : `${runs} runs of ${workflow} continue`);
      if (!json && done.overtaken > 0) {
        terminal.err(
          `${done.overtaken} more were left out, because later runs of their records have begun: settle them`,
        );
        terminal.err("one by one with --out-of-order, or cancel them");
      }
      return 0;
    }
  });
}

/** @param output JSON. Without it, the step has no output. Invalid JSON fails the command. */
export function markedDone(output: string | undefined, { step, note, outOfOrder }: Settling): RunAction {
  return {
    act: async (control, run) => {
      const given = output === undefined ? null : jsonOf(output);
      return control.work.markDone.mutate({ ...run, step, output: given, note, outOfOrder });
    },
    message: `counts ${callOf(step)} as done, and continues when all its calls have a known result`,
  };
}

export function markedFailed({ step, note, outOfOrder }: Settling): RunAction {
  return {
    act: (control, run) => control.work.markFailed.mutate({ ...run, step, note, outOfOrder }),
    message: `counts ${callOf(step)} as failed, and continues when all its calls have a known result`,
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
  { act, message }: RunAction,
): Promise<ExitCode> {
  requireRunId(runId, project);
  return withProject(settings, project, async (control, projectId) => {
    const done = await act(control, { projectId, runId });
    terminal.out(json ? JSON.stringify(done) : `${done.id} ${message}`);
    return 0;
  });
}

/** The possible actions on a run that waits for a person. */
export function nextSteps({ id, status }: Pick<Run, "id" | "status">, project: string): readonly string[] {
  if (status === "undo_failed")
    return [
      "",
      "a completed step could not be undone, so the run is neither done nor undone",
      `  plinth runs cancel ${id} --project ${project}  to undo it again`,
      `  plinth runs done ${id} --project ${project}    if you have undone it yourself`,
      `  plinth runs retry ${id} --project ${project}   to go on from the failed step instead`,
    ];
  if (status !== "needs_attention") return [];
  return [
    "",
    "the answer to a call was lost. Check at the other service whether the call was successful, then",
    `  plinth runs done ${id} --project ${project}    if it was`,
    `  plinth runs fail ${id} --project ${project}    if it was not`,
    `  plinth runs retry ${id} --project ${project}   to repeat the call in any case`,
    "plinth runs settle does the same for all runs of a workflow",
  ];
}

/** An invalid id is refused before control is called. */
export function requireRunId(text: string, project: string): void {
  requireId(text, "a run", `plinth runs list --project ${project}`);
}

/** @param list The command that shows the ids. @throws CommandFailure if it isn't an id. */
export function requireId(text: string, what: string, list: string): void {
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return;
  throw new CommandFailure(`\`${text.slice(0, 80)}\` is not the id of ${what}: \`${list}\` shows the ids`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandFailure(`--output must be JSON, such as '{"id": "ch_1"}', not ${text.slice(0, 80)}`);
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
