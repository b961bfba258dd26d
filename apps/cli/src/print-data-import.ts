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
  if (sample === undefined || sample.refused === 0) return;
  out(
    paint(
      "yellow",
      `      ${grouped(sample.refused)} of the first ${grouped(sample.judged)} rows would be refused, such as:`,
    ),
  );
  for (const { key, field, message } of sample.refusals)
    out(`        ${key}: ${field === null ? "" : `${field}: `}${message}`);
}

export function printResults(terminal: Terminal, results: readonly StepResult[], tookMs: number): void {
  const { out, paint } = terminal;
  for (const { table, entity, kind, found, accepted, refused, isWhole } of results) {
    const refusedText = refused === 0 ? "" : paint("yellow", `, ${grouped(refused)} refused`);
    const pass = kind === "records" ? "" : kind === "fill" ? " (references)" : " (pairs)";
    const same = isWhole ? paint("green", "counts and checksums agree") : paint("red", "counts or checksums differ");
    out(`${table} > ${entity}${pass}: ${grouped(accepted)} of ${grouped(found)} rows${refusedText}; ${same}`);
  }
  const records = results.reduce((sum, { accepted }) => sum + accepted, 0);
  out(`${grouped(records)} rows in ${(tookMs / 1000).toFixed(1)} s`);
  if (results.some(({ isWhole }) => !isWhole))
    out(
      "Counts or checksums differ if the source has changed since the import began, or if a record was written in the meantime.",
    );
}
