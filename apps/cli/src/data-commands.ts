// Declares the commands that bring records to a project and take them from it. In: the program. Out: the same with `import data` and
// `export`. Each command is loaded when it is called.
import type { Command } from "commander";
import type { ExportOptions } from "./commands/export-data.ts";
import type { ImportDataOptions } from "./commands/import-data.ts";
import type { ExitCode } from "./failure.ts";
import { type Environment, readLocalSettings } from "./local/settings.ts";
import type { Terminal } from "./terminal.ts";
import { ofProject } from "./work-commands.ts";

type Run = (work: Promise<ExitCode>) => Promise<void>;

export function declareData(
  program: Command,
  importing: Command,
  env: Environment,
  terminal: Terminal,
  run: Run,
): void {
  ofProject(importing.command("data").argument("[source]", "postgres://..., or the folder of an export"))
    .description("bring the rows of a Postgres database, or of an export, to a project; shows what it will do first")
    .option("--schema <names>", "the schemas of the database to read, joined by commas (default: public)")
    .option("--map <file>", "which table and column becomes what, where the derived mapping is not meant")
    .option("--write-map <file>", "write the mapping to a new file, to be changed and given to --map")
    .option("--organization <id>", "the organization of records that no column gives one")
    .option("--refused <file>", "where each refused row is written down with its reason", "refused-rows.jsonl")
    .option("--dry-run", "judge the first rows of each table and write nothing", false)
    .option("--yes", "import without asking", false)
    .option("--abandon", "end an unfinished import in place of going on with it", false)
    .action(async (source: string | undefined, options: ImportDataOptions & { readonly abandon: boolean }) => {
      const { abandonImport, importData, requireOptions } = await import("./commands/import-data.ts");
      const settings = readLocalSettings(env);
      if (options.abandon) return run(abandonImport(terminal, settings, options));
      return run(importData(terminal, settings, requireOptions(source, options), options));
    });
  ofProject(program.command("export"))
    .description("write all records of a project as CSV, with a manifest of counts and checksums")
    .requiredOption("--out <dir>", "a folder that is new or empty")
    .action(async (options: ExportOptions) => {
      const { exportData } = await import("./commands/export-data.ts");
      return run(exportData(terminal, readLocalSettings(env), options));
    });
}
