// Declares the commands that move a blueprint to a project and back. In: the program. Out: the same with `deploy`, `pull` and
// `types`.
import type { Command } from "commander";
import type { DeployOptions } from "./commands/deploy.ts";
import type { PullOptions, TypesOptions } from "./commands/live-blueprint.ts";
import { inEnvironment } from "./environment-option.ts";
import type { ExitCode } from "./failure.ts";
import { type Environment, readLocalSettings } from "./local/settings.ts";
import type { Terminal } from "./terminal.ts";
import { PROJECT_HELP } from "./work-commands.ts";

type Run = (work: Promise<ExitCode>) => Promise<void>;

export function declareBlueprint(program: Command, env: Environment, terminal: Terminal, run: Run): void {
  inEnvironment(program.command("deploy"))
    .description("propose FILE to a project; with --approve, deploy it")
    .argument("<file>", "a blueprint")
    .requiredOption("--project <name>", PROJECT_HELP)
    .option("--approve", "approve the proposal and deploy it", false)
    .option("--consent <consent...>", "give one consent that the change needs, after reading what it allows", [])
    .option("--json", "print the outcome as one JSON line on stdout", false)
    .action(async (file: string, options: DeployOptions) => {
      const { deployFile } = await import("./commands/deploy.ts");
      return run(deployFile(terminal, readLocalSettings(env), file, options));
    });
  inEnvironment(program.command("pull"))
    .description("write the live blueprint of a project to a file")
    .requiredOption("--project <name>", PROJECT_HELP)
    .option("--out <file>", "the file, or - for stdout; without it, the project's name with .yaml")
    .option("--force", "replace a file that differs", false)
    .action(async (options: PullOptions) => {
      const { pull } = await import("./commands/live-blueprint.ts");
      return run(pull(terminal, readLocalSettings(env), options));
    });
  inEnvironment(program.command("types"))
    .description("write the SDK types of FILE, or of a project's live blueprint")
    .argument("[file]", "a blueprint")
    .option("--project <name>", PROJECT_HELP)
    .option("--out <file>", "a file, such as types.gen.d.ts; without it, stdout")
    .action(async (file: string | undefined, options: TypesOptions) => {
      const { types } = await import("./commands/live-blueprint.ts");
      return run(types(terminal, readLocalSettings(env), file, options));
    });
}
