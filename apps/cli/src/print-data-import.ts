// Prints the plan and the result of an import of records. In: a plan with samples, or results. Out: lines.
import { type ImportPlan, type PlannedStep, titleOf } from "./import/data/import-plan.ts";
import { grouped } from "./import/data/progress.ts";
import type { StepResult } from "./import/data/run-import.ts";
import type { Sample } from "./import/data/try-import.ts";
import { type Terminal, wrap } from "./terminal.ts";

export function printImportPlan(
  terminal: Terminal,
  { steps, problems, left }: ImportPlan,
  samples: ReadonlyMap<PlannedStep, Sample>,
): void {
  const { out, paint } = terminal;
  out(paint("bold", "The import, in this order:"));
  for (const step of steps) {
    const { rows } = step;
    out(
      wrap(
        terminal,
        `  ${titleOf(step)}${rows === null ? "" : paint("dim", `  about ${grouped(rows)} rows`)}`,
        "      ",
      ),
    );
    if (step.kind === "records") {
      const columns = step.columns.map(([field, column]) => (field === column ? field : `${column} > ${field}`));
      out(paint("dim", wrap(terminal, `      ${columns.join(", ")}`, "      ")));
    }
    printSample(terminal, samples.get(step));
  }
  if (left.length > 0) out(`\n${paint("bold", "Not imported:")}`);
  for (const one of left) out(wrap(terminal, `  ${one}`, "      "));
  if (problems.length > 0) out(`\n${paint("bold", "These problems prevent the import:")}`);
  for (const one of problems) out(wrap(terminal, `  ${paint("red", "x")} ${one}`, "      "));
}

function printSample({ out, paint }: Terminal, sample: Sample | undefined): void {
  if (sample === undefined) return;
  const { before, judged, refused, refusals } = sample;
  if (before > 0) out(paint("dim", `      ${grouped(before)} rows are already read; the import continues after them`));
  if (refused === 0) return;
  const which = before > 0 ? "next" : "first";
  out(paint("yellow", `      ${grouped(refused)} of the ${which} ${grouped(judged)} rows would be refused, such as:`));
  for (const { key, field, message } of refusals)
    out(`        ${key}: ${field === null ? "" : `${field}: `}${message}`);
}

export function printResults(terminal: Terminal, results: readonly StepResult[], tookMs: number): void {
  const { out, paint } = terminal;
  for (const result of results) {
    const { table, entity, kind, found, accepted, refused } = result;
    const refusedText = refused === 0 ? "" : paint("red", `, ${grouped(refused)} refused`);
    const pass = kind === "records" ? "" : kind === "fill" ? " (references)" : " (pairs)";
    out(
      `${table} > ${entity}${pass}: ${grouped(accepted)} of ${grouped(found)} rows${refusedText}; ${comparison(terminal, result)}`,
    );
  }
  const records = results.reduce((sum, { accepted }) => sum + accepted, 0);
  const refused = results.reduce((sum, one) => sum + one.refused, 0);
  out(`${grouped(records)} rows in ${(tookMs / 1000).toFixed(1)} s`);
  if (refused > 0)
    out(
      paint(
        "red",
        `${grouped(refused)} rows were refused, so the import is not complete. Correct them in the source, or create them through the API, and import again: records that are already there are found.`,
      ),
    );
  if (results.some(({ isWhole }) => !isWhole))
    out(
      "Counts or checksums differ if the source has changed since the import began, or if a record was written in the meantime.",
    );
}

function comparison({ paint }: Terminal, { accepted, refused, isWhole }: StepResult): string {
  if (!isWhole) return paint("red", "counts or checksums differ");
  if (refused === 0) return paint("green", "counts and checksums agree");
  return accepted === 0 ? paint("red", "nothing was imported") : paint("yellow", "the other rows have the same values");
}
