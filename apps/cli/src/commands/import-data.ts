// `plinth import data SOURCE --project NAME`. In: a Postgres database, or the folder of an export, and a project. Out: its rows as
// records. It shows the plan and checks samples first. It writes only with `--yes`, or after a person agrees.
import { createInterface } from "node:readline/promises";
import { CommandFailure, type ExitCode } from "../failure.ts";
import { patiently, type Target } from "../import/data/cell.ts";
import { openFolder } from "../import/data/folder/open-folder.ts";
import type { ImportPlan } from "../import/data/import-plan.ts";
import { openDatabase } from "../import/data/open-database.ts";
import { createProgress } from "../import/data/progress.ts";
import { openRefusalFile, type RefusalFile } from "../import/data/refusal-file.ts";
import { runImport, type StepResult } from "../import/data/run-import.ts";
import { tryImport } from "../import/data/try-import.ts";
import type { LocalSettings } from "../local/settings.ts";
import { printImportPlan, printResults } from "../print-data-import.ts";
import type { Terminal } from "../terminal.ts";
import { type OfProject, withProject } from "./runs.ts";

export interface ImportDataOptions extends OfProject {
  /** Of a database. */
  readonly schema?: string;
  readonly map?: string;
  readonly writeMap?: string;
  readonly prisma?: string;
  readonly organization?: string;
  readonly refused: string;
  readonly yes: boolean;
  readonly dryRun: boolean;
}

export async function importData(
  terminal: Terminal,
  settings: LocalSettings,
  from: string,
  options: ImportDataOptions,
): Promise<ExitCode> {
  const { schema = "public", organization = null } = options;
  const source = isDatabase(from) ? await openDatabase(from, { ...options, schema }) : await openFolder(from);
  try {
    return await withProject(settings, options.project, async (control, projectId) => {
      const onWait = (reason: string): void => terminal.err(`${reason}: trying again`);
      const shape = await patiently({ onWait }, () => control.transfers.shape.query({ projectId }));
      const plan = await source.plan(shape, { hasOrganization: organization !== null });
      const { fingerprint, label } = source;
      const target: Target = { control, projectId, source: fingerprint, label, onWait };
      return (options.json ? carryOutAsJson : carryOut)({ terminal, options, plan, target, organization });
    });
  } finally {
    await source.close();
  }
}

function isDatabase(from: string): boolean {
  return /^postgres(?:ql)?:/i.test(from);
}

/** Ends an unfinished import that will not be continued. The records that it has stored stay. */
export async function abandonImport(
  terminal: Terminal,
  settings: LocalSettings,
  { project }: OfProject,
): Promise<ExitCode> {
  return withProject(settings, project, async (control, projectId) => {
    const closed = await control.transfers.closeImport.mutate({ projectId, source: null });
    terminal.out(
      closed === null ? "No import is unfinished." : "The unfinished import is ended. Its stored records stay.",
    );
    return 0;
  });
}

interface Carried {
  readonly terminal: Terminal;
  readonly options: ImportDataOptions;
  readonly plan: ImportPlan;
  readonly target: Target;
  readonly organization: string | null;
}

async function carryOut(carried: Carried): Promise<ExitCode> {
  const { terminal, options, plan, target, organization } = carried;
  const samples = plan.problems.length > 0 ? new Map() : await tryImport(target, plan.steps, { organization });
  printImportPlan(terminal, plan, samples);
  if (plan.problems.length > 0) return 1;
  if (options.dryRun) return 0;
  if (!options.yes && !(await isConfirmed(terminal))) {
    terminal.err("Nothing was written. To import, run the same command with --yes.");
    return 0;
  }
  const startedAt = performance.now();
  const { results, report } = await run(carried);
  printResults(terminal, results, performance.now() - startedAt);
  if (report.written > 0) {
    const more = report.left === 0 ? "" : `; ${report.left} more did not fit in the file`;
    terminal.err(`Refused rows with their reasons: ${report.path}${more}`);
  }
  return isComplete(results) ? 0 : 1;
}

async function carryOutAsJson(carried: Carried): Promise<ExitCode> {
  const { terminal, options, plan, target, organization } = carried;
  const samples = plan.problems.length > 0 ? new Map() : await tryImport(target, plan.steps, { organization });
  const steps = plan.steps.map((step) => ({
    table: step.from,
    entity: step.entity,
    kind: step.kind,
    columns: Object.fromEntries(step.columns),
    rows: step.rows,
    sample: samples.get(step) ?? null,
  }));
  const planned = { steps, problems: plan.problems, left: plan.left };
  if (plan.problems.length > 0 || options.dryRun || !options.yes) {
    terminal.out(JSON.stringify({ plan: planned, results: null }));
    return plan.problems.length > 0 ? 1 : 0;
  }
  const { results, report } = await run(carried);
  terminal.out(JSON.stringify({ plan: planned, results, refusals: report }));
  return isComplete(results) ? 0 : 1;
}

/** A run that refused rows has not imported the source, although both sides agree on the others. */
function isComplete(results: readonly StepResult[]): boolean {
  return results.every(({ isWhole, refused }) => isWhole && refused === 0);
}

async function run({ terminal, options, plan, target, organization }: Carried): Promise<{
  readonly results: readonly StepResult[];
  readonly report: Awaited<ReturnType<RefusalFile["close"]>>;
}> {
  const refusals = openRefusalFile(options.refused);
  const total = plan.steps.reduce((sum, step) => sum + (step.rows ?? 0), 0);
  const progress = createProgress(terminal, total);
  try {
    const results = await runImport({ target, steps: plan.steps, organization, refusals, progress });
    return { results, report: await refusals.close() };
  } catch (error) {
    await refusals.close();
    throw error;
  } finally {
    progress.done();
  }
}

async function isConfirmed(terminal: Terminal): Promise<boolean> {
  if (terminal.columns === null || process.stdin.isTTY !== true) return false;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await lines.question("Import this? [y/N] ")).trim());
  } finally {
    lines.close();
  }
}

/** The address or the folder of the source. @throws CommandFailure (usage) if it is missing, or an option is invalid. */
export function requireOptions(from: string | undefined, options: ImportDataOptions): string {
  const { organization } = options;
  if (from === undefined)
    throw new CommandFailure(
      "import data needs the address of a database (postgres://...), or the folder of an export",
      2,
    );
  if (organization !== undefined && !/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(organization))
    throw new CommandFailure(`--organization must be the id of an organization, not ${organization.slice(0, 80)}`, 2);
  const ofDatabases = (["schema", "map", "writeMap", "prisma"] as const).find((name) => options[name] !== undefined);
  if (ofDatabases !== undefined && !isDatabase(from)) {
    const name = ofDatabases === "writeMap" ? "write-map" : ofDatabases;
    throw new CommandFailure(`--${name} is only for databases: the manifest of an export describes its files`, 2);
  }
  return from;
}
