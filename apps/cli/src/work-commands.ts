// The commands about background work, declared. In: the program. Out: `runs` and `events` in it.
import { type Command, InvalidArgumentError, Option } from "commander";
import type { OfProject, RunFilters } from "./commands/runs.ts";
import type { ExitCode } from "./failure.ts";
import { type Environment, readLocalSettings } from "./local/settings.ts";
import { listenForStop } from "./stop-signal.ts";
import type { Terminal } from "./terminal.ts";

const LIMIT_MAX = 100;
const statuses = ["queued", "running", "waiting", "completed", "failed", "cancelled", "needs_attention"];

type Run = (work: Promise<ExitCode>) => Promise<void>;

export function declareWork(program: Command, env: Environment, terminal: Terminal, run: Run): void {
  const ofProject = (command: Command): Command =>
    command
      .requiredOption("--project <name>", "name or id of a project of the running local Plinth")
      .option("--json", "print what is found as JSON", false);
  const runs = program.command("runs").description("what a project's workflows do: list, show, retry, cancel");
  ofProject(runs.command("list"))
    .description("the newest runs")
    .addOption(new Option("--status <status>", "only those of this status").choices(statuses))
    .option("--workflow <name>", "only those of this workflow")
    .option("--limit <count>", `how many, ${LIMIT_MAX} at most`, countOf, 20)
    .action(async (options: RunFilters) => {
      const { listRuns } = await import("./commands/runs.ts");
      return run(listRuns(terminal, readLocalSettings(env), options));
    });
  ofProject(runs.command("show").argument("<id>", "a run"))
    .description("one run with its steps")
    .action(async (id: string, options: OfProject) => {
      const { showRun } = await import("./commands/runs.ts");
      return run(showRun(terminal, readLocalSettings(env), id, options));
    });
  ofProject(runs.command("retry").argument("<id>", "a run that failed, was cancelled or needs attention"))
    .description("go on from the first step that did not complete, or from the one that is named")
    .option("--from <step>", "a step's path, as `runs show` names it")
    .action(async (id: string, options: OfProject & { readonly from?: string }) => {
      const { retryRun } = await import("./commands/runs.ts");
      return run(retryRun(terminal, readLocalSettings(env), id, options));
    });
  ofProject(runs.command("cancel").argument("<id>", "a run that has not ended"))
    .description("stop it, and undo what it has done")
    .action(async (id: string, options: OfProject) => {
      const { cancelRun } = await import("./commands/runs.ts");
      return run(cancelRun(terminal, readLocalSettings(env), id, options));
    });
  const events = program.command("events").description("what happens in a project that a workflow listens for");
  ofProject(events.command("tail"))
    .description("the last events, and each that happens from now on, until Ctrl-C")
    .option("--name <name>", "only those of this name, such as order.created")
    .action(async (options: OfProject & { readonly name?: string }) => {
      const { tailEvents } = await import("./commands/events.ts");
      return run(tailEvents(terminal, readLocalSettings(env), listenForStop(), options));
    });
}

function countOf(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > LIMIT_MAX) {
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${LIMIT_MAX}.`);
  }
  return count;
}
