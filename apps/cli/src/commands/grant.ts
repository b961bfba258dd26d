// `plinth users grant`. In: a project of the local Plinth, a user's e-mail, roles. Out: the user with just those roles.
// So the first admin of a project is named. It never makes a user.
import { connectControl, isControlError } from "../control-client.ts";
import { CommandFailure, type ExitCode } from "../failure.ts";
import { loadDeveloper } from "../local/secrets.ts";
import type { LocalSettings } from "../local/settings.ts";
import type { Terminal } from "../terminal.ts";

export interface Grant {
  /** The project's name, or its id. */
  readonly project: string;
  readonly email: string;
  readonly role: readonly string[];
}

export async function grant(terminal: Terminal, settings: LocalSettings, options: Grant): Promise<ExitCode> {
  const developer = loadDeveloper(settings.home);
  const address = { controlUrl: settings.urls.control, consoleUrl: settings.urls.console };
  try {
    const control = await connectControl(address, { name: "Developer", ...developer });
    const { organizations } = await control.me.get.query();
    const lists = await Promise.all(organizations.map(({ id }) => control.projects.list.query({ organizationId: id })));
    const project = lists.flat().find(({ id, slug }) => id === options.project || slug === options.project);
    if (project === undefined) {
      throw new CommandFailure(
        `the local developer (${developer.email}) has no project ${options.project}; another person's is granted in the console`,
      );
    }
    const user = await control.projects.grantUser.mutate({
      projectId: project.id,
      email: options.email,
      roles: [...options.role],
    });
    terminal.out(`${user.email} now has: ${user.roles.join(", ")}`);
    return 0;
  } catch (error) {
    if (isControlError(error)) throw new CommandFailure(error.message, 1, { cause: error });
    if (error instanceof TypeError && error.message === "fetch failed") {
      throw new CommandFailure(`nothing answers at ${settings.urls.control}: is \`plinth up\` running?`, 1, {
        cause: error,
      });
    }
    throw error;
  }
}
