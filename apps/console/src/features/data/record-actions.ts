// What may be done to a record from its table. In: the entity as the live blueprint declares it, and a record. Out: deeds.
// It never judges a rule: that is for the project's API, which answers when the deed is tried. Pure.
import type { Entity } from "@plinth/blueprint";

export type Deed =
  | { readonly kind: "restore" }
  | {
      readonly kind: "transition";
      readonly edge: string;
      readonly to: string;
      /** Fields that must have a value first. */
      readonly lacks: readonly string[];
    };

/** `deleted`: whether the record is; then it can be brought back, and nothing else. */
export function deedsOf(
  { softDelete, stateMachine }: Pick<Entity, "softDelete" | "stateMachine">,
  record: Readonly<Record<string, unknown>>,
  deleted: boolean,
): readonly Deed[] {
  if (deleted) return softDelete ? [{ kind: "restore" }] : [];
  const state = stateMachine === null ? undefined : record[stateMachine.field];
  if (stateMachine === null || typeof state !== "string") return [];
  return stateMachine.edges
    .filter(({ from }) => from.includes(state))
    .map(({ name, to, require }) => ({
      kind: "transition",
      edge: name,
      to,
      // What isn't shown may well have a value.
      lacks: require.filter((field) => record[field] === null),
    }));
}
