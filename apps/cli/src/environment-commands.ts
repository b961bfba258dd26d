// The commands about a project's environments, declared. In: the program. Out: `environments` and `promote` in it.
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
    .description("each with what clients call it")
    .action(async (options: OfProject) => {
      const { listEnvironments } = await import("./commands/environments.ts");
      return run(listEnvironments(terminal, readLocalSettings(env), options));
    });
  ofWholeProject(environments.command("create").argument("<name>", "`development`, or the name of a preview"))
    .description("make one with what is live in another, without its data, and print its first key")
    .option("--from <environment>", "whose blueprint it begins with", PRODUCTION)
    .option("--empty", "begin without a blueprint", false)
    .action(async (name: string, options: OfProject & { readonly from: string; readonly empty: boolean }) => {
      const { createEnvironment } = await import("./commands/environments.ts");
      return run(createEnvironment(terminal, readLocalSettings(env), name, options));
    });
  ofWholeProject(environments.command("delete").argument("<name>", "an environment other than production"))
    .description("delete one with its data, keys and connections")
    .option("--yes", "delete it for good", false)
    .action(async (name: string, options: OfProject & { readonly yes: boolean }) => {
      const { deleteEnvironment } = await import("./commands/environments.ts");
      return run(deleteEnvironment(terminal, readLocalSettings(env), name, options));
    });
  ofWholeProject(program.command("promote"))
    .description("propose in one environment what is live in another, and show what it would do there")
    .requiredOption("--from <environment>", "whose live blueprint it is")
    .option("--to <environment>", "where it is proposed", PRODUCTION)
    .option("--overwrite", "take back what only the target has", false)
    .option("--deploy", "approve it and deploy it", false)
    .option("--consent <consent...>", "with --deploy, agree to one of the things that are listed", [])
    .action(async (options: Promoting) => {
      const { promote } = await import("./commands/promote.ts");
      return run(promote(terminal, readLocalSettings(env), options));
    });
}
