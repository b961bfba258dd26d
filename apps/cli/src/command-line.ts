// The command line. In: arguments, environment and a terminal. Out: an exit code: 0 success, 1 diagnostics or a failure, 2 wrong
// usage. It never ends the process itself.
import { Command, CommanderError } from "commander";
import manifest from "../package.json" with { type: "json" };
import { declareAccount } from "./account-commands.ts";
import { declareBlueprint } from "./blueprint-commands.ts";
import type { DevOptions } from "./commands/dev.ts";
import type { ExplainOptions } from "./commands/explain.ts";
import type { ImportOptions } from "./commands/import.ts";
import { declareData } from "./data-commands.ts";
import { declareEnvironments } from "./environment-commands.ts";
import { chooseEnvironment, inEnvironment } from "./environment-option.ts";
import { CommandFailure, type ExitCode } from "./failure.ts";
import { type Environment, readLocalSettings } from "./local/settings.ts";
import { declareMail } from "./mail-commands.ts";
import { declarePeople } from "./people-commands.ts";
import { listenForStop } from "./stop-signal.ts";
import type { Terminal } from "./terminal.ts";
import { declareWebhooks } from "./webhook-commands.ts";
import { chooseProject, declareWork, PROJECT_HELP } from "./work-commands.ts";

/** Runs one command line without the name of the program. */
export async function runCommandLine(args: readonly string[], env: Environment, terminal: Terminal): Promise<ExitCode> {
  let code: ExitCode = 0;
  const program = declare(env, terminal, async (work) => {
    code = await work;
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof CommandFailure)) throw error;
    terminal.err(`${terminal.paint("red", "error")}: ${error.message}`);
    return error.exitCode;
  }
}

const HELP_COLUMNS = 100;

const HELP_ENDS = `Exit codes:
  0  success
  1  the blueprint has errors, the change can't be made, or Plinth refuses
  2  wrong usage, or a missing file`;

