// Declares the commands about a project's environments. In: the program. Out: the same with `environments` and `promote`.
import type { Command } from "commander";
import type { Promoting } from "./commands/promote.ts";
import type { OfProject } from "./commands/runs.ts";
import { PRODUCTION } from "./environment-option.ts";
import type { ExitCode } from "./failure.ts";
import { type Environment, readLocalSettings } from "./local/settings.ts";
import type { Terminal } from "./terminal.ts";
import { ofWholeProject } from "./work-commands.ts";

type Run = (work: Promise<ExitCode>) => Promise<void>;

export function declareEnvironments(program: Command, env: Environment, terminal: Terminal, run: Run): void {
  const environments = program
    .command("environments")
    .description("the environments of a project: list, create, delete");
  ofWholeProject(environments.command("list"))
    .description("list them with the names that clients use")
    .action(async (options: OfProject) => {
      const { listEnvironments } = await import("./commands/environments.ts");
      return run(listEnvironments(terminal, readLocalSettings(env), options));
    });
  ofWholeProject(environments.command("create").argument("<name>", "`development`, or the name of a preview"))
    .description("create one with the live blueprint of another, without its data, and print its first key")
    .option("--from <environment>", "the environment whose live blueprint it begins with", PRODUCTION)
    .option("--empty", "begin without a blueprint", false)
    .action(async (name: string, options: OfProject & { readonly from: string; readonly empty: boolean }) => {
      const { createEnvironment } = await import("./commands/environments.ts");
      return run(createEnvironment(terminal, readLocalSettings(env), name, options));
    });
  ofWholeProject(environments.command("delete").argument("<name>", "an environment other than production"))
    .description("delete one with its data, keys and connections")
    .option("--yes", "confirm that it is deleted permanently", false)
    .action(async (name: string, options: OfProject & { readonly yes: boolean }) => {
      const { deleteEnvironment } = await import("./commands/environments.ts");
      return run(deleteEnvironment(terminal, readLocalSettings(env), name, options));
    });
  ofWholeProject(program.command("promote"))
    .description("propose the live blueprint of one environment in another, and show its effects there")
    .requiredOption("--from <environment>", "the environment whose live blueprint is promoted")
    .option("--to <environment>", "the environment in which it is proposed", PRODUCTION)
    .option("--overwrite", "revert the changes that only the target has", false)
    .option("--deploy", "approve it and deploy it", false)
    .option("--consent <consent...>", "with --deploy, give one of the consents that are listed", [])
    .action(async (options: Promoting) => {
      const { promote } = await import("./commands/promote.ts");
      return run(promote(terminal, readLocalSettings(env), options));
    });
}
