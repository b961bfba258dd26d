// Opens the Plinth that a command uses: a server with a sign-in, or otherwise the one on this machine. In: settings and the work.
// Out: the result of the work. Failures are reported in one line.
import { readCredentials } from "../account/credentials.ts";
import { chosenServer, type Server } from "../account/server.ts";
import {
  type ControlClient,
  type ControlError,
  connectControl,
  controlWithToken,
  isControlError,
} from "../control-client.ts";
import { environmentIn, PRODUCTION } from "../environment-option.ts";
import { CommandFailure } from "../failure.ts";
import { runningAddresses } from "./running.ts";
import { type Developer, loadDeveloper } from "./secrets.ts";
import { keptSession } from "./session.ts";
import type { LocalSettings } from "./settings.ts";

/** The caller and the server. */
export interface Caller {
  /** Null: the local developer, at the Plinth on this machine. */
  readonly server: Server | null;
  /** The address of the console. */
  readonly console: string;
}

/** @throws CommandFailure if nothing answers, or the control API refuses. */
export async function openControl<T>(
  settings: LocalSettings,
  work: (control: ControlClient, caller: Caller) => Promise<T>,
): Promise<T> {
  const server = await chosenServer(settings);
  const running = runningAddresses(settings);
  try {
    if (server !== null) {
      return await work(controlWithToken(server.control, server.token), { server, console: server.url });
    }
    const control = await enterControl(settings, loadDeveloper(settings.home));
    return await work(control, { server, console: running.console });
  } catch (error) {
    if (isControlError(error)) throw refusal(error, server);
    if (error instanceof TypeError && error.message === "fetch failed") {
      throw nothingAnswers(error, server === null ? running.control : server.url, server !== null);
    }
    throw error;
  }
}

/** As the local developer. */
export function enterControl(settings: LocalSettings, developer: Developer): Promise<ControlClient> {
  const { control, console } = runningAddresses(settings);
  const address = { controlUrl: control, consoleUrl: console };
  return connectControl(address, { name: "Developer", ...developer }, keptSession(settings.home));
}

/**
 * For `plinth dev`: as the person who has signed in here with `plinth login`, so that the project is theirs in the
 * console; otherwise as the local developer. A project that the developer has deployed stays the developer's.
 * @returns `account`: the address of that person; null for the local developer.
 */
export async function enterOwnControl(
  settings: LocalSettings,
  developer: Developer,
  slug: string,
): Promise<{ readonly control: ControlClient; readonly account: string | null }> {
  const kept = readCredentials(settings.server.credentialsFile).servers[settings.urls.console];
  if (kept !== undefined) {
    const control = controlWithToken(runningAddresses(settings).control, kept.token);
    const account = await accountFor(control, developer.projects[slug]?.id);
    if (account !== null) return { control, account };
  }
  return { control: await enterControl(settings, developer), account: null };
}

/** Null if the token is not valid here (any more), or if the project belongs to somebody else. */
async function accountFor(control: ControlClient, projectId: string | undefined): Promise<string | null> {
  try {
    const { person } = await control.me.get.query();
    if (projectId !== undefined) await control.projects.get.query({ projectId });
    return person.email;
  } catch (error) {
    if (isControlError(error) && ["UNAUTHORIZED", "NOT_FOUND"].includes(error.data?.code ?? "")) return null;
    throw error;
  }
}

/**
 * The project or environment with this name or id, in any organization of the caller.
 * @throws CommandFailure if there is none, or more than one.
 */
export async function projectCalled(
  control: ControlClient,
  { server }: Caller,
  name: string,
): Promise<{ readonly id: string; readonly slug: string }> {
  const { person, organizations } = await control.me.get.query();
  const lists = await Promise.all(
    organizations.map(async ({ id, name: organization }) => {
      const projects = await control.projects.list.query({ organizationId: id });
      return projects.map((project) => ({ ...project, organization }));
    }),
  );
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
    const ids = found.map(({ id, organization }) => `${id} (${organization})`).join(", ");
    throw new CommandFailure(`more than one organization has a project ${name}; name it by its id: ${ids}`);
  }
  throw new CommandFailure(
    server === null
      ? `the local developer (${person.email}) has no project ${name}: \`plinth dev FILE\` deploys one; to find projects that were created in the console, run \`plinth login\``
      : `${person.email} has no project ${name} at ${server.url}: \`plinth projects\` lists the projects there`,
  );
}

function refusal(error: ControlError, server: Server | null): Error {
  if (server === null || error.data?.code !== "UNAUTHORIZED") {
    return new CommandFailure(error.message, 1, { cause: error });
  }
  const message =
    server.from === "login"
      ? `you are no longer signed in to ${server.url}: run \`plinth login --url ${server.url}\``
      : `${server.url} refuses PLINTH_TOKEN: it was revoked, or it has expired; create another one there, under Account`;
  return new CommandFailure(message, 1, { cause: error });
}

function nothingAnswers(cause: Error, address: string, isServer: boolean): CommandFailure {
  const hint = isServer ? "`PLINTH_URL=local` uses the Plinth on this machine" : "is `plinth up` running?";
  return new CommandFailure(`nothing answers at ${address}: ${hint}`, 1, { cause });
}
