// Prints the reasons that prevent a change. In: the parts that can't be migrated, the measurements of the live database. Out:
// lines, one for each reason.
import { type BlockedField, blockedFields, type Change, checkBlueprint, type FieldMend } from "@plinth/blueprint";
import type { Proposed } from "@plinth/compiler";
import type { StepMeasure } from "@plinth/control/router";
import { plain } from "./print-changes.ts";
import { type Terminal, wrap } from "./terminal.ts";

export type Refusal = Proposed["refused"][number];
type Step = Proposed["plan"]["steps"][number];

/** Records that violate a step. */
export interface Violation {
  readonly step: Extract<Step, { readonly kind: "verify" }>;
  readonly violators: NonNullable<StepMeasure["violators"]>;
}

export function printRefused(terminal: Terminal, refused: readonly Refusal[]): void {
  if (refused.length === 0) return;
  const { out, paint } = terminal;
  out("");
  out(paint("red", "This can't be migrated:"));
  for (const refusal of refused) out(wrap(terminal, `  ${refusalText(refusal)}`, "    "));
}

/** Doesn't repeat the path if the reason begins with it. */
export function refusalText({ path, reason }: Refusal): string {
  const text = plain(reason);
  return text.startsWith(path) ? text : `${path}: ${text}`;
}

export function violationsOf(steps: readonly Step[], measures: readonly StepMeasure[]): readonly Violation[] {
  return steps.flatMap((step) => {
    const violators = measures.find(({ stepId }) => stepId === step.id)?.violators ?? null;
    return step.kind === "verify" && violators !== null && (violators.count ?? 0) > 0 ? [{ step, violators }] : [];
  });
}

export function violationLines({ step, violators }: Violation): readonly string[] {
  const { count, samples } = violators;
  const records = count === 1 ? "1 record of" : `${count} records of`;
  const more = (count ?? 0) - samples.length;
  return [
    `${records} ${step.table ?? "it"} ${count === 1 ? "has" : "have"} ${step.violation}:`,
    // The problem of each record is already above, unless it differs.
    ...samples.map(({ id, text }) => (text === step.violation || text === "" ? `  ${id}` : `  ${id}  ${text}`)),
    ...(more > 0 && samples.length > 0 ? [`  and ${more} more`] : []),
  ];
}

/** Printed last, where people look first: the records themselves are far above, with their steps. */
export function printBlocked(
  terminal: Terminal,
  steps: readonly Step[],
  measures: readonly StepMeasure[],
  fields: readonly BlockedField[] = [],
): void {
  const blocked = new Set(measures.filter(({ violators }) => (violators?.count ?? 0) > 0).map(({ stepId }) => stepId));
  const numbers = steps.flatMap(({ id }, index) => (blocked.has(id) ? [index + 1] : []));
  if (numbers.length === 0) return;
  const { out, paint } = terminal;
  const where = numbers.length === 1 ? `step ${numbers[0]}` : `steps ${numbers.join(", ")}`;
  out("");
  out(paint("red", `This can't be deployed yet: records violate ${where}.`));
  out("  Change those records, or the rules in the file.");
  for (const line of mendLines(fields)) out(wrap(terminal, `  ${line}`, "    "));
}

/** The alternatives in the blueprint, a line for each field. */
export function mendLines(fields: readonly BlockedField[]): readonly string[] {
  return fields.map(
    ({ entity, field, mends }) => `${entity}.${field}: ${mends.map((mend) => mendWords[mend]).join(", or ")}.`,
  );
}

const mendWords: Readonly<Record<FieldMend["kind"], string>> = {
  default: "give it a default (`= value`)",
  fill: "fill it from other fields (`fill(expression)`)",
  optional: "make it optional (`?`)",
  as_in: "leave it as it is in the live version",
};

/** The fields with violating records, in the order of the plan. @param text The proposed blueprint. */
export function blockedFieldsOf(
  steps: readonly Step[],
  measures: readonly StepMeasure[],
  changes: readonly Change[],
  text: string,
): readonly BlockedField[] {
  const { model } = checkBlueprint(text);
  const tableOf = (entity: string) => model?.entities.find(({ name }) => name === entity)?.plural;
  return violationsOf(steps, measures).flatMap(({ step }) => blockedFields(changes, step, tableOf));
}
