// The running local Plinth, for commands that ask it something. In: settings and the work. Out: what the work gives.
// What can go wrong on the way is said in one line.
import { type ControlClient, connectControl, isControlError } from "../control-client.ts";
import { environmentIn, PRODUCTION } from "../environment-option.ts";
import { CommandFailure } from "../failure.ts";
import { type Developer, loadDeveloper } from "./secrets.ts";
import { keptSession } from "./session.ts";
import type { LocalSettings } from "./settings.ts";

/** @throws CommandFailure where nothing answers, or the control API refuses. */
export async function openControl<T>(
  settings: LocalSettings,
  work: (control: ControlClient, developer: Developer) => Promise<T>,
): Promise<T> {
  const developer = loadDeveloper(settings.home);
  try {
    return await work(await enterControl(settings, developer), developer);
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

/** As the local developer. */
export function enterControl({ home, urls }: LocalSettings, developer: Developer): Promise<ControlClient> {
  const address = { controlUrl: urls.control, consoleUrl: urls.console };
  return connectControl(address, { name: "Developer", ...developer }, keptSession(home));
}

/** The local developer's project or environment of that name or id. @throws CommandFailure where there is none. */
export async function projectCalled(
  control: ControlClient,
  developer: Developer,
  name: string,
): Promise<{ readonly id: string; readonly slug: string }> {
  const { organizations } = await control.me.get.query();
  const lists = await Promise.all(organizations.map(({ id }) => control.projects.list.query({ organizationId: id })));
  const { project: called, environment } = environmentIn(name);
  const found = lists.flat().filter(({ id, slug, environments }) => {
    return slug === called || [id, ...environments.map((one) => one.id)].includes(called);
  });
  const [project, another] = found;
  if (project !== undefined && another === undefined) {
    const wanted = project.environments.find((one) => one.id === called && environment === PRODUCTION);
    const one = wanted ?? project.environments.find((each) => each.name === environment);
    if (one !== undefined) return one;
    const names = project.environments.map((each) => each.name).join(", ");
    throw new CommandFailure(`${project.slug} has no environment ${environment}: it has ${names}`);
  }
  if (project !== undefined) {
    const ids = found.map(({ id }) => id).join(", ");
    throw new CommandFailure(`more than one organization has a project ${name}; name it by its id: ${ids}`);
  }
  throw new CommandFailure(
    `the local developer (${developer.email}) has no project ${name}: \`plinth dev FILE\` deploys one; those that somebody else made are reached in the console`,
  );
}
