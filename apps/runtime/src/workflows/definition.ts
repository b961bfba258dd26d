// Finds the definition of a run. In: the background part of a bundle, and the run's kind and name. Out: its steps and
// options; null if the bundle has none.
import type { BundleBackground, BundleStep, Template } from "@plinth/bundle";
import type { Lookup } from "./interpreting.ts";
import type { Run } from "./run.ts";

export interface Definition {
  readonly steps: readonly BundleStep[];
  readonly timeoutMs: number | null;
  readonly lookup: Lookup | null;
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
    return action === undefined ? null : { ...action, output: action.output ?? nothing, timeoutMs: null, lookup: null };
  }
  const found = workflows.find((each) => each.kind === kind && each.name === workflow);
  if (found === undefined) return null;
  const { steps, timeoutMs, lookup: where, entity } = found;
  return { steps, timeoutMs, lookup: where === null || entity === null ? null : { entity, where }, output: null };
}
