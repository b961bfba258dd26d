// Declares the commands about background work. In: the program. Out: the same with `runs`, `schedules`, `signing-secret`, `live`
// and `events`.
import { runKinds, runStatuses } from "@plinth/service";
import { type Command, InvalidArgumentError, Option } from "commander";
import { usesServer } from "./account/server.ts";
import type { ChangesTail } from "./commands/changes.ts";
import type { OfProject, RunFilters, Settling, SettlingAll } from "./commands/runs.ts";
import { inEnvironment } from "./environment-option.ts";
import { CommandFailure, type ExitCode } from "./failure.ts";
import { knownProjects } from "./local/secrets.ts";
import { type Environment, readLocalSettings } from "./local/settings.ts";
import { listenForStop } from "./stop-signal.ts";
import type { Terminal } from "./terminal.ts";

const LIMIT_MAX = 100;
const stepHelp = "only the call of this step, as `runs show` prints it; without it, all calls with an unknown result";

const outOfOrderHelp = "continue it although later runs of its record have begun, after all of them";

type Run = (work: Promise<ExitCode>) => Promise<void>;

export function declareWork(program: Command, env: Environment, terminal: Terminal, run: Run): void {
  const runs = program
    .command("runs")
    .description("the runs of a project: list, limits, show, retry, cancel, done, fail, settle");
  ofProject(runs.command("list"))
    .description("the newest runs")
    .addOption(new Option("--status <status>", "only those of this status").choices(runStatuses))
    .option("--workflow <name>", "only those of this workflow")
    .option("--limit <count>", `how many, at most ${LIMIT_MAX}`, countOf, 20)
    .action(async (options: RunFilters) => {
      const { listRuns } = await import("./commands/runs.ts");
      return run(listRuns(terminal, readLocalSettings(env), options));
    });
  ofProject(runs.command("limits"))
    .description("how much of the operator's limits the project uses")
    .action(async (options: OfProject) => {
      const { showUsage } = await import("./commands/runs.ts");
      return run(showUsage(terminal, readLocalSettings(env), options));
    });
  ofProject(runs.command("show").argument("<id>", "a run"))
    .description("one run with its steps")
    .action(async (id: string, options: OfProject) => {
      const { showRun } = await import("./commands/runs.ts");
      return run(showRun(terminal, readLocalSettings(env), id, options));
    });
  ofProject(runs.command("retry").argument("<id>", "a run that failed, was cancelled or needs attention"))
    .description("continue from the first unfinished step, or from the named one")
    .option("--from <step>", "a step's path, as `runs show` prints it")
    .option("--out-of-order", outOfOrderHelp, false)
    .action(async (id: string, options: OfProject & { readonly from?: string; readonly outOfOrder: boolean }) => {
      const { actOnRun, retried } = await import("./commands/runs.ts");
      return run(actOnRun(terminal, readLocalSettings(env), id, options, retried(options.from, options.outOfOrder)));
    });
  ofProject(runs.command("cancel").argument("<id>", "a run that has not ended, or that blocks later ones"))
    .description("stop it, and undo what it has done with the steps under `compensate`")
    .action(async (id: string, options: OfProject) => {
      const { actOnRun, cancelled } = await import("./commands/runs.ts");
      return run(actOnRun(terminal, readLocalSettings(env), id, options, cancelled));
    });
  ofProject(runs.command("done").argument("<id>", "a run that needs attention"))
    .description("mark a call as done: the run continues after it")
    .option("--step <step>", stepHelp)
    .option("--output <json>", "what the call returned, for the steps after it")
    .option("--note <text>", "why, for the audit log")
    .option("--out-of-order", outOfOrderHelp)
    .action(async (id: string, options: OfProject & Settling & { readonly output?: string }) => {
      const { actOnRun, markedDone } = await import("./commands/runs.ts");
      const action = markedDone(options.output, options);
      return run(actOnRun(terminal, readLocalSettings(env), id, options, action));
    });
  ofProject(runs.command("fail").argument("<id>", "a run that needs attention"))
    .description("mark a call as failed: its step fails, like after its last attempt")
    .option("--step <step>", stepHelp)
    .option("--note <text>", "why, for the audit log and the run")
    .option("--out-of-order", outOfOrderHelp)
    .action(async (id: string, options: OfProject & Settling) => {
      const { actOnRun, markedFailed } = await import("./commands/runs.ts");
      return run(actOnRun(terminal, readLocalSettings(env), id, options, markedFailed(options)));
    });
  ofProject(runs.command("settle").argument("<workflow>", "a workflow, worker or action with runs that need attention"))
    .description("say how the lost calls of all its runs ended")
    .addOption(
      new Option("--calls <ending>", "how they ended; `again` repeats them with the same keys")
        .choices(["done", "failed", "again"])
        .makeOptionMandatory(),
    )
    .addOption(new Option("--kind <kind>", "what has this name").choices(runKinds).default("workflow"))
    .option("--step <step>", "only calls of this step")
    .option("--output <json>", "what the calls returned, for the steps after them")
    .option("--note <text>", "why, for the audit log and the runs")
    .action(async (workflow: string, options: OfProject & SettlingAll) => {
      const { settleAll } = await import("./commands/runs.ts");
      return run(settleAll(terminal, readLocalSettings(env), workflow, options));
    });
  declareSchedules(program, env, terminal, run);
  declareSecret(program, env, terminal, run);
  declareChanges(program, env, terminal, run);
  const events = program.command("events").description("the events of a project that a workflow listens for");
  ofProject(events.command("tail"))
    .description("print each event from now on, until Ctrl-C")
    .option("--name <name>", "only those of this name, such as order.created")
    .option("--since <time>", `begin this long ago, such as 10m; at most ${LIMIT_MAX} events`, timeOf)
    .action(async (options: OfProject & { readonly name?: string; readonly since?: number }) => {
      const { tailEvents } = await import("./commands/events.ts");
      return run(tailEvents(terminal, readLocalSettings(env), listenForStop(), options));
    });
}

