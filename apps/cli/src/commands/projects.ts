// `plinth projects`. In: the current Plinth. Out: the projects that the caller can see there, each with its organization.
import { columns } from "../columns.ts";
import type { ExitCode } from "../failure.ts";
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
      terminal.out(`No projects yet: create one at ${console}/projects/new.`);
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
