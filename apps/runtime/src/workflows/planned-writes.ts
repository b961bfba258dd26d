// Finds which records an action will write, as far as its input says it. In: the steps, and the context before the first
// of them. Out: the writes of entities that lock, so that their parents can be locked first, in one order. A record that
// only a step finds or creates is locked when its step runs.
import type { BundleStep, Template } from "@plinth/bundle";
import { allows, type EvaluationContext, type Value } from "@plinth/expression";
import { isUuid } from "@plinth/service";
import type { ActiveRelease } from "../project/active-release.ts";
import { findEntity } from "../query/entity-view.ts";
import type { PlannedWrite } from "../query/lock-parents.ts";
import { fillTemplate } from "./template.ts";

export function plannedWrites(
  release: ActiveRelease,
  steps: readonly BundleStep[],
  context: EvaluationContext,
): readonly PlannedWrite[] {
  return steps.flatMap((step) => {
    const { action } = step;
    if (action.kind === "record.find" || !action.kind.startsWith("record.") || !("entity" in action)) return [];
    const lock = findEntity(release, action.entity)?.entity.lock;
    if (lock === undefined || (step.if !== null && !allows(step.if, context))) return [];
    return contextsOf(step, context).flatMap((each) => {
      const id = "id" in action ? idIn(action.id, each) : "";
      if (id === null) return [];
      const parent = "values" in action ? idIn(action.values[lock], each) : null;
      const values = new Map(parent === null ? [] : [[lock, parent]]);
      return [{ entity: action.entity, recordId: id, isNew: id === "", values }];
    });
  });
}

/** One for each member of `for_each`. */
function contextsOf({ forEach }: BundleStep, context: EvaluationContext): readonly EvaluationContext[] {
  if (forEach === null) return [context];
  const items = fillTemplate(forEach.items, context);
  if (!Array.isArray(items)) return [];
  return items.map((each) => ({ ...context, values: { ...context.values, each: each as Value } }));
}

/** Null if it isn't known yet. */
function idIn(template: Template | undefined, context: EvaluationContext): string | null {
  const id = template === undefined ? null : fillTemplate(template, context);
  return typeof id === "string" && isUuid(id) ? id.toLowerCase() : null;
}
