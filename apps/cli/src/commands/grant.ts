// `plinth users grant`. In: a project, a user's email, roles. Out: the user with exactly these roles, for example the first admin
// of a project. It never creates a user.
import type { ExitCode } from "../failure.ts";
import { openControl, projectCalled } from "../local/open-control.ts";
import type { LocalSettings } from "../local/settings.ts";
import type { Terminal } from "../terminal.ts";

export interface Grant {
  /** The project's name or id. */
  readonly project: string;
  readonly email: string;
  readonly role: readonly string[];
}

export async function grant(terminal: Terminal, settings: LocalSettings, options: Grant): Promise<ExitCode> {
  return openControl<ExitCode>(settings, async (control, caller) => {
    const { id: projectId } = await projectCalled(control, caller, options.project);
    const { email, role } = options;
    const user = await control.projects.grantUser.mutate({ projectId, email, roles: [...role] });
    terminal.out(`${user.email} now has: ${user.roles.join(", ")}`);
    return 0;
  });
}
