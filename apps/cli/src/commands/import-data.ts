// `plinth import data URL --project NAME`. In: a Postgres database and a project. Out: its rows as records. It shows the plan and
// checks samples first. It writes only with `--yes`, or after a person agrees.
import { createInterface } from "node:readline/promises";
import { CommandFailure, type ExitCode } from "../failure.ts";
import { patiently, type Target } from "../import/data/cell.ts";
import { deriveMapping } from "../import/data/derive-mapping.ts";
import { overrideMapping, writeMapping } from "../import/data/mapping.ts";
import { type ImportPlan, type PlannedStep, planSteps } from "../import/data/plan-steps.ts";
import { createProgress } from "../import/data/progress.ts";
import { openRefusalFile, type RefusalFile } from "../import/data/refusal-file.ts";
import { runImport, type StepResult } from "../import/data/run-import.ts";
import { openSource, type Source } from "../import/data/source.ts";
import { literal } from "../import/data/source-sql.ts";
import { tryImport } from "../import/data/try-import.ts";
import type { ForeignSchema } from "../import/foreign-schema.ts";
import { createInventory } from "../import/inventory.ts";
import { readCatalogue } from "../import/postgres/catalogue.ts";
import { readPostgres } from "../import/postgres/read-postgres.ts";
import type { LocalSettings } from "../local/settings.ts";
import { printImportPlan, printResults } from "../print-data-import.ts";
import type { Terminal } from "../terminal.ts";
import { type OfProject, withProject } from "./runs.ts";

export interface ImportDataOptions extends OfProject {
  readonly schema: string;
  readonly map?: string;
  readonly writeMap?: string;
  readonly organization?: string;
  readonly refused: string;
  readonly yes: boolean;
  readonly dryRun: boolean;
}

export async function importData(
  terminal: Terminal,
  settings: LocalSettings,
  url: string,
  options: ImportDataOptions,
): Promise<ExitCode> {
  const schemas = options.schema.split(",").map((name) => name.trim());
  const schema = readPostgres(await readCatalogue(url, schemas), createInventory());
  const derived = deriveMapping(schema);
  const mapping = options.map === undefined ? derived : await overrideMapping(derived, options.map);
  if (options.writeMap !== undefined) await writeMapping(mapping, options.writeMap);
  return withProject(settings, options.project, async (control, projectId) => {
    const onWait = (reason: string): void => terminal.err(`${reason}: trying again`);
    const shape = await patiently({ onWait }, () => control.transfers.shape.query({ projectId }));
    const source = await openSource(url, schemas);
    try {
      const tables = { byId: new Map(schema.tables.map((table) => [table.id, table])), trimsScale: source.trimsScale };
      const organization = options.organization ?? null;
      const hasOrganization = organization !== null;
      const plan = planSteps({ schema, mapping, shape, tables, hasOrganization });
      const { fingerprint, label } = source;
      const target: Target = { control, projectId, source: fingerprint, label, onWait };
      const rowsOf = await estimates(source, schema);
      return await (options.json ? carryOutAsJson : carryOut)({
        terminal,
        options,
        plan,
        source,
        target,
        organization,
        rowsOf,
      });
    } finally {
      await source.close();
    }
  });
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
  readonly source: Source;
  readonly target: Target;
  readonly organization: string | null;
  readonly rowsOf: (step: PlannedStep) => number | null;
}

async function carryOut(carried: Carried): Promise<ExitCode> {
  const { terminal, options, plan, source, target, organization, rowsOf } = carried;
  const samples = plan.problems.length > 0 ? new Map() : await tryImport(source, target, plan.steps, { organization });
  printImportPlan(terminal, plan, samples, rowsOf);
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
  return results.every(({ isWhole }) => isWhole) ? 0 : 1;
}

async function carryOutAsJson(carried: Carried): Promise<ExitCode> {
  const { terminal, options, plan, source, target, organization, rowsOf } = carried;
  const samples = plan.problems.length > 0 ? new Map() : await tryImport(source, target, plan.steps, { organization });
  const steps = plan.steps.map((step) => ({
    table: step.table.id,
    entity: step.entity,
    kind: step.kind,
    columns: Object.fromEntries(step.columns),
    rows: rowsOf(step),
    sample: samples.get(step) ?? null,
  }));
  const planned = { steps, problems: plan.problems, left: plan.left };
  if (plan.problems.length > 0 || options.dryRun || !options.yes) {
    terminal.out(JSON.stringify({ plan: planned, results: null }));
    return plan.problems.length > 0 ? 1 : 0;
  }
  const { results, report } = await run(carried);
  terminal.out(JSON.stringify({ plan: planned, results, refusals: report }));
  return results.every(({ isWhole }) => isWhole) ? 0 : 1;
}

async function run({ terminal, options, plan, source, target, organization, rowsOf }: Carried): Promise<{
  readonly results: readonly StepResult[];
  readonly report: Awaited<ReturnType<RefusalFile["close"]>>;
}> {
  const refusals = openRefusalFile(options.refused);
  const total = plan.steps.reduce((sum, step) => sum + (rowsOf(step) ?? 0), 0);
  const progress = createProgress(terminal, total);
  try {
    const results = await runImport({
      source,
      target,
      steps: plan.steps,
      organization,
      estimate: rowsOf,
      refusals,
      progress,
    });
    return { results, report: await refusals.close() };
  } catch (error) {
    await refusals.close();
    throw error;
  } finally {
    progress.done();
  }
}

/** The server's estimate. Tables without one are counted. */
async function estimates(source: Source, schema: ForeignSchema): Promise<(step: PlannedStep) => number | null> {
  const names = schema.tables.map(({ space, name }) => `(${literal(space ?? "public")}, ${literal(name)})`);
  if (names.length === 0) return () => null;
  const rows = await source.rows<{ id: string; rows: number }>(
    `SELECT n.nspname || '.' || c.relname AS id, CASE WHEN c.relkind = 'p'
       THEN (SELECT sum(greatest(p.reltuples, 0)) FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhrelid WHERE i.inhparent = c.oid)
       ELSE c.reltuples END::float8 AS rows
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE (n.nspname, c.relname) IN (${names.join(", ")})`,
  );
  const known = new Map(rows.map((row) => [row.id, Number(row.rows)]));
  return ({ table }) => {
    const count = known.get(table.id);
    return count === undefined || count < 0 ? null : count;
  };
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

/** The address of the source. @throws CommandFailure (usage) if it is missing, or an option is invalid. */
export function requireOptions(url: string | undefined, { organization }: ImportDataOptions): string {
  if (url === undefined) throw new CommandFailure("import data needs the address of a database: postgres://...", 2);
  if (organization !== undefined && !/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(organization))
    throw new CommandFailure(`--organization must be the id of an organization, not ${organization.slice(0, 80)}`, 2);
  return url;
}
