// Finds the definition of a run. In: the background part of a bundle, and the run's kind and name. Out: its steps and
// options; null if the bundle has none.
import type { BundleBackground, BundleStep, Template } from "@plinth/bundle";
import type { Lookup } from "./interpreting.ts";
import type { Run } from "./run.ts";

export interface Definition {
  readonly steps: readonly BundleStep[];
  readonly timeoutMs: number | null;
  readonly lookup: Lookup | null;
  /** Whether each step sees the record as it is when the step begins, and not as it was in the event. */
  readonly seesRecordNow: boolean;
  /** Null: the output of the last step. */
  readonly output: Template | null;
}

/** The output of an action that declares none. */
const nothing: Template = { kind: "literal", value: null };

export function definitionOf(
  { workflows, actions }: BundleBackground,
  { kind, workflow }: Pick<Run, "kind" | "workflow">,
): Definition | null {
  if (kind === "action") {
    const action = actions.find((each) => each.name === workflow);
    if (action === undefined) return null;
    const { steps, output } = action;
    return { steps, output: output ?? nothing, timeoutMs: null, lookup: null, seesRecordNow: false };
  }
  const found = workflows.find((each) => each.kind === kind && each.name === workflow);
  if (found === undefined) return null;
  const { steps, timeoutMs, lookup: where, entity } = found;
  const lookup = where === null || entity === null ? null : { entity, where };
  return { steps, timeoutMs, lookup, seesRecordNow: found.recordAt === "step", output: null };
}
