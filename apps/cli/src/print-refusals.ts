// What keeps a change from being made, for a person. In: what can't be migrated, what the live database was found to hold.
// Out: lines, one reason each.
import { type BlockedField, blockedFields, type Change, checkBlueprint, type FieldMend } from "@plinth/blueprint";
import type { Proposed } from "@plinth/compiler";
import type { StepMeasure } from "@plinth/control/router";
import { plain } from "./print-changes.ts";
import { type Terminal, wrap } from "./terminal.ts";

export type Refusal = Proposed["refused"][number];
type Step = Proposed["plan"]["steps"][number];

/** Records that a step would find in its way. */
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

/** A reason that begins with its path doesn't say it twice. */
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
    // What is wrong with each is said above, unless it differs.
    ...samples.map(({ id, text }) => (text === step.violation || text === "" ? `  ${id}` : `  ${id}  ${text}`)),
    ...(more > 0 && samples.length > 0 ? [`  and ${more} more`] : []),
  ];
}

/** Last, where it is read: the records themselves stand far above, with their steps. */
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
  out(paint("red", `This can't be deployed yet: records stand in the way of ${where}.`));
  out("  Change those records, or what the file asks of them.");
  for (const line of mendLines(fields)) out(wrap(terminal, `  ${line}`, "    "));
}

/** What can be written instead, a line for each field. */
export function mendLines(fields: readonly BlockedField[]): readonly string[] {
  return fields.map(
    ({ entity, field, mends }) => `${entity}.${field}: ${mends.map((mend) => mendWords[mend]).join(", or ")}.`,
  );
}

const mendWords: Readonly<Record<FieldMend["kind"], string>> = {
  default: "give it a default (`= value`)",
  fill: "fill it from other fields (`fill(expression)`)",
  optional: "make it optional (`?`)",
  as_in: "leave it as it is live",
};

/** The fields that records stand in the way of, in the order of the plan. @param text The blueprint that is proposed. */
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
