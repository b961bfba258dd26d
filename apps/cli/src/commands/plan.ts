// `plinth plan FILE --project NAME`: the effects of a change on the live database, measured there without changing anything.
// `plinth plan OLD NEW`: the same between two files, without a database. Out: changes, steps with their SQL and costs.
import type { BlockedField, Change } from "@plinth/blueprint";
import type { Proposed } from "@plinth/compiler";
import type { PlanMeasures, ProposalPreview, StepMeasure } from "@plinth/control/router";
import { isControlError } from "../control-client.ts";
import { CommandFailure, type ExitCode } from "../failure.ts";
import { openControl, projectCalled } from "../local/open-control.ts";
import type { LocalSettings } from "../local/settings.ts";
import { printChanges, printConsents } from "../print-changes.ts";
import { printDiagnostics } from "../print-diagnostics.ts";
import { blockedFieldsOf, printBlocked, printRefused, violationLines, violationsOf } from "../print-refusals.ts";
import { readText } from "../read-blueprint.ts";
import { type Terminal, wrap } from "../terminal.ts";
import { propose } from "./diff.ts";

interface Shown {
  readonly changes: readonly Change[];
  readonly steps: Proposed["plan"]["steps"];
  readonly refused: readonly { readonly path: string; readonly reason: string }[];
  readonly consents: readonly string[];
  readonly measures: readonly StepMeasure[];
  readonly destroyed: NonNullable<PlanMeasures["destroyed"]>;
  readonly counted: NonNullable<PlanMeasures["counted"]>;
  /** Fields with violating records, and alternatives in the blueprint. */
  readonly blocked: readonly BlockedField[];
}

export async function planFiles(
  terminal: Terminal,
  before: string,
  after: string,
  options: { readonly json: boolean },
): Promise<ExitCode> {
  const { changes, plan, refused, consents } = await propose(terminal, before, after);
  return show(
    terminal,
    { changes, steps: plan.steps, refused, consents, measures: [], destroyed: [], counted: [], blocked: [] },
    options,
  );
}

export async function planLive(
  terminal: Terminal,
  settings: LocalSettings,
  file: string,
  options: { readonly project: string; readonly json: boolean },
): Promise<ExitCode> {
  const text = await readText(file);
  return openControl<ExitCode>(settings, async (control, caller) => {
    const project = await projectCalled(control, caller, options.project);
    try {
      const preview = await control.proposals.preview.mutate({ projectId: project.id, text });
      return showProposal(terminal, preview, options);
    } catch (error) {
      const diagnostics = isControlError(error) ? error.data?.diagnostics : null;
      if (!diagnostics) throw error;
      printDiagnostics(terminal, file, text, diagnostics);
      return 1;
    }
  });
}

/** 1 if it can't be deployed as it is. */
export function showProposal(
  terminal: Terminal,
  { diff: changes, plan, consents, measures, text }: ProposalPreview,
  options: { readonly json: boolean },
): ExitCode {
  const { steps: stepMeasures = [], destroyed = [], counted = [] } = measures ?? {};
  const blocked = blockedFieldsOf(plan.steps, stepMeasures, changes, text);
  return show(terminal, { changes, ...plan, consents, measures: stepMeasures, destroyed, counted, blocked }, options);
}

function show(terminal: Terminal, shown: Shown, { json }: { readonly json: boolean }): ExitCode {
  if (json) terminal.out(JSON.stringify(shown));
  else {
    printChanges(terminal, shown.changes);
    printDestroyed(terminal, shown.destroyed);
    printCounted(terminal, shown.counted);
    printSteps(terminal, shown);
    printConsents(terminal, shown.consents);
    printRefused(terminal, shown.refused);
    printBlocked(terminal, shown.steps, shown.measures, shown.blocked);
  }
  const blocked = shown.measures.some(({ violators }) => violators !== null && violators.count !== 0);
  return shown.refused.length > 0 || blocked ? 1 : 0;
}

/** In addition to the changes: how many existing records deletes will newly destroy. */
function printDestroyed(terminal: Terminal, destroyed: Shown["destroyed"]): void {
  const { out, paint } = terminal;
  if (destroyed.length > 0) out("");
  for (const { path, records } of destroyed) {
    const text =
      records === null
        ? "counting the records that deletes will also delete took too long"
        : `${records === 1 ? "1 record is" : `${records} records are`} deleted when ${records === 1 ? "its" : "their"} target is deleted`;
    out(wrap(terminal, `${paint("yellow", "!")} ${path}: ${text}.`, "  "));
  }
}

/** Existing records of a change, of a kind whose number the reader must know. */
function printCounted(terminal: Terminal, counted: Shown["counted"]): void {
  const { out, paint } = terminal;
  const found = counted.filter(({ records }) => records !== 0);
  if (found.length > 0) out("");
  for (const { path, what, records } of found) {
    const number = records === null ? "counting them took too long" : String(records);
    out(wrap(terminal, `${paint("yellow", "!")} ${path}: ${what}: ${number}.`, "  "));
  }
}

const phases = {
  before: "While the old version serves:",
  switch: "With the switch, in one transaction:",
  after: "Once the new version serves:",
} as const;

function printSteps(terminal: Terminal, { steps, measures }: Shown): void {
  const { out, paint } = terminal;
  let phase: keyof typeof phases | null = null;
  for (const [index, step] of steps.entries()) {
    if (step.phase !== phase) {
      phase = step.phase;
      out("");
      out(paint("bold", phases[phase]));
    }
    const measure = measures.find((one) => one.stepId === step.id);
    const facts = [
      step.class.replaceAll("_", " "),
      ...(step.lock === "none" ? [] : [`lock: ${step.lock}`]),
      ...(measure?.rows == null ? [] : [`${measure.rows} rows`]),
      ...(measure?.expectedMs == null ? [] : [`about ${Math.max(1, Math.round(measure.expectedMs))} ms`]),
    ];
    const number = `${index + 1}.`.padStart(4);
    out(wrap(terminal, `${number} ${step.summary} ${paint("dim", `(${facts.join("; ")})`)}`, "     "));
    for (const line of sqlOf(step).split("\n")) out(paint("dim", `       ${line}`));
    if (step.kind === "verify" && measure !== undefined) printFindings(terminal, step, measure);
  }
}

/** Without the schema, whose name is internal and the same in every line. */
function sqlOf(step: Shown["steps"][number]): string {
  const sql = step.kind === "verify" ? step.count : step.sql;
  return sql.trim().replaceAll("{schema}.", "");
}

function printFindings({ out, paint }: Terminal, step: Shown["steps"][number], measure: StepMeasure): void {
  const [violation] = violationsOf([step], [measure]);
  if (violation !== undefined) {
    const [first = "", ...records] = violationLines(violation);
    out(`       ${paint("red", first)}`);
    for (const record of records) out(`       ${record}`);
  } else if (measure.violators !== null)
    out(
      `       ${measure.violators.count === 0 ? paint("green", "no violating record") : paint("red", "counting took too long")}`,
    );
}

/** @throws CommandFailure if neither a second file nor a project is named. */
export function planFailure(): CommandFailure {
  return new CommandFailure("plan needs either a second file, or --project NAME to compare with the live version", 2);
}