function declareChanges(program: Command, env: Environment, terminal: Terminal, run: Run): void {
  const changes = program
    .command("live")
    .alias("changes")
    .description("changes of records as they happen, for `realtime` entities");
  ofProject(changes.command("tail"))
    .description("print each change from now on, until Ctrl-C")
    .option("--entity <name...>", "only those of these entities")
    .action(async (options: ChangesTail) => {
      const { tailChanges } = await import("./commands/changes.ts");
      return run(tailChanges(terminal, readLocalSettings(env), listenForStop(), options));
    });
}

function declareSchedules(program: Command, env: Environment, terminal: Terminal, run: Run): void {
  const schedules = program.command("schedules").description("the schedules of a project: list, run, pause, resume");
  ofProject(schedules.command("list"))
    .description("each schedule with its next time and its last run")
    .action(async (options: OfProject) => {
      const { listSchedules } = await import("./commands/schedules.ts");
      return run(listSchedules(terminal, readLocalSettings(env), options));
    });
  ofProject(schedules.command("run").argument("<name>", "a schedule"))
    .description("start a run now")
    .action(async (name: string, options: OfProject) => {
      const commands = await import("./commands/schedules.ts");
      return run(commands.actOnSchedule(terminal, readLocalSettings(env), name, options, commands.run));
    });
  ofProject(schedules.command("pause").argument("<name>", "a schedule"))
    .description("start no runs until it is resumed")
    .action(async (name: string, options: OfProject) => {
      const commands = await import("./commands/schedules.ts");
      return run(commands.actOnSchedule(terminal, readLocalSettings(env), name, options, commands.pause));
    });
  ofProject(schedules.command("resume").argument("<name>", "a schedule that is paused"))
    .description("start runs again; `catch_up` decides about missed ones")
    .option("--skip-missed", "don't start missed runs", false)
    .action(async (name: string, options: OfProject & { readonly skipMissed: boolean }) => {
      const commands = await import("./commands/schedules.ts");
      const action = commands.resume(options.skipMissed);
      return run(commands.actOnSchedule(terminal, readLocalSettings(env), name, options, action));
    });
}

function declareSecret(program: Command, env: Environment, terminal: Terminal, run: Run): void {
  const secret = program.command("signing-secret").description("the signing secret of a project's calls: show, rotate");
  ofProject(secret.command("show"))
    .description("the secret, for the service that verifies calls")
    .action(async (options: OfProject) => {
      const { shown, printSecret } = await import("./commands/signing-secret.ts");
      return run(printSecret(terminal, readLocalSettings(env), options, shown));
    });
  ofProject(secret.command("rotate"))
    .description("replace the secret; for a day, calls are signed with the old one too")
    .action(async (options: OfProject) => {
      const { rotated, printSecret } = await import("./commands/signing-secret.ts");
      return run(printSecret(terminal, readLocalSettings(env), options, rotated));
    });
}

const aboutProject = new WeakSet<Command>();

export const PROJECT_HELP = "name or id of a project that you can see";

/** A command about a project, in one of its environments. */
export function ofProject(command: Command): Command {
  return inEnvironment(ofWholeProject(command));
}

/** A command about a project with all of its environments. */
export function ofWholeProject(command: Command): Command {
  aboutProject.add(command);
  return command
    .option("--project <name>", `${PROJECT_HELP}; the only one on this machine by default`)
    .option("--json", "print the result as JSON", false);
}

/**
 * Runs before a command: if it names no project, it uses the only one. @throws CommandFailure (usage) if there are several, or
 * none.
 */
export function chooseProject(command: Command, env: Environment): void {
  if (!aboutProject.has(command) || command.getOptionValue("project") !== undefined) return;
  // The key identifies a hosted project.
  if (command.getOptionValue("api") !== undefined) return;
  const settings = readLocalSettings(env);
  if (usesServer(settings)) throw new CommandFailure("name a project with --project: `plinth projects` lists them", 2);
  const known = knownProjects(settings.home);
  const [only, second] = known;
  if (only === undefined)
    throw new CommandFailure("no project is known here: `plinth dev FILE` creates one, `--project NAME` names one", 2);
  if (second !== undefined)
    throw new CommandFailure(`there are several projects, name one: --project ${known.join(", --project ")}`, 2);
  command.setOptionValue("project", only);
}

/** In milliseconds. */
export function timeOf(text: string): number {
  const [, count, unit] = /^(\d{1,6})(s|m|h|d)$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError("It must be a time such as 30s, 10m, 2h or 1d.");
  return Number(count) * ({ s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit ?? "s"] ?? 0);
}

function countOf(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > LIMIT_MAX) {
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${LIMIT_MAX}.`);
  }
  return count;
}
