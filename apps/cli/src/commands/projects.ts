// `plinth projects` and `plinth projects create`. In: the current Plinth. Out: the projects that the caller can see there,
// each with its organization; or a new one.
import { columns } from "../columns.ts";
import { CommandFailure, type ExitCode } from "../failure.ts";
import { openControl } from "../local/open-control.ts";
import type { LocalSettings } from "../local/settings.ts";
import type { Terminal } from "../terminal.ts";

const HEAD = ["PROJECT", "ID", "ORGANIZATION", "ROLE", "LIVE"];

export async function listProjects(
  terminal: Terminal,
  settings: LocalSettings,
  { json }: { readonly json: boolean },
): Promise<ExitCode> {
  return openControl<ExitCode>(settings, async (control, { server, console }) => {
    const { organizations } = await control.me.get.query();
    const lists = await Promise.all(
      organizations.map(async ({ id, name, role }) => {
        const projects = await control.projects.list.query({ organizationId: id });
        return projects.map((project) => ({ ...project, organization: { id, name }, role }));
      }),
    );
    const projects = lists.flat();
    if (json) terminal.out(JSON.stringify(projects));
    else if (projects.length === 0) {
      terminal.out(`No projects yet: create one with \`plinth projects create NAME\`, or at ${console}/projects/new.`);
      // Projects that were created in the console belong to somebody else than the local developer.
      if (server === null) {
        terminal.out("You are the local developer here. To see the projects of your account, run `plinth login`.");
      }
    } else {
      const rows = projects.map(({ slug, id, organization, role, live }) => [
        slug,
        id,
        organization.name,
        role,
        live === null ? "not deployed" : `deployed ${live.deployedAt.slice(0, 16).replace("T", " ")}`,
      ]);
      for (const line of columns(terminal, [HEAD, ...rows])) terminal.out(line);
    }
    return 0;
  });
}

interface CreateOptions {
  readonly json?: boolean;
  readonly organization?: string;
}

/** @throws CommandFailure if the name is taken, or if the caller can't create projects in exactly one such organization. */
export async function createProject(
  terminal: Terminal,
  settings: LocalSettings,
  slug: string,
  { json = false, organization: wanted }: CreateOptions,
): Promise<ExitCode> {
  return openControl<ExitCode>(settings, async (control, { console }) => {
    const { organizations } = await control.me.get.query();
    const manageable = organizations.filter(({ may }) => may.manage);
    const fitting = manageable.filter(({ id, name }) => wanted === undefined || wanted === id || wanted === name);
    const [organization, another] = fitting;
    if (organization === undefined) {
      throw new CommandFailure(
        wanted === undefined
          ? "you can't create projects: no organization has given you this right"
          : `you can't create projects in an organization ${wanted}: yours are ${namesOf(manageable)}`,
      );
    }
    if (another !== undefined) {
      throw new CommandFailure(`choose one with --organization NAME: ${namesOf(fitting)}`, 2);
    }
    const project = await control.projects.create.mutate({ organizationId: organization.id, slug });
    if (json) terminal.out(JSON.stringify(project));
    else {
      terminal.out(`${terminal.paint("green", "Created")} ${project.slug} in ${organization.name}.`);
      terminal.out(`Next: plinth deploy FILE --project ${project.slug}, or ${console}/projects/${project.id}`);
    }
    return 0;
  });
}

function namesOf(organizations: readonly { readonly id: string; readonly name: string }[]): string {
  return organizations.map(({ id, name }) => `${name} (${id})`).join(", ") || "none";
}
