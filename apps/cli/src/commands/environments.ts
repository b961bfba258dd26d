// `plinth environments list|create|delete`. In: a project. Out: its environments as a table, a new one with its first key, or the
// deletion of one. With `json`, exactly control's answer.
import { columns } from "../columns.ts";
import type { ControlClient } from "../control-client.ts";
import { environmentIn, PRODUCTION } from "../environment-option.ts";
import { CommandFailure, type ExitCode } from "../failure.ts";
import { outcomeOf } from "../local/deploy.ts";
import { type Caller, openControl, projectCalled } from "../local/open-control.ts";
import type { LocalSettings } from "../local/settings.ts";
import type { Terminal } from "../terminal.ts";
import { type OfProject, withProject } from "./runs.ts";

export async function listEnvironments(
  terminal: Terminal,
  settings: LocalSettings,
  { project, json }: OfProject,
): Promise<ExitCode> {
  return withProject(settings, project, async (control, projectId) => {
    const environments = await control.environments.list.query({ projectId });
    if (json) {
      terminal.out(JSON.stringify(environments));
      return 0;
    }
    const titles = ["ENVIRONMENT", "KIND", "PROJECT", "DEPLOYED"].map((text) => ({ text, colour: "dim" as const }));
    const rows = environments.map(({ name, kind, slug, live }) => [
      name,
      kind,
      slug,
      live?.deployedAt ?? "nothing yet",
    ]);
    for (const line of columns(terminal, [titles, ...rows])) terminal.out(line);
    return 0;
  });
}

export async function createEnvironment(
  terminal: Terminal,
  settings: LocalSettings,
  name: string,
  { project, json, from, empty }: OfProject & { readonly from: string; readonly empty: boolean },
): Promise<ExitCode> {
  return openControl<ExitCode>(settings, async (control, caller) => {
    const source = await environmentCalled(control, caller, project, from);
    const kind = name === "development" ? name : "preview";
    const created = await control.environments.create.mutate({ projectId: source.id, kind, name, empty });
    const outcome = created.deploymentId === null ? null : await outcomeOf(control, created.deploymentId);
    const problem =
      created.problem ?? (outcome === null || outcome.active ? null : (outcome.error ?? "it was not deployed"));
    if (json) terminal.out(JSON.stringify({ ...created, problem }));
    else {
      const { out, err, paint } = terminal;
      out(
        `${paint("green", "Created")} ${created.slug}${outcome?.active ? `, with the live blueprint of ${from}` : ""}.`,
      );
      out(
        created.key === null
          ? "It has no key yet: an admin can create one in the console."
          : `Its first key, shown only now: ${created.key}`,
      );
      out(`Commands find it with --project ${environmentIn(created.slug).project} --env ${created.name}`);
      if (problem !== null) err(`${paint("red", "error")}: its blueprint is not live: ${problem}`);
    }
    return problem === null ? 0 : 1;
  });
}

export async function deleteEnvironment(
  terminal: Terminal,
  settings: LocalSettings,
  name: string,
  { project, json, yes }: OfProject & { readonly yes: boolean },
): Promise<ExitCode> {
  if (name === PRODUCTION)
    throw new CommandFailure("production is the project itself, and can't be deleted this way", 2);
  if (!yes)
    throw new CommandFailure(`this deletes ${name} with its data, keys and connections: run it again with --yes`, 2);
  return openControl<ExitCode>(settings, async (control, caller) => {
    const environment = await environmentCalled(control, caller, project, name);
    await control.environments.delete.mutate({ projectId: environment.id });
    terminal.out(json ? JSON.stringify({ deleted: environment.slug }) : `Deleted ${environment.slug}.`);
    return 0;
  });
}

/** @throws CommandFailure if there is none. */
export function environmentCalled(
  control: ControlClient,
  caller: Caller,
  project: string,
  environment: string,
): Promise<{ readonly id: string; readonly slug: string }> {
  const whole = environmentIn(project).project;
  return projectCalled(control, caller, environment === PRODUCTION ? whole : `${whole}--${environment}`);
}
