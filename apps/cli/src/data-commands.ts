// Declares the commands that import and export records. In: the program. Out: the same with `import data` and `export`. Each
// command is loaded when it is called.
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
    .description("import the rows of a Postgres database or of an export into a project; shows the plan first")
    .option("--schema <names>", "the schemas of the database to read, separated by commas (default: public)")
    .option("--map <file>", "a file that changes the derived mapping of tables and columns")
    .option("--write-map <file>", "write the derived mapping to a new file, to edit and use with --map")
    .option("--prisma <path>", "the Prisma schema that the blueprint was imported from, a file or a folder")
    .option("--organization <id>", "the organization of records without a column for it")
    .option("--refused <file>", "file for refused rows with their reasons", "refused-rows.jsonl")
    .option("--dry-run", "check the first rows of each table and write nothing", false)
    .option("--yes", "import without asking", false)
    .option("--abandon", "end an unfinished import instead of continuing it", false)
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
