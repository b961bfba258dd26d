// The actions for a record in the table. In: the entity in the live model, and a record. Out: actions. It evaluates no rules: the project's
// API does so when the action is called. Pure.
import type { Entity } from "@plinth/blueprint";

export type RecordAction =
  | { readonly kind: "restore" }
  | {
      readonly kind: "transition";
      readonly edge: string;
      readonly to: string;
      /** Fields that must have a value first. */
      readonly missing: readonly string[];
    };

/** A deleted record can only be restored. */
export function recordActions(
  { softDelete, stateMachine }: Pick<Entity, "softDelete" | "stateMachine">,
  record: Readonly<Record<string, unknown>>,
  deleted: boolean,
): readonly RecordAction[] {
  if (deleted) return softDelete ? [{ kind: "restore" }] : [];
  const state = stateMachine === null ? undefined : record[stateMachine.field];
  if (stateMachine === null || typeof state !== "string") return [];
  return stateMachine.edges
    .filter(({ from }) => from.includes(state))
    .map(({ name, to, require }) => ({
      kind: "transition",
      edge: name,
      to,
      // A field that isn't shown may have a value.
      missing: require.filter((field) => record[field] === null),
    }));
}