function argumentsOf(command: Command): readonly string[] {
  return command.registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`));
}

// Each command is loaded when it is called, because `validate` must not wait for the modules of `up`.
function declare(env: Environment, terminal: Terminal, run: (work: Promise<ExitCode>) => Promise<void>): Command {
  const program = new Command("plinth")
    .description("Hosted backends, declared in a blueprint.")
    .version(manifest.version)
    .showHelpAfterError("(plinth --help shows the commands)")
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
      getOutHelpWidth: () => terminal.columns ?? HELP_COLUMNS,
      getErrHelpWidth: () => terminal.columns ?? HELP_COLUMNS,
    })
    // The list of commands has no options, which would leave no space for the descriptions. Each command's own help shows them.
    .configureHelp({ subcommandTerm: (command) => [command.name(), ...argumentsOf(command)].join(" ") })
    .addHelpText("after", `\n${HELP_ENDS}`)
    .exitOverride()
    .hook("preAction", (_, command) => {
      chooseProject(command, env);
      chooseEnvironment(command, env);
    });

  program
    .command("up")
    .description("start everything on this machine: database, control API, runtime, console")
    .action(async () => {
      const { up } = await import("./commands/up.ts");
      return run(up(terminal, readLocalSettings(env), listenForStop()));
    });
  program
    .command("dev")
    .description("start everything, deploy FILE, and deploy it again at each save")
    .argument("<file>", "a blueprint")
    .option("--types <file>", "file for the SDK types; without it, FILE's name with .gen.d.ts, in the same folder")
    .option("--no-types", "write no SDK types")
    .option("--json", "print all addresses and keys as one JSON line on stdout", false)
    .action(async (file: string, options: DevOptions) => {
      const { dev } = await import("./commands/dev.ts");
      return run(dev(terminal, readLocalSettings(env), listenForStop(), file, options));
    });
  program
    .command("validate")
    .description("report every problem in FILE")
    .argument("<file>", "a blueprint")
    .option("--json", "print diagnostics as JSON", false)
    .action(async (file: string, options: { json: boolean }) => {
      const { validate } = await import("./commands/validate.ts");
      return run(validate(terminal, file, options));
    });
  program
    .command("fmt")
    .description("write FILE in its canonical form")
    .argument("<file>", "a blueprint")
    .option("--check", "write nothing; exit code 1 if it differs", false)
    .option("--json", "print the result as JSON", false)
    .action(async (file: string, options: { check: boolean; json: boolean }) => {
      const { format } = await import("./commands/format.ts");
      return run(format(terminal, file, options));
    });
  program
    .command("compile")
    .description("write bundle.json, schema.sql, openapi.json and sdk.d.ts")
    .argument("<file>", "a blueprint")
    .requiredOption("--out <dir>", "folder for the four files")
    .action(async (file: string, options: { out: string }) => {
      const { compile } = await import("./commands/compile.ts");
      return run(compile(terminal, file, options));
    });
  program
    .command("schema")
    .description("print the JSON Schema of blueprints, for completion and checks in an editor")
    .option("--out <file>", "file for the result; without it, stdout")
    .action(async (options: { out?: string }) => {
      const { schema } = await import("./commands/schema.ts");
      return run(schema(terminal, options));
    });
  program
    .command("diff")
    .description("show the changes from OLD to NEW, and their effects on data, clients and access")
    .argument("<old>", "a blueprint")
    .argument("<new>", "a blueprint")
    .option("--json", "print changes and the consents they need as JSON", false)
    .action(async (before: string, after: string, options: { json: boolean }) => {
      const { diff } = await import("./commands/diff.ts");
      return run(diff(terminal, before, after, options));
    });
  inEnvironment(program.command("plan"))
    .description("show the steps of a change, measured on the live database of a project, or between two files")
    .argument("<file>", "a blueprint")
    .argument("[new]", "a second blueprint: plan from the first to it")
    .option("--project <name>", `compare with the live version of a project: ${PROJECT_HELP}`)
    .option("--json", "print changes, steps and measures as JSON", false)
    .action(async (file: string, after: string | undefined, options: { project?: string; json: boolean }) => {
      const { planFailure, planFiles, planLive } = await import("./commands/plan.ts");
      const { project, json } = options;
      if (after !== undefined) return run(planFiles(terminal, file, after, { json }));
      if (project === undefined) throw planFailure();
      return run(planLive(terminal, readLocalSettings(env), file, { project, json }));
    });
  program
    .command("explain")
    .description("explain why an operation is allowed or denied, with the part of the rule that decides, and its line")
    .argument("<file>", "a blueprint")
    .argument("<operation>", "read, create, update, delete, restore or transition:<name>")
    .argument("<target>", "`entity.row` of the blueprint's tests; only the entity for a create or with --record")
    .option("--as <user>", "a user of the blueprint's tests; without it, public")
    .option("--user <json>", 'a user who is not in the tests: {"roles":["user"]}')
    .option("--record <json>", 'a record that is not in the tests: {"status":"draft"}')
    .option("--with <json>", "the fields that the request sends")
    .option("--json", "print the explanation as JSON", false)
    .action(async (file: string, operation: string, target: string, options: ExplainOptions) => {
      const { explain } = await import("./commands/explain.ts");
      return run(explain(terminal, file, operation, target, options));
    });
  const importing = program
    .command("import")
    .description("write a blueprint from another tool's schema, or import its rows");
  const importOptions = (command: Command): Command =>
    command
      .option("--project <name>", "name of the project")
      .option("--out <file>", "a new file; without it, stdout")
      .option("--json", "print blueprint, inventory, notes and diagnostics as JSON", false);
  importOptions(importing.command("prisma").argument("<path>", "a schema.prisma, or a folder of them"))
    .description("from a Prisma schema")
    .action(async (path: string, options: ImportOptions) => {
      const { importPrisma } = await import("./commands/import.ts");
      return run(importPrisma(terminal, path, options));
    });
  importOptions(importing.command("postgres").argument("<url>", "postgres://..."))
    .description("from a Postgres database; only its catalogue is read")
    .option("--schema <names>", "the schemas to read, separated by commas", "public")
    .action(async (url: string, options: ImportOptions & { schema: string }) => {
      const { importPostgres } = await import("./commands/import.ts");
      return run(importPostgres(terminal, url, options));
    });
  declareData(program, importing, env, terminal, run);
  inEnvironment(program.command("users").description("the users of a project's app").command("grant"))
    .description("set the roles of a user who has signed up, such as the first admin")
    .requiredOption("--project <name>", PROJECT_HELP)
    .requiredOption("--email <email>", "the user")
    .requiredOption("--role <role...>", "all roles that the user will have")
    .action(async (options: { project: string; email: string; role: string[] }) => {
      const { grant } = await import("./commands/grant.ts");
      return run(grant(terminal, readLocalSettings(env), options));
    });
  declareAccount(program, env, terminal, run);
  declareBlueprint(program, env, terminal, run);
  declareEnvironments(program, env, terminal, run);
  declareWork(program, env, terminal, run);
  declareWebhooks(program, env, terminal, run);
  declareMail(program, env, terminal, run);
  declarePeople(program, env, terminal, run);
  return program;
}
