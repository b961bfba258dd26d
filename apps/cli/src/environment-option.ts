// Chooses an environment of a project. In: a command, `--env` or PLINTH_ENVIRONMENT. Out: the project's name with the
// environment's, in the form that the commands use: `parcel-desk--preview`.
import type { Command } from "commander";
import { CommandFailure } from "./failure.ts";
import type { Environment } from "./local/settings.ts";

export const PRODUCTION = "production";

const SEPARATOR = "--";

export interface NamedEnvironment {
  /** A project's name or id. */
  readonly project: string;
  readonly environment: string;
}

export function inEnvironment(command: Command): Command {
  return command.option("--env <name>", "one of its environments: development, preview or a preview's name");
}

/** Runs before a command, and after its project is chosen. @throws CommandFailure (usage) if two environments are named. */
export function chooseEnvironment(command: Command, env: Environment): void {
  if (!command.options.some((option) => option.attributeName() === "env")) return;
  const given: unknown = command.getOptionValue("env");
  const project: unknown = command.getOptionValue("project");
  if (typeof project !== "string") {
    if (given === undefined) return;
    throw new CommandFailure("--env names an environment of a project, so it needs --project", 2);
  }
  const named = typeof given === "string" ? given : env["PLINTH_ENVIRONMENT"];
  if (!named) return;
  const before = environmentIn(project);
  if (before.environment === named) return;
  if (before.environment !== PRODUCTION) {
    throw new CommandFailure(`--project ${project} is the environment ${before.environment}, not ${named}`, 2);
  }
  if (named !== PRODUCTION) command.setOptionValue("project", `${before.project}${SEPARATOR}${named}`);
}

/** A name without an environment is that of production. */
export function environmentIn(name: string): NamedEnvironment {
  const at = name.indexOf(SEPARATOR);
  if (at === -1) return { project: name, environment: PRODUCTION };
  return { project: name.slice(0, at), environment: name.slice(at + SEPARATOR.length) };
}
